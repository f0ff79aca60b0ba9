/* SPDX-License-Identifier: MIT
 * block_check.c -- do these bytes make a block of a layout? */
#include "block/block_check.h"

#include "base/bits.h"
#include "block/block.h"

/* Checks the header. Returns where the keys end and vectors may begin; 0 if the header is wrong. */
static size_t header_end(strata_bytes block) {
    const uint8_t *p = block.data;
    if (block.size < STRATA_BLOCK_HEADER || p[0] != STRATA_BLOCK_FORMAT || p[1] != 0 || p[7] != 0) return 0;
    uint32_t rows = strata_block_rows(p), width = p[6];
    if (rows == 0 || (width != 0 && width != 1 && width != 2 && width != 4 && width != 8)) return 0;
    size_t end = STRATA_BLOCK_HEADER + 4 * (size_t)strata_block_columns(p) + (size_t)rows * width;
    if (end > block.size) return 0;
    uint64_t first = strata_block_first(p);
    return first == 0 || first > ST_KEY_MAX || strata_block_size(p) != block.size ? 0 : end;
}

/* What the entry of a column can be. */
typedef struct entry_rule {
    uint32_t wrong;  /* bits of an entry that are never set */
    uint32_t widths; /* those that cells can have, a bit for each */
    uint8_t last;   /* bytes that are read from the beginning of the last row's number on, or of its two positions */
} entry_rule;

#define WRONG(widths, flags) (~((uint32_t)((flags) | STRATA_ENTRY_NULLS) << 24 | (uint32_t)(widths) << 16 | 0xFFFF))

enum {
    NUMBERS = 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8,
    POSITIONS = 1 << 2 | 1 << 4,
};

static const entry_rule rules[] = {
    [ST_PACK_NONE] = { WRONG(31, 0xFF), UINT32_MAX, 8 }, /* the rest of a dropped column is not read */
    [ST_PACK_SIGNED] = { WRONG(15, 0), NUMBERS, 8 },
    [ST_PACK_UNSIGNED] = { WRONG(15, 0), NUMBERS, 8 },
    [ST_PACK_FLOAT] = { WRONG(4, 0), 1 << 4, 8 },
    [ST_PACK_DOUBLE] = { WRONG(8, 0), 1 << 8, 8 },
    [ST_PACK_16] = { WRONG(16, 0), 1 << 16, 16 },
    [ST_PACK_12] = { WRONG(12, 0), 1 << 12, 12 },
    [ST_PACK_BYTES] = { WRONG(6, STRATA_ENTRY_LARGE), POSITIONS, 8 },
};

/* Is the entry one that the field can have, and does its vector lie in the block, with its bitmaps before it? */
static inline bool entry_fits(size_t block_size, size_t rows, uint32_t entry, size_t begin, const st_field *field) {
    const entry_rule *rule = &rules[field->packing];
    size_t offset = strata_entry_offset(entry), width = strata_entry_width(entry);
    if ((entry & rule->wrong) != 0 || (rule->widths >> width & 1) == 0) return false;
    if (offset + (rows - 1) * width + rule->last > block_size) return false;
    uint32_t flags = strata_entry_flags(entry);
    if (flags == 0) return offset >= begin;
    if ((flags & STRATA_ENTRY_NULLS) != 0 && !field->nullable && field->packing != ST_PACK_NONE) return false;
    size_t bitmaps = (flags & STRATA_ENTRY_NULLS) + (flags & STRATA_ENTRY_LARGE) / 2;
    return offset >= begin + bitmaps * ((rows + 7) / 8);
}

bool st_block_plausible(strata_bytes block, const st_layout *layout) {
    size_t begin = header_end(block);
    const uint8_t *p = block.data;
    if (begin == 0 || strata_block_columns(p) > layout->count) return false;
    const st_field *field = layout->fields;
    size_t rows = strata_block_rows(p);
    const uint8_t *end = p + STRATA_BLOCK_HEADER + 4 * (size_t)strata_block_columns(p);
    for (p += STRATA_BLOCK_HEADER; p != end; p += 4, field++) {
        uint32_t entry = strata_load32(p);
        if (entry != 0 && !entry_fits(block.size, rows, entry, begin, field)) return false;
    }
    return true;
}

static bool keys_ascend(const uint8_t *block) {
    uint32_t rows = strata_block_rows(block);
    uint64_t last = strata_block_key(block, 0);
    if (last != strata_block_first(block)) return false;
    if (block[6] == 0) return rows - 1 < ST_KEY_MAX - last; /* without a vector of keys, they count up */
    for (uint32_t i = 1; i < rows; i++) {
        uint64_t key = strata_block_key(block, i);
        if (key <= last) return false;
        last = key;
    }
    return last < ST_KEY_MAX;
}

/* Does each cell have a size that it may have? Inlined, so that the compiler knows `width`. */
static inline bool sizes_valid(const uint8_t *positions, uint32_t width, uint32_t rows) {
    bool good = true;
    uint64_t last = strata_load_unsigned(positions, width);
    for (uint32_t i = 1; i <= rows; i++) {
        uint64_t position = strata_load_unsigned(positions + (size_t)i * width, width);
        good &= position - last <= ST_INLINE_VALUE; /* unsigned: false, too, if the position is less than the last */
        last = position;
    }
    return good;
}

/* Are all null cells without bytes? Packing relies on it. Inlined, so that the compiler knows `width`. */
static inline bool nulls_valid(const uint8_t *block, uint32_t entry, uint32_t width, uint32_t first, uint32_t end) {
    const uint8_t *positions = block + strata_entry_offset(entry);
    const uint8_t *nulls = positions - (strata_block_rows(block) + 7) / 8;
    bool good = true;
    for (uint32_t i = first; i < end; i++) {
        const uint8_t *own = positions + (size_t)i * width;
        bool filled = strata_load_unsigned(own, width) != strata_load_unsigned(own + width, width);
        good &= !(filled && (nulls[i / 8] >> i % 8 & 1) != 0);
    }
    return good;
}

/* Do the bytes of the rows from `first` to `end`, excluded, lie in the block, and have sizes that they may have? */
static bool bytes_valid(strata_bytes block, uint32_t entry, uint32_t first, uint32_t end) {
    const uint8_t *p = block.data;
    uint32_t width = strata_entry_width(entry);
    const uint8_t *positions = p + strata_entry_offset(entry) + (size_t)first * width;
    if (!(width == 2 ? sizes_valid(positions, 2, end - first) : sizes_valid(positions, 4, end - first))) return false;
    if (strata_load_unsigned(positions + (size_t)(end - first) * width, width) > block.size) return false;
    uint32_t flags = strata_entry_flags(entry);
    for (uint32_t i = first; i < end && (flags & STRATA_ENTRY_LARGE) != 0; i++)
        if (strata_block_large(p, entry, i) && st_block_bytes(p, entry, i).size != ST_REFERENCE) return false;
    if ((flags & STRATA_ENTRY_NULLS) == 0) return true;
    return width == 2 ? nulls_valid(p, entry, 2, first, end) : nulls_valid(p, entry, 4, first, end);
}

static bool rows_valid(strata_bytes block, const st_layout *layout, uint32_t first, uint32_t end) {
    if (!st_block_plausible(block, layout)) return false;
    for (uint32_t c = 0; c < strata_block_columns(block.data); c++) {
        uint32_t entry = strata_block_entry(block.data, c);
        st_packing packing = (st_packing)layout->fields[c].packing;
        if (entry == 0) continue;
        if (packing == ST_PACK_BYTES && !bytes_valid(block, entry, first, end)) return false;
    }
    return true;
}

bool st_block_row_valid(strata_bytes block, const st_layout *layout, uint32_t slot) {
    return rows_valid(block, layout, slot, slot + 1);
}

bool st_block_valid(strata_bytes block, const st_layout *layout) {
    return rows_valid(block, layout, 0, block.size < STRATA_BLOCK_HEADER ? 0 : strata_block_rows(block.data)) &&
           keys_ascend(block.data);
}
