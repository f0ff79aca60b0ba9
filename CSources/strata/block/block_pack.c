/* SPDX-License-Identifier: MIT
 * block_pack.c -- packing rows into a block that was measured. */
#include "block/block_pack.h"

#include "base/bits.h"
#include "block/block_span.h"

/* What is being packed, and where it goes. */
typedef struct block_packer {
    const st_block_size *size;
    const st_rows *rows;
    size_t from;
    uint8_t *block;
    size_t at;          /* where the next vector goes */
    size_t heap;        /* where the next bytes go */
    uint32_t positions; /* the width of positions */
} block_packer;

/* A column being packed. */
typedef struct packed_column {
    st_packing packing;
    uint32_t width;
    uint8_t *large, *nulls; /* bitmaps; NULL where there is none */
    uint8_t *out;           /* the vector */
} packed_column;

static void set_bit(uint8_t *bitmap, uint32_t i) { bitmap[i / 8] = (uint8_t)(bitmap[i / 8] | 1u << i % 8); }

static void pack_header(const block_packer *p, size_t total) {
    uint8_t *block = p->block;
    block[0] = STRATA_BLOCK_FORMAT;
    st_store16(block + 2, (uint16_t)p->size->rows);
    st_store16(block + 4, (uint16_t)p->size->layout.count);
    block[6] = (uint8_t)st_block_key_width(p->size);
    st_store64(block + 8, p->size->first_key);
    st_store32(block + 16, (uint32_t)total);
}

/* ---- Rows of blocks --------------------------------------------------- */

/* Packs the nulls of a span. True if all of its cells are null. */
static bool pack_nulls(const packed_column *v, const st_span *span, uint32_t at) {
    uint32_t nulls = 0;
    if (span->count == 1) {
        bool null = strata_block_null(span->block, span->entry, span->slot);
        if (null) set_bit(v->nulls, at);
        return null;
    }
    for (uint32_t i = 0, step; i < span->count; i += step) {
        step = st_span_null_step(span, i);
        uint64_t bits = st_span_null_bits(span, i, step);
        uint8_t *word = v->nulls + (at + i) / 8; /* may reach into the vector, but adds only zeros there */
        if (bits != 0) st_store64(word, strata_load64(word) | bits << (at + i) % 8);
        nulls += (uint32_t)__builtin_popcountll(bits);
    }
    return nulls == span->count;
}

static void pack_numbers(const packed_column *v, const st_span *span, uint8_t *out) {
    const uint8_t *from = st_span_vector(span);
    uint32_t width = strata_entry_width(span->entry);
    if (width == v->width && (span->count > 1 || width > 8)) { /* for a single number memcpy() would cost more */
        memcpy(out, from, (size_t)width * span->count);
        return;
    }
    for (uint32_t i = 0; i < span->count; i++, from += width, out += v->width) {
        uint64_t number = v->packing == ST_PACK_SIGNED ? (uint64_t)strata_load_signed(from, width)
                                                       : strata_load_unsigned(from, width);
        st_store_width(out, v->width, number);
    }
}

/* Copies positions of two bytes, moved by a distance. Nearly all positions have two bytes. */
static void move_positions(const uint8_t *from, uint32_t count, uint16_t distance, uint8_t *out) {
    for (uint32_t i = 0; i < count; i++)
        st_store16(out + 2 * (size_t)i, (uint16_t)(strata_load16(from + 2 * (size_t)i) + distance));
}

static void pack_bytes(block_packer *p, const packed_column *v, const st_span *span, uint32_t at) {
    uint32_t width = strata_entry_width(span->entry);
    const uint8_t *positions = st_span_vector(span);
    uint64_t begin = strata_load_unsigned(positions, width), end = begin;
    uint8_t *out = v->out + (size_t)at * v->width;
    if (width == 2 && v->width == 2) {
        move_positions(positions + 2, span->count, (uint16_t)(p->heap - begin), out + 2);
        end = strata_load16(positions + 2 * (size_t)span->count);
    } else for (uint32_t i = 0; i < span->count; i++) {
        end = strata_load_unsigned(positions + (size_t)(i + 1) * width, width);
        out += v->width;
        st_store_width(out, v->width, p->heap + (end - begin));
    }
    memcpy(p->block + p->heap, span->block + begin, end - begin);
    p->heap += end - begin;
    if ((strata_entry_flags(span->entry) & STRATA_ENTRY_LARGE) == 0) return;
    for (uint32_t i = 0; i < span->count; i++)
        if (strata_block_large(span->block, span->entry, span->slot + i)) set_bit(v->large, at + i);
}

/* Packs cells without bytes: nulls, and those of a column that their block does not have. They need positions, too. */
static void pack_absent(const block_packer *p, const packed_column *v, uint32_t count, uint32_t at) {
    if (v->packing != ST_PACK_BYTES) return;
    for (uint32_t i = 1; i <= count; i++) st_store_width(v->out + (size_t)(at + i) * v->width, v->width, p->heap);
}

static void pack_refs(block_packer *p, const packed_column *v, uint32_t column) {
    const st_row_ref *rows = p->rows->refs + p->from;
    uint32_t count = p->size->rows, length;
    for (uint32_t at = 0; at < count; at += length) {
        length = st_span_length(rows + at, count - at);
        st_span span = st_span_of(rows + at, length, column);
        bool absent = v->nulls != NULL && pack_nulls(v, &span, at);
        if (absent || span.entry == 0) pack_absent(p, v, length, at);
        else if (v->packing == ST_PACK_BYTES) pack_bytes(p, v, &span, at);
        else pack_numbers(v, &span, v->out + (size_t)at * v->width);
    }
}

/* ---- Values ----------------------------------------------------------- */

static void pack_values(block_packer *p, const packed_column *v, st_field field, const strata_value *values) {
    uint8_t *out = v->out;
    for (uint32_t i = 0; i < p->size->rows; i++, out += v->width) {
        st_cell cell = st_cell_of_value(&values[i], field);
        if (cell.null && v->nulls != NULL) set_bit(v->nulls, i);
        if (cell.large) set_bit(v->large, i);
        if (v->packing == ST_PACK_BYTES) {
            if (cell.size != 0) memcpy(p->block + p->heap, cell.data, cell.size);
            p->heap += cell.size;
            st_store_width(out + v->width, v->width, p->heap);
        } else if (v->packing == ST_PACK_SIGNED || v->packing == ST_PACK_UNSIGNED) {
            st_store_width(out, v->width, cell.number);
        } else if (cell.data != NULL) {
            memcpy(out, cell.data, v->width);
        }
    }
}

/* ---- Columns ---------------------------------------------------------- */

/* Reserves a bitmap. NULL if there is to be none. */
static uint8_t *reserve_bitmap(block_packer *p, bool wanted) {
    uint8_t *out = p->block + p->at;
    if (!wanted) return NULL;
    p->at += (p->size->rows + 7) / 8;
    return out;
}

/* Packs one column: its vector, and its bytes into the heap. */
static void pack_column(block_packer *p, uint32_t c) {
    const st_column_size *column = &p->size->columns[c];
    st_field field = p->size->layout.fields[c];
    packed_column v = { .packing = (st_packing)field.packing };
    bool bytes = v.packing == ST_PACK_BYTES;
    v.width = bytes ? p->positions : st_block_number_width(column, v.packing);
    v.large = reserve_bitmap(p, column->large);
    v.nulls = reserve_bitmap(p, column->null);
    v.out = p->block + p->at;
    uint32_t flags = (column->large ? STRATA_ENTRY_LARGE : 0u) | (column->null ? STRATA_ENTRY_NULLS : 0u);
    st_store32(p->block + STRATA_BLOCK_HEADER + 4 * (size_t)c, (uint32_t)p->at | v.width << 16 | flags << 24);
    if (bytes) st_store_width(v.out, v.width, p->heap);
    if (p->rows->refs != NULL) pack_refs(p, &v, c);
    else pack_values(p, &v, field, p->rows->columns[c] + p->from);
    p->at += (size_t)v.width * (bytes ? p->size->rows + 1 : p->size->rows);
}

bool st_block_pack(const st_block_size *size, const st_rows *rows, size_t from, st_buffer *out) {
    size_t total = st_block_size_total(size), bytes;
    if (!st_buffer_reserve(out, total)) return false;
    block_packer p = { size, rows, from, out->data + out->size, 0, 0, st_block_position_width(size) };
    p.heap = st_block_vectors_end(size, p.positions, &bytes);
    out->size += total;
    memset(p.block, 0, p.heap);
    memset(p.block + p.heap + bytes, 0, total - p.heap - bytes);
    pack_header(&p, total);

    p.at = STRATA_BLOCK_HEADER + 4 * (size_t)size->layout.count;
    uint32_t keys = st_block_key_width(size);
    for (uint32_t i = 0; keys != 0 && i < size->rows; i++, p.at += keys)
        st_store_width(p.block + p.at, keys, st_rows_key(rows, from + i) - size->first_key);

    for (uint32_t c = 0; c < size->layout.count; c++) {
        if (size->columns[c].present) pack_column(&p, c);
    }
    return true;
}
