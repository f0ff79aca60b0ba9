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

static bool all_zero(const uint8_t *p, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (p[i] != 0) return false;
    return true;
}

/* ---- Cells ------------------------------------------------------------ */

/* A cell on its way into a block. */
typedef struct cell {
    bool null, large;
    uint64_t number;     /* of signed and unsigned packing */
    const uint8_t *data; /* of the others; NULL reads as zeros */
    size_t size;
} cell;

static cell cell_of_row(const st_row_ref *row, uint32_t column, st_field field) {
    uint32_t entry = strata_block_entry(row->block, column);
    cell out = { .null = field.nullable && strata_block_null(row->block, entry, row->slot) };
    if (out.null) return out;
    switch ((st_packing)field.packing) {
    case ST_PACK_SIGNED: out.number = (uint64_t)strata_block_int(row->block, entry, row->slot); break;
    case ST_PACK_UNSIGNED: out.number = strata_block_link(row->block, entry, row->slot); break;
    case ST_PACK_BYTES: {
        strata_bytes bytes = strata_block_bytes(row->block, entry, row->slot);
        out.data = bytes.data;
        out.size = bytes.size;
        out.large = strata_block_large(row->block, entry, row->slot);
        break;
    }
    case ST_PACK_FLOAT:
    case ST_PACK_DOUBLE:
    case ST_PACK_16:
    case ST_PACK_12:
        out.size = st_packing_size((st_packing)field.packing);
        if (entry != 0) out.data = row->block + strata_entry_offset(entry) + out.size * (size_t)row->slot;
        break;
    case ST_PACK_NONE: break;
    }
    return out;
}

static cell cell_of_value(const strata_value *value, st_field field) {
    cell out = { .null = value->type == STRATA_NULL };
    if (out.null) return out;
    switch ((st_packing)field.packing) {
    case ST_PACK_SIGNED:
        out.number = value->type == STRATA_BOOL ? (uint64_t)value->as.boolean : (uint64_t)value->as.integer;
        break;
    case ST_PACK_UNSIGNED: out.number = value->as.link; break;
    case ST_PACK_BYTES:
        out.data = value->as.bytes.data;
        out.size = value->as.bytes.size;
        out.large = st_value_is_elsewhere(value);
        break;
    case ST_PACK_FLOAT:
    case ST_PACK_DOUBLE:
    case ST_PACK_16:
    case ST_PACK_12:
        out.size = st_packing_size((st_packing)field.packing);
        out.data = value->as.fixed; /* every member of the union begins where it does */
        break;
    case ST_PACK_NONE: break;
    }
    return out;
}

static inline cell cell_at(const st_rows *rows, size_t index, uint32_t column, st_field field) {
    if (rows->refs != NULL) return cell_of_row(&rows->refs[index], column, field);
    return cell_of_value(&rows->columns[column][index], field);
}

static inline uint64_t key_at(const st_rows *rows, size_t index) {
    return rows->refs != NULL ? rows->refs[index].key : rows->first + index;
}

/* ---- Measuring -------------------------------------------------------- */

static void measure_cell(column_size *column, st_field field, const cell *c) {
    if (c->null) {
        column->null = column->null || field.nullable; /* links are null by being 0 */
        return;
    }
    bool empty = false;
    switch ((st_packing)field.packing) {
    case ST_PACK_NONE: return;
    case ST_PACK_SIGNED:
        if ((int64_t)c->number < column->least) column->least = (int64_t)c->number;
        if ((int64_t)c->number > column->most) column->most = (int64_t)c->number;
        empty = c->number == 0;
        break;
    case ST_PACK_UNSIGNED:
        if (c->number > (uint64_t)column->most) column->most = (int64_t)c->number;
        empty = c->number == 0;
        break;
    case ST_PACK_BYTES:
        column->bytes += c->size;
        column->large = column->large || c->large;
        empty = c->size == 0;
        break;
    case ST_PACK_FLOAT:
    case ST_PACK_DOUBLE:
    case ST_PACK_16:
    case ST_PACK_12: empty = c->data == NULL || all_zero(c->data, c->size); break;
    }
    if (field.nullable || !empty) column->present = true;
}

void st_block_size_add(st_block_size *size, const st_rows *rows, size_t index) {
    uint64_t key = key_at(rows, index);
    if (size->rows == 0) size->first_key = key;
    size->last_key = key;
    size->rows++;
    for (uint32_t c = 0; c < size->layout.count; c++) {
        cell found = cell_at(rows, index, c, size->layout.fields[c]);
        measure_cell(&size->columns[c], size->layout.fields[c], &found);
    }
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

/* Where the vectors end and the bytes begin; `*bytes` is how many those are. */
static size_t vectors_end(const st_block_size *size, uint32_t position_width, size_t *bytes) {
    size_t end = STRATA_BLOCK_HEADER + 4 * (size_t)size->layout.count + (size_t)key_width(size) * size->rows;
    *bytes = 0;
    for (uint32_t c = 0; c < size->layout.count; c++) {
        const column_size *column = &size->columns[c];
        if (!column->present) continue;
        st_packing packing = (st_packing)size->layout.fields[c].packing;
        end += bitmaps_of(size, c);
        if (packing == ST_PACK_BYTES) {
            end += (size_t)position_width * (size->rows + 1);
            *bytes += column->bytes;
        } else {
            end += (size_t)number_width(column, packing) * size->rows;
        }
    }
    return end;
}

enum { WORD_REST = 7 }; /* what loading a word at the last byte of a vector reads beyond it */

static size_t total_with(const st_block_size *size, uint32_t position_width) {
    size_t bytes, end = vectors_end(size, position_width, &bytes);
    return end + (bytes > WORD_REST ? bytes : WORD_REST);
}

/* Positions have 2 bytes while they reach every byte of the block. */
static uint32_t position_width(const st_block_size *size) { return total_with(size, 2) <= UINT16_MAX ? 2 : 4; }

size_t st_block_size_total(const st_block_size *size) {
    size_t total = total_with(size, 2);
    return total <= UINT16_MAX ? total : total_with(size, 4);
}

/* ---- Packing ---------------------------------------------------------- */

/* What is packed, and where to. */
typedef struct packer {
    const st_block_size *size;
    const st_rows *rows;
    size_t from;
    uint8_t *block;
    size_t at;   /* where the next vector goes */
    size_t heap; /* where the next bytes go */
    uint32_t positions; /* width of positions */
} packer;

static void set_bit(uint8_t *bitmap, uint32_t i) { bitmap[i / 8] = (uint8_t)(bitmap[i / 8] | 1u << i % 8); }

static void pack_header(const packer *p) {
    uint8_t *block = p->block;
    block[0] = STRATA_BLOCK_FORMAT;
    st_store16(block + 2, (uint16_t)p->size->rows);
    st_store16(block + 4, (uint16_t)p->size->layout.count);
    block[6] = (uint8_t)key_width(p->size);
    st_store64(block + 8, p->size->first_key);
}

/* Makes room for the bitmaps of a column; `*large` and `*nulls` are NULL where there is none. */
static uint32_t place_bitmaps(packer *p, const column_size *column, uint8_t **large, uint8_t **nulls) {
    size_t bitmap = (p->size->rows + 7) / 8;
    uint32_t flags = 0;
    *large = *nulls = NULL;
    if (column->large) {
        *large = p->block + p->at;
        p->at += bitmap;
        flags |= STRATA_ENTRY_LARGE;
    }
    if (column->null) {
        *nulls = p->block + p->at;
        p->at += bitmap;
        flags |= STRATA_ENTRY_NULLS;
    }
    return flags;
}

/* Writes the vector of one column, and its bytes into the heap. */
static void pack_column(packer *p, uint32_t c) {
    const column_size *column = &p->size->columns[c];
    st_field field = p->size->layout.fields[c];
    st_packing packing = (st_packing)field.packing;
    uint32_t rows = p->size->rows, width = packing == ST_PACK_BYTES ? p->positions : number_width(column, packing);
    uint8_t *large, *nulls;
    uint32_t flags = place_bitmaps(p, column, &large, &nulls);
    uint8_t *out = p->block + p->at;
    st_store32(p->block + STRATA_BLOCK_HEADER + 4 * (size_t)c, (uint32_t)p->at | width << 16 | flags << 24);
    if (packing == ST_PACK_BYTES) st_store_width(out, width, p->heap);
    for (uint32_t i = 0; i < rows; i++, out += width) {
        cell found = cell_at(p->rows, p->from + i, c, field);
        if (found.null && nulls != NULL) set_bit(nulls, i);
        if (found.large) set_bit(large, i);
        if (packing == ST_PACK_BYTES) {
            if (found.size != 0) memcpy(p->block + p->heap, found.data, found.size);
            p->heap += found.size;
            st_store_width(out + width, width, p->heap);
        } else if (packing == ST_PACK_SIGNED || packing == ST_PACK_UNSIGNED) {
            st_store_width(out, width, found.number);
        } else if (found.data != NULL) {
            memcpy(out, found.data, width);
        }
    }
    p->at += (size_t)width * (packing == ST_PACK_BYTES ? rows + 1 : rows);
}

bool st_block_pack(const st_block_size *size, const st_rows *rows, size_t from, st_buffer *out) {
    size_t total = st_block_size_total(size), bytes;
    if (!st_buffer_reserve(out, total)) return false;
    packer p = { size, rows, from, out->data + out->size, 0, 0, position_width(size) };
    p.heap = vectors_end(size, p.positions, &bytes);
    out->size += total;
    memset(p.block, 0, total);
    pack_header(&p);

    p.at = STRATA_BLOCK_HEADER + 4 * (size_t)size->layout.count;
    uint32_t keys = key_width(size);
    for (uint32_t i = 0; keys != 0 && i < size->rows; i++, p.at += keys)
        st_store_width(p.block + p.at, keys, key_at(rows, from + i) - size->first_key);

    for (uint32_t c = 0; c < size->layout.count; c++) {
        if (size->columns[c].present) pack_column(&p, c);
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
        uint8_t *to = block + strata_entry_offset(strata_block_entry(block, c));
        if (field.nullable) to[-1] = 0;
        cell found = cell_of_row(row, c, field);
        if (field.packing == ST_PACK_BYTES) {
            if (found.large) to[-1 - (int)field.nullable] = 1;
            if (found.size != 0) memcpy(block + end, found.data, found.size);
            st_store32(to, (uint32_t)end);
            end += found.size;
            st_store32(to + 4, (uint32_t)end);
        } else if (field.packing == ST_PACK_SIGNED || field.packing == ST_PACK_UNSIGNED) {
            st_store64(to, found.number);
        } else if (found.data != NULL) {
            memcpy(to, found.data, found.size);
        }
    }
    return end;
}
