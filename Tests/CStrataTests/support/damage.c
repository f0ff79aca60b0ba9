/* SPDX-License-Identifier: MIT
 *
 * damage.c -- ways in which the bytes of a file are damaged.
 *
 * Some are what disks and programs do: bits that flip, blocks of zeros, pages that are old or in the wrong place, a
 * file that is cut. The others are aimed at a number that leads somewhere: in headers of pages, in nodes, in the heads of
 * blocks, in lists of free pages, in the meta pages, in references to large values. */
#include "support/damage.h"

#include <string.h>

#include "block/block.h"
#include "ctest.h"

enum { PAGE = DAMAGE_PAGE, HEADER = 16, LEAF = 2, LARGE = 4, BIG_NODE = 1, ROOT = 80, TRIES = 200 };

typedef struct image {
    uint8_t *bytes;
    size_t size, pages;
    uint64_t *random;
} image;

static size_t below(const image *it, size_t limit) { return (size_t)(ctest_random(it->random) % limit); }

static uint64_t number_at(const uint8_t *p, size_t size) {
    uint64_t value = 0;
    memcpy(&value, p, size);
    return value;
}

/* ---- Numbers ---------------------------------------------------------- */

/* What may be written in place of a number: an extreme, a neighbour, the number of a page, any. */
static uint64_t instead_of(const image *it, uint64_t old) {
    static const uint64_t extremes[] = { 0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF,
                                         UINT64_C(0x7FFFFFFFFFFFFFFF), UINT64_C(0x8000000000000000), UINT64_MAX };
    switch (below(it, 6)) {
    case 0: return extremes[below(it, sizeof extremes / sizeof *extremes)];
    case 1: return old + 1 + below(it, 16);
    case 2: return old - 1 - below(it, 16);
    case 3: return below(it, it->pages + 2);
    case 4: return below(it, PAGE + 64);
    default: return ctest_random(it->random);
    }
}

/* Changes a number of 1, 2, 4 or 8 bytes. */
static void change_number(const image *it, size_t at, size_t size) {
    if (at + size > it->size) return;
    uint64_t value = instead_of(it, number_at(it->bytes + at, size));
    memcpy(it->bytes + at, &value, size);
}

static size_t any_size(const image *it) { return (size_t)1 << below(it, 4); }

/* ---- Places ----------------------------------------------------------- */

static size_t any_page(const image *it) { return below(it, it->pages) * PAGE; }

static uint32_t page_flags(const image *it, size_t page) { return (uint32_t)number_at(it->bytes + page + 10, 2); }

/* A page with one of these flags; any, if there seems to be none. */
static size_t page_with(const image *it, uint32_t flags) {
    size_t page = any_page(it);
    for (int i = 0; i < TRIES && (page_flags(it, page) & flags) == 0; i++) page = any_page(it);
    return page;
}

/* A node of a page of a tree. */
static size_t any_node(const image *it, size_t page) {
    size_t nodes = (size_t)number_at(it->bytes + page + 12, 2) / 2;
    nodes = nodes > HEADER / 2 ? nodes - HEADER / 2 : 1;
    if (nodes > (PAGE - HEADER) / 2) nodes = 1;
    size_t at = (size_t)number_at(it->bytes + page + HEADER + 2 * below(it, nodes), 2);
    return page + (at < PAGE - HEADER ? at : HEADER);
}

/* Where a value of a tree begins. */
static size_t any_value(const image *it) {
    size_t page = page_with(it, LEAF | LARGE);
    if ((page_flags(it, page) & LARGE) != 0) return page + HEADER;
    size_t node = any_node(it, page), value = node + 8 + (size_t)number_at(it->bytes + node + 6, 2);
    if (value + 8 > it->size) return page;
    if ((number_at(it->bytes + node + 4, 2) & BIG_NODE) == 0) return value;
    size_t large = (size_t)number_at(it->bytes + value, 8);
    return large < it->pages ? large * PAGE + HEADER : page;
}

/* A reference in a block, to what is stored outside of its row, or 0. */
static size_t any_reference(const image *it) {
    size_t at = any_value(it), room = it->size - at;
    const uint8_t *block = it->bytes + at;
    if (room < STRATA_BLOCK_HEADER || block[0] != STRATA_BLOCK_FORMAT || strata_block_rows(block) == 0) return 0;
    uint32_t rows = strata_block_rows(block), columns = strata_block_columns(block);
    if (columns == 0 || room < STRATA_BLOCK_HEADER + 4 * (size_t)columns) return 0;
    uint32_t column = (uint32_t)below(it, columns), slot = (uint32_t)below(it, rows);
    for (uint32_t i = 0; i < columns; i++, column = (column + 1) % columns) {
        uint32_t entry = strata_block_entry(block, column), offset = strata_entry_offset(entry);
        size_t bitmaps = 2 * ((rows + 7) / 8);
        if ((strata_entry_flags(entry) & STRATA_ENTRY_LARGE) == 0 || offset < bitmaps) continue;
        if (offset + (size_t)(rows + 1) * strata_entry_width(entry) > room || strata_block_size(block) > room) continue;
        for (uint32_t n = 0; n < rows; n++, slot = (slot + 1) % rows) {
            if (!strata_block_large(block, entry, slot)) continue;
            strata_bytes bytes = st_block_bytes(block, entry, slot);
            if (bytes.size == STRATA_BLOCK_REFERENCE) return (size_t)((const uint8_t *)bytes.data - it->bytes);
        }
    }
    return 0;
}

/* ---- Ways ------------------------------------------------------------- */

static void flip_bits(image *it) {
    size_t page = any_page(it);
    for (size_t i = 0, count = 1 + below(it, 8); i < count; i++)
        it->bytes[page + below(it, PAGE)] ^= (uint8_t)(1 << below(it, 8));
}

static void change_any_byte(image *it) { change_number(it, any_page(it) + below(it, PAGE), 1); }

static void change_any_number(image *it) {
    size_t size = any_size(it);
    change_number(it, any_page(it) + below(it, PAGE / size) * size, size);
}

static void change_page_header(image *it) {
    size_t size = any_size(it), page = any_page(it);
    change_number(it, page + below(it, 2 * HEADER / size) * size, size);
}

static void change_node(image *it) {
    size_t node = any_node(it, page_with(it, LEAF | 1)), size = any_size(it);
    change_number(it, node + below(it, 24), size);
}

static void change_head_of_value(image *it) {
    size_t value = any_value(it), size = any_size(it);
    change_number(it, value + below(it, 24), size);
}

static void change_value(image *it) {
    size_t value = any_value(it), size = any_size(it), within = below(it, 2) == 0 ? 200 : PAGE / 2;
    change_number(it, value + below(it, within), size);
}

static void change_meta(image *it) {
    size_t size = any_size(it);
    change_number(it, below(it, it->pages > 1 ? 2 : 1) * PAGE + below(it, 160 / size) * size, size);
}

/* A number of a list of free pages, or of the way to it. */
static void change_free_list(image *it) {
    const uint8_t *first = it->bytes, *second = it->bytes + PAGE;
    if (it->pages < 3) return;
    const uint8_t *meta = number_at(first + 144, 8) > number_at(second + 144, 8) ? first : second;
    size_t root = (size_t)number_at(meta + ROOT, 8);
    if (root >= it->pages) return;
    size_t node = any_node(it, root * PAGE), size = any_size(it);
    if (below(it, 4) != 0) change_number(it, (node + 16 + 8 * below(it, 12)) & ~(size_t)3, size < 4 ? 8 : size);
    else change_number(it, root * PAGE + below(it, 64), size);
}

static void zero(image *it) {
    size_t length = (size_t)64 << below(it, 7), at = below(it, (it->size + length - 1) / length) * length;
    if (length > it->size - at) length = it->size - at;
    memset(it->bytes + at, 0, length);
}

static void swap_pages(image *it) {
    uint8_t copy[PAGE];
    size_t a = any_page(it), b = any_page(it);
    bool renumbered = below(it, 2) == 0; /* as if they were written in the wrong place, or linked the wrong way */
    memcpy(copy, it->bytes + a, PAGE);
    memcpy(it->bytes + a, it->bytes + b, PAGE);
    memcpy(it->bytes + b, copy, PAGE);
    if (!renumbered) return;
    uint64_t number = a / PAGE;
    memcpy(it->bytes + a, &number, 8);
    number = b / PAGE;
    memcpy(it->bytes + b, &number, 8);
}

static void copy_page(image *it) {
    size_t from = any_page(it), to = any_page(it);
    uint64_t number = to / PAGE;
    memmove(it->bytes + to, it->bytes + from, PAGE);
    if (below(it, 2) == 0) memcpy(it->bytes + to, &number, 8);
}

static void copy_piece(image *it) {
    size_t length = 1 + below(it, below(it, 2) == 0 ? 64 : 1024);
    size_t from = any_page(it) + below(it, PAGE), to = any_page(it) + below(it, PAGE);
    if (from + length > it->size) length = it->size - from;
    if (to + length > it->size) length = it->size - to;
    memmove(it->bytes + to, it->bytes + from, length);
}

/* Two objects refer to one value, or each to that of the other; the whole reference, or all but its check. */
static void copy_reference(image *it) {
    uint8_t kept[STRATA_BLOCK_REFERENCE];
    size_t from = 0, to = 0, size = STRATA_BLOCK_REFERENCE - (below(it, 2) == 0 ? 4 : 0);
    for (int i = 0; i < 10 * TRIES && from == 0; i++) from = any_reference(it);
    for (int i = 0; i < 10 * TRIES && (to == 0 || to == from); i++) to = any_reference(it);
    if (from == to) return;
    memcpy(kept, it->bytes + to, size);
    memcpy(it->bytes + to, it->bytes + from, size);
    if (below(it, 2) == 0) memcpy(it->bytes + from, kept, size);
}

static void cut(image *it) {
    it->size = below(it, 2) == 0 ? below(it, it->size) : below(it, it->pages) * PAGE;
    it->pages = it->size / PAGE;
}

typedef struct way {
    const char *name;
    unsigned weight;
    void (*damage)(image *it);
} way;

static const way ways[] = {
    { "bits", 3, flip_bits },
    { "a byte", 3, change_any_byte },
    { "a number", 3, change_any_number },
    { "the header of a page", 4, change_page_header },
    { "a node", 4, change_node },
    { "the head of a value", 6, change_head_of_value },
    { "a value", 4, change_value },
    { "a meta page", 2, change_meta },
    { "the free list", 3, change_free_list },
    { "zeros", 2, zero },
    { "swapped pages", 2, swap_pages },
    { "a copied page", 2, copy_page },
    { "a copied piece", 2, copy_piece },
    { "a reference", 3, copy_reference },
    { "a cut", 1, cut },
};

size_t damage_image(uint8_t *bytes, size_t size, uint64_t *random, const char **out_way) {
    image it = { bytes, size, size / PAGE, random };
    unsigned all = 0;
    if (it.pages == 0) return size;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) all += ways[i].weight;
    size_t chosen = 0;
    for (size_t at = below(&it, all); at >= ways[chosen].weight; chosen++) at -= ways[chosen].weight;
    ways[chosen].damage(&it);
    *out_way = ways[chosen].name;
    return it.size;
}
