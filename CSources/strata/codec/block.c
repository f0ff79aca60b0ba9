/* SPDX-License-Identifier: MIT
 * block.c -- measuring and packing rows into blocks. */
#include "codec/block.h"

#include <stdlib.h>

#include "base/bits.h"

typedef struct column_size {
    int64_t least, most;  /* of signed numbers; `most` also of unsigned ones, as bits */
    uint64_t bytes;
    bool null, large;     /* some row is null, or refers to a value elsewhere */
    bool present;         /* some row is not what an absent column reads as */
} column_size;

struct st_block_size {
    st_layout layout;
    uint32_t rows;
    uint64_t first_key, last_key;
    column_size columns[];
};

st_block_size *st_block_size_make(const st_layout *layout) {
    st_block_size *size = calloc(1, sizeof *size + layout->count * sizeof size->columns[0]);
    if (size != NULL) size->layout = *layout;
    return size;
}

void st_block_size_free(st_block_size *size) { free(size); }

void st_block_size_reset(st_block_size *size) {
    size->rows = 0;
    memset(size->columns, 0, size->layout.count * sizeof size->columns[0]);
}

static bool all_zero(const uint8_t *p, uint32_t size) {
    for (uint32_t i = 0; i < size; i++)
        if (p[i] != 0) return false;
    return true;
}

/* The bytes of a number that has one width only. */
static bool fixed_is_zero(const st_row_ref *row, uint32_t entry, uint32_t size) {
    if (entry == 0) return true;
    return all_zero(row->block + strata_entry_offset(entry) + (size_t)row->slot * size, size);
}

static void measure_cell(column_size *column, st_field field, const st_row_ref *row, uint32_t entry) {
    if (field.nullable && strata_block_null(row->block, entry, row->slot)) {
        column->null = true;
        return;
    }
    bool empty = false;
    switch ((st_packing)field.packing) {
    case ST_PACK_NONE: return;
    case ST_PACK_SIGNED: {
        int64_t v = strata_block_int(row->block, entry, row->slot);
        if (v < column->least) column->least = v;
        if (v > column->most) column->most = v;
        empty = v == 0;
        break;
    }
    case ST_PACK_UNSIGNED: {
        uint64_t v = strata_block_link(row->block, entry, row->slot);
        if (v > (uint64_t)column->most) column->most = (int64_t)v;
        empty = v == 0;
        break;
    }
    case ST_PACK_FLOAT: empty = fixed_is_zero(row, entry, 4); break;
    case ST_PACK_DOUBLE: empty = fixed_is_zero(row, entry, 8); break;
    case ST_PACK_UUID: empty = fixed_is_zero(row, entry, 16); break;
    case ST_PACK_OBJECT_ID: empty = fixed_is_zero(row, entry, 12); break;
    case ST_PACK_BYTES: {
        size_t bytes = strata_block_bytes(row->block, entry, row->slot).size;
        column->bytes += bytes;
        if (strata_block_large(row->block, entry, row->slot)) column->large = true;
        empty = bytes == 0;
        break;
    }
    }
    if (field.nullable || !empty) column->present = true;
}

void st_block_size_add(st_block_size *size, const st_row_ref *row) {
    if (size->rows == 0) size->first_key = row->key;
    size->last_key = row->key;
    size->rows++;
    for (uint32_t c = 0; c < size->layout.count; c++)
        measure_cell(&size->columns[c], size->layout.fields[c], row, strata_block_entry(row->block, c));
}

static uint32_t key_width(const st_block_size *size) {
    uint64_t span = size->last_key - size->first_key;
    return span + 1 == size->rows ? 0 : st_width_unsigned(span);
}

static uint32_t number_width(const column_size *column, st_packing packing) {
    if (packing == ST_PACK_UNSIGNED) return st_width_unsigned((uint64_t)column->most);
    if (packing != ST_PACK_SIGNED) return st_packing_size(packing);
    uint32_t low = st_width_signed(column->least), high = st_width_signed(column->most);
    return low > high ? low : high;
}

static size_t bitmaps_of(const st_block_size *size, uint32_t column) {
    size_t bitmap = (size->rows + 7) / 8;
    return bitmap * ((size_t)size->columns[column].null + size->columns[column].large);
}

static size_t total_with(const st_block_size *size, uint32_t position_width) {
    size_t total = STRATA_BLOCK_HEADER + 4 * (size_t)size->layout.count + (size_t)key_width(size) * size->rows;
    for (uint32_t c = 0; c < size->layout.count; c++) {
        const column_size *column = &size->columns[c];
        if (!column->present) continue;
        total += bitmaps_of(size, c);
        st_packing packing = (st_packing)size->layout.fields[c].packing;
        if (packing == ST_PACK_BYTES) total += (size_t)position_width * (size->rows + 1) + column->bytes;
        else total += (size_t)number_width(column, packing) * size->rows;
    }
    return total;
}

/* Positions have 2 bytes while they reach every byte of the block. */
static uint32_t position_width(const st_block_size *size) { return total_with(size, 2) <= UINT16_MAX ? 2 : 4; }

size_t st_block_size_total(const st_block_size *size) {
    size_t total = total_with(size, 2);
    return total <= UINT16_MAX ? total : total_with(size, 4);
}

/* ---- Packing ---------------------------------------------------------- */

static void pack_bitmap(uint8_t *bitmap, const st_row_ref *rows, uint32_t count, uint32_t column,
                        bool (*test)(const uint8_t *block, uint32_t entry, uint32_t slot)) {
    for (uint32_t i = 0; i < count; i++) {
        if (test(rows[i].block, strata_block_entry(rows[i].block, column), rows[i].slot))
            bitmap[i / 8] = (uint8_t)(bitmap[i / 8] | 1u << i % 8);
    }
}

static void pack_numbers(uint8_t *out, const st_row_ref *rows, uint32_t count, uint32_t column, st_packing packing,
                         uint32_t width) {
    for (uint32_t i = 0; i < count; i++, out += width) {
        uint32_t entry = strata_block_entry(rows[i].block, column);
        if (entry == 0) continue; /* zeros already */
        if (packing == ST_PACK_SIGNED)
            st_store_width(out, width, (uint64_t)strata_block_int(rows[i].block, entry, rows[i].slot));
        else if (packing == ST_PACK_UNSIGNED)
            st_store_width(out, width, strata_block_link(rows[i].block, entry, rows[i].slot));
        else
            memcpy(out, rows[i].block + strata_entry_offset(entry) + (size_t)rows[i].slot * width, width);
    }
}

/* Writes positions at `out` and the bytes at `block + at`; returns where the bytes end. */
static size_t pack_bytes(uint8_t *block, uint8_t *out, size_t at, const st_row_ref *rows, uint32_t count,
                         uint32_t column, uint32_t width) {
    st_store_width(out, width, at);
    for (uint32_t i = 0; i < count; i++) {
        strata_bytes bytes =
            strata_block_bytes(rows[i].block, strata_block_entry(rows[i].block, column), rows[i].slot);
        if (bytes.size != 0) memcpy(block + at, bytes.data, bytes.size);
        at += bytes.size;
        out += width;
        st_store_width(out, width, at);
    }
    return at;
}

static void pack_header(uint8_t *block, const st_block_size *size) {
    block[0] = STRATA_BLOCK_FORMAT;
    st_store16(block + 2, (uint16_t)size->rows);
    st_store16(block + 4, (uint16_t)size->layout.count);
    block[6] = (uint8_t)key_width(size);
    st_store64(block + 8, size->first_key);
}

/* Writes the vector of one column at `block + *at`, and its bytes at `block + *heap`. */
static void pack_column(uint8_t *block, const st_block_size *size, uint32_t c, const st_row_ref *rows,
                        uint32_t positions, size_t *at, size_t *heap) {
    const column_size *column = &size->columns[c];
    st_packing packing = (st_packing)size->layout.fields[c].packing;
    size_t bitmap = (size->rows + 7) / 8;
    uint32_t width = packing == ST_PACK_BYTES ? positions : number_width(column, packing);
    uint32_t flags = 0;
    if (column->large) {
        pack_bitmap(block + *at, rows, size->rows, c, strata_block_large);
        *at += bitmap;
        flags |= STRATA_ENTRY_LARGE;
    }
    if (column->null) {
        pack_bitmap(block + *at, rows, size->rows, c, strata_block_null);
        *at += bitmap;
        flags |= STRATA_ENTRY_NULLS;
    }
    st_store32(block + STRATA_BLOCK_HEADER + 4 * (size_t)c, (uint32_t)*at | width << 16 | flags << 24);
    if (packing == ST_PACK_BYTES) {
        *heap = pack_bytes(block, block + *at, *heap, rows, size->rows, c, width);
        *at += (size_t)width * (size->rows + 1);
    } else {
        pack_numbers(block + *at, rows, size->rows, c, packing, width);
        *at += (size_t)width * size->rows;
    }
}

bool st_block_pack(const st_block_size *size, const st_row_ref *rows, uint32_t count, st_buffer *out) {
    size_t total = st_block_size_total(size), bytes = 0;
    if (!st_buffer_reserve(out, total)) return false;
    uint8_t *block = out->data + out->size;
    out->size += total;
    memset(block, 0, total);
    pack_header(block, size);

    size_t at = STRATA_BLOCK_HEADER + 4 * (size_t)size->layout.count;
    uint32_t keys = key_width(size);
    for (uint32_t i = 0; keys != 0 && i < count; i++, at += keys)
        st_store_width(block + at, keys, rows[i].key - size->first_key);

    for (uint32_t c = 0; c < size->layout.count; c++) {
        if (size->columns[c].present && size->layout.fields[c].packing == ST_PACK_BYTES)
            bytes += size->columns[c].bytes;
    }
    size_t heap = total - bytes;
    uint32_t positions = position_width(size);
    for (uint32_t c = 0; c < size->layout.count; c++) {
        if (size->columns[c].present) pack_column(block, size, c, rows, positions, &at, &heap);
    }
    return true;
}

uint32_t st_block_lower_bound(const uint8_t *block, uint64_t key) {
    uint32_t low = 0, high = strata_block_rows(block);
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (strata_block_key(block, middle) < key) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* ---- Pending rows ----------------------------------------------------- */

/* Bytes of bitmap before a pending cell: one for large values, one for nulls. */
static uint32_t pending_bitmaps(st_field field) {
    return (field.packing == ST_PACK_BYTES) + (uint32_t)field.nullable;
}

size_t st_pending_size(const st_layout *layout, size_t bytes) {
    size_t total = STRATA_BLOCK_HEADER + 4 * (size_t)layout->count;
    for (uint32_t c = 0; c < layout->count; c++) {
        st_field field = layout->fields[c];
        if (field.packing != ST_PACK_NONE) total += pending_bitmaps(field) + st_packing_size((st_packing)field.packing);
    }
    return total + bytes;
}

void st_pending_clear(const st_layout *layout, uint64_t key, uint8_t *block) {
    size_t total = st_pending_size(layout, 0);
    memset(block, 0, total);
    block[0] = STRATA_BLOCK_FORMAT;
    block[1] = STRATA_BLOCK_PENDING;
    st_store16(block + 2, 1);
    st_store16(block + 4, (uint16_t)layout->count);
    st_store64(block + 8, key);
    size_t at = STRATA_BLOCK_HEADER + 4 * (size_t)layout->count;
    for (uint32_t c = 0; c < layout->count; c++) {
        st_field field = layout->fields[c];
        if (field.packing == ST_PACK_NONE) continue;
        at += pending_bitmaps(field);
        bool bytes = field.packing == ST_PACK_BYTES;
        uint32_t width = bytes ? 4 : st_packing_size((st_packing)field.packing);
        uint32_t flags = (field.nullable ? STRATA_ENTRY_NULLS : 0u) | (bytes ? STRATA_ENTRY_LARGE : 0u) |
                         (field.guarded || bytes ? STRATA_ENTRY_GUARDED : 0u);
        if (field.nullable) block[at - 1] = 1;
        if (bytes) {
            st_store32(block + at, (uint32_t)total);
            st_store32(block + at + 4, (uint32_t)total);
        }
        st_store32(block + STRATA_BLOCK_HEADER + 4 * (size_t)c, (uint32_t)at | width << 16 | flags << 24);
        at += st_packing_size((st_packing)field.packing);
    }
}

size_t st_pending_bytes(const st_layout *layout, const st_row_ref *row) {
    size_t bytes = 0;
    for (uint32_t c = 0; c < layout->count; c++) {
        if (layout->fields[c].packing == ST_PACK_BYTES)
            bytes += strata_block_bytes(row->block, strata_block_entry(row->block, c), row->slot).size;
    }
    return bytes;
}

size_t st_pending_copy(const st_layout *layout, const st_row_ref *row, uint8_t *block) {
    size_t end = st_pending_size(layout, 0);
    for (uint32_t c = 0; c < layout->count; c++) {
        st_field field = layout->fields[c];
        uint32_t from = strata_block_entry(row->block, c);
        if (field.packing == ST_PACK_NONE || from == 0) continue;
        if (field.nullable && strata_block_null(row->block, from, row->slot)) continue;
        uint8_t *cell = block + strata_entry_offset(strata_block_entry(block, c));
        if (field.nullable) cell[-1] = 0;
        if (field.packing == ST_PACK_BYTES) {
            strata_bytes bytes = strata_block_bytes(row->block, from, row->slot);
            if (strata_block_large(row->block, from, row->slot)) cell[-1 - (int)field.nullable] = 1;
            if (bytes.size != 0) memcpy(block + end, bytes.data, bytes.size);
            st_store32(cell, (uint32_t)end);
            end += bytes.size;
            st_store32(cell + 4, (uint32_t)end);
        } else {
            uint32_t width = st_packing_size((st_packing)field.packing);
            pack_numbers(cell, row, 1, c, (st_packing)field.packing, width);
        }
    }
    return end;
}
