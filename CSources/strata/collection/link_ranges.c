/* SPDX-License-Identifier: MIT
 * link_ranges.c -- which links the chunks of a long collection have. */
#include "collection/link_ranges.h"

#include <stdlib.h>

#include "base/sort.h"
#include "base/status.h"
#include "collection/link_scan.h"

enum {
    MOST_SCANS = 4, /* keys for each of which a chunk is read anew: it is faster than to look up each link */
    SCATTERED = 4   /* a range of so many keys for each link is one of which marks are made */
};

static strata_status no_memory(strata_error *error) { return st_no_memory(error, "searching a collection"); }

static bool add(st_buffer *out, uint64_t position) { return st_buffer_append(out, &position, sizeof position); }

/* ---- Keys ------------------------------------------------------------- */

/* The first of the keys that is not less than one. */
static size_t lower(const uint64_t *keys, size_t count, uint64_t key) {
    size_t low = 0;
    while (low < count) {
        size_t middle = low + (count - low) / 2;
        if (keys[middle] < key) low = middle + 1;
        else count = middle;
    }
    return low;
}

/* Those of the keys that may be in a chunk. */
static st_link_wanted in_range(const st_link_wanted *wanted, const st_link_range *range) {
    if (range->count == 0) return *wanted;
    size_t from = lower(wanted->keys, wanted->count, range->low);
    size_t more = lower(wanted->keys + from, wanted->count - from, range->high);
    bool at_end = from + more < wanted->count && wanted->keys[from + more] == range->high;
    return (st_link_wanted){ wanted->keys + from, more + at_end, wanted->links };
}

/* Whether any of the keys, which lie in the range, may be in the chunk. Of many, some pass for one that is there. */
static bool may_have(const st_link_range *range, const st_link_wanted *wanted) {
    for (size_t i = 0; i < wanted->count; i++)
        if (i == MOST_SCANS || st_key_marks_may_have(&range->marks, wanted->keys[i])) return true;
    return false;
}

static bool is_wanted(const st_link_wanted *wanted, uint64_t key) {
    size_t at = lower(wanted->keys, wanted->count, key);
    return at < wanted->count && wanted->keys[at] == key;
}

/* ---- Chunks ----------------------------------------------------------- */

static int by_position(const void *a, const void *b) {
    uint64_t left, right;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    return left < right ? -1 : left > right;
}

static bool read_each(const uint8_t *block, uint32_t entry, uint32_t count, const st_link_wanted *wanted,
                      uint64_t start, st_buffer *out) {
    for (uint32_t i = 0; i < count; i++)
        if (is_wanted(wanted, strata_block_link(block, entry, i)) && !add(out, start + i)) return false;
    return true;
}

static bool read_chunk(const uint8_t *block, uint32_t entry, uint32_t count, const st_link_wanted *wanted,
                       uint64_t start, st_buffer *out) {
    size_t before = out->size;
    if (wanted->count > MOST_SCANS) return read_each(block, entry, count, wanted, start, out);
    for (size_t i = 0; i < wanted->count; i++) {
        uint32_t slot = st_link_scan(block, entry, 0, count, wanted->keys[i]);
        for (; slot < count; slot = st_link_scan(block, entry, slot + 1, count, wanted->keys[i]))
            if (!add(out, start + slot)) return false;
    }
    if (wanted->count > 1)
        st_sort_array(out->data + before, (out->size - before) / sizeof start, sizeof start, by_position);
    return true;
}

/* Notes what links a chunk has. False if there is no memory. */
static bool note_range(st_link_range *range, st_stored_chunk chunk, const uint8_t *block, uint32_t entry) {
    *range = (st_link_range){ .block = chunk.block, .count = chunk.count, .low = UINT64_MAX };
    for (uint32_t i = 0; i < chunk.count; i++) {
        uint64_t link = strata_block_link(block, entry, i);
        if (link < range->low) range->low = link;
        if (link > range->high) range->high = link;
    }
    if ((range->high - range->low) / SCATTERED < chunk.count) return true;
    if (!st_key_marks_make(&range->marks, chunk.count)) return false;
    for (uint32_t i = 0; i < chunk.count; i++) st_key_marks_add(&range->marks, strata_block_link(block, entry, i));
    return true;
}

static void forget_range(st_link_range *range) {
    st_key_marks_free(&range->marks);
    *range = (st_link_range){ .count = 0 };
}

static strata_status find_in_chunks(st_link_ranges *ranges, const st_source *s, st_directory *directory,
                                    const st_link_wanted *wanted, st_buffer *out, strata_error *error) {
    size_t before = out->size;
    for (uint32_t i = 0; i < directory->chunk_count; i++) {
        if ((out->size - before) / sizeof(uint64_t) >= wanted->links) break;
        st_link_range *range = &ranges->items[i];
        st_link_wanted here = in_range(wanted, range);
        const uint8_t *block;
        if (!may_have(range, &here)) continue;
        strata_status status = st_directory_block(s->view, directory, s->column, i, &block, error);
        if (status != STRATA_OK) return status;
        uint32_t entry = strata_block_entry(block, st_last_column(s)), count = directory->chunks[i].count;
        if (range->count == 0 && !note_range(range, directory->chunks[i], block, entry)) return no_memory(error);
        ranges->links_read += count;
        if (!read_chunk(block, entry, count, &here, directory->starts[i], out)) return no_memory(error);
    }
    return STRATA_OK;
}

/* ---- What is known ---------------------------------------------------- */

/* Keeps what is known of chunks that are still there. Between two that are, few are new or gone, so the next one is
 * looked for nearby. */
static bool align(st_link_ranges *ranges, const st_directory *directory) {
    enum { NEARBY = 8 };
    st_link_range *items = calloc(directory->chunk_count + 1u, sizeof *items);
    if (items == NULL) return false;
    size_t next = 0;
    for (uint32_t i = 0; i < directory->chunk_count; i++) {
        size_t end = ranges->count - next < NEARBY ? ranges->count : next + NEARBY;
        for (size_t j = next; j < end; j++) {
            st_link_range *known = &ranges->items[j];
            if (known->block != directory->chunks[i].block || known->count != directory->chunks[i].count) continue;
            items[i] = *known;
            known->marks = (st_key_marks){ NULL, 0 };
            next = j + 1;
            break;
        }
    }
    uint64_t links_read = ranges->links_read;
    st_link_ranges_free(ranges);
    *ranges = (st_link_ranges){ items, directory->chunk_count, links_read };
    return true;
}

static strata_status find_stored(st_link_ranges *ranges, const st_source *s, const st_link_wanted *wanted,
                                 st_buffer *out, strata_error *error) {
    st_directory *directory;
    size_t before = out->size;
    strata_status status = st_directory_get(s->view, &s->cell, &directory, error);
    if (status != STRATA_OK) return status;
    if (!align(ranges, directory)) return no_memory(error);
    status = find_in_chunks(ranges, s, directory, wanted, out, error);
    if (status != STRATA_OK || (out->size - before) / sizeof(uint64_t) >= wanted->links) return status;
    /* Some chunk has other links than it had. */
    for (size_t i = 0; i < ranges->count; i++) forget_range(&ranges->items[i]);
    out->size = before;
    return find_in_chunks(ranges, s, directory, wanted, out, error);
}

static strata_status find_in_all(st_link_ranges *ranges, const st_source *s, const st_link_wanted *wanted,
                                 st_buffer *out, strata_error *error) {
    uint64_t links[ST_SOURCE_BATCH];
    for (uint64_t at = 0, some; at < s->count; at += some) {
        some = s->count - at < ST_SOURCE_BATCH ? s->count - at : ST_SOURCE_BATCH;
        strata_status status = st_source_links(s, at, some, links, error);
        if (status != STRATA_OK) return status;
        ranges->links_read += some;
        for (uint64_t i = 0; i < some; i++)
            if (is_wanted(wanted, links[i]) && !add(out, at + i)) return no_memory(error);
    }
    return STRATA_OK;
}

strata_status st_link_ranges_find(st_link_ranges *ranges, const st_source *s, const st_link_wanted *wanted,
                                  st_buffer *out, strata_error *error) {
    if (wanted->count == 0 || wanted->links == 0) return STRATA_OK;
    bool long_and_stored = s->edit == NULL && s->cell.identity != 0;
    return long_and_stored ? find_stored(ranges, s, wanted, out, error)
                           : find_in_all(ranges, s, wanted, out, error);
}

size_t st_link_ranges_memory(const st_link_ranges *ranges) {
    size_t size = ranges->count * sizeof *ranges->items;
    for (size_t i = 0; i < ranges->count; i++) size += st_key_marks_memory(&ranges->items[i].marks);
    return size;
}

void st_link_ranges_free(st_link_ranges *ranges) {
    for (size_t i = 0; i < ranges->count; i++) forget_range(&ranges->items[i]);
    free(ranges->items);
    *ranges = (st_link_ranges){ 0 };
}
