/* SPDX-License-Identifier: MIT
 * block_size.c -- the size of a block, before it is packed. */
#include "block/block_size.h"

#include <stdlib.h>

#include "base/bits.h"
#include "block/block_span.h"

st_block_size *st_block_size_make(const st_layout *layout) {
    st_block_size *size = calloc(1, sizeof *size + 2 * layout->count * sizeof size->columns[0]);
    if (size == NULL) return NULL;
    size->layout = *layout;
    size->before = size->columns + layout->count;
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

/* ---- Rows of blocks --------------------------------------------------- */

static inline uint64_t magnitude_of(uint64_t number, bool is_signed) {
    return is_signed ? number ^ (uint64_t)((int64_t)number >> 63) : number;
}

/* Adds a number. True if it is not 0. */
static inline bool add_number(st_column_size *column, uint64_t number, bool is_signed) {
    column->magnitude |= magnitude_of(number, is_signed);
    return number != 0;
}

/* Adds numbers. True if some are not 0. Inlined, so that the compiler knows `width`. */
static inline bool add_numbers(st_column_size *column, const uint8_t *p, uint32_t width, size_t count,
                                bool is_signed) {
    uint64_t any = 0, magnitude = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t number = is_signed ? (uint64_t)strata_load_signed(p + i * width, width)
                                    : strata_load_unsigned(p + i * width, width);
        any |= number;
        magnitude |= magnitude_of(number, is_signed);
    }
    column->magnitude |= magnitude;
    return any != 0;
}

static inline bool measure_numbers(st_column_size *column, const st_span *span, bool is_signed) {
    const uint8_t *p = st_span_vector(span);
    uint32_t width = strata_entry_width(span->entry);
    if (span->count == 1 && width == 8) return add_number(column, strata_load64(p), is_signed); /* in a pending row */
    switch (width) {
    case 8: return add_numbers(column, p, 8, span->count, is_signed);
    case 4: return add_numbers(column, p, 4, span->count, is_signed);
    case 2: return add_numbers(column, p, 2, span->count, is_signed);
    case 1: return add_numbers(column, p, 1, span->count, is_signed);
    default: return false;
    }
}

static bool measure_bytes(st_column_size *column, const st_span *span) {
    uint32_t width = strata_entry_width(span->entry);
    const uint8_t *positions = st_span_vector(span);
    uint64_t bytes = strata_load_unsigned(positions + (size_t)span->count * width, width) -
                     strata_load_unsigned(positions, width);
    column->bytes += bytes;
    if ((strata_entry_flags(span->entry) & STRATA_ENTRY_LARGE) != 0)
        for (uint32_t i = 0; i < span->count && !column->large; i++)
            column->large = strata_block_large(span->block, span->entry, span->slot + i);
    return bytes != 0;
}

static void measure_span(st_column_size *column, st_field field, const st_span *span) {
    uint32_t nulls = field.nullable ? st_span_nulls(span) : 0;
    st_packing packing = (st_packing)field.packing;
    bool used = false;
    if (nulls != 0) column->null = true;
    if (nulls == span->count || span->entry == 0) return;
    switch (packing) {
    case ST_PACK_NONE: return;
    case ST_PACK_SIGNED:
    case ST_PACK_UNSIGNED: used = measure_numbers(column, span, packing == ST_PACK_SIGNED); break;
    case ST_PACK_BYTES: used = measure_bytes(column, span); break;
    case ST_PACK_FLOAT:
    case ST_PACK_DOUBLE:
    case ST_PACK_16:
    case ST_PACK_12:
        used = column->present || !all_zero(st_span_vector(span), (size_t)span->count * st_packing_size(packing));
        break;
    }
    if (field.nullable || used) column->present = true;
}

static void measure_refs(st_block_size *size, const st_row_ref *rows, size_t count) {
    for (uint32_t length; count > 0; rows += length, count -= length) {
        length = st_span_length(rows, count);
        for (uint32_t c = 0; c < size->layout.count; c++) {
            st_span span = st_span_of(rows, length, c);
            measure_span(&size->columns[c], size->layout.fields[c], &span);
        }
    }
}

/* ---- Values ----------------------------------------------------------- */

static void measure_value(st_column_size *column, st_field field, const strata_value *value) {
    st_cell cell = st_cell_of_value(value, field);
    bool used = false;
    if (cell.null) {
        column->null = column->null || field.nullable; /* a link that is null is stored as 0 */
        return;
    }
    switch ((st_packing)field.packing) {
    case ST_PACK_NONE: return;
    case ST_PACK_SIGNED:
    case ST_PACK_UNSIGNED: used = add_number(column, cell.number, field.packing == ST_PACK_SIGNED); break;
    case ST_PACK_BYTES:
        column->bytes += cell.size;
        column->large = column->large || cell.large;
        used = cell.size != 0;
        break;
    case ST_PACK_FLOAT:
    case ST_PACK_DOUBLE:
    case ST_PACK_16:
    case ST_PACK_12: used = column->present || !all_zero(cell.data, cell.size); break;
    }
    if (field.nullable || used) column->present = true;
}

static void measure_values(st_block_size *size, const strata_value *const *columns, size_t from, size_t count) {
    for (uint32_t c = 0; c < size->layout.count; c++)
        for (size_t i = from; i < from + count; i++)
            measure_value(&size->columns[c], size->layout.fields[c], &columns[c][i]);
}

/* ---- Adding ----------------------------------------------------------- */

void st_block_size_add_rows(st_block_size *size, const st_rows *rows, size_t from, size_t count) {
    if (count == 0) return;
    if (size->rows == 0) size->first_key = st_rows_key(rows, from);
    size->last_key = st_rows_key(rows, from + count - 1);
    size->rows += (uint32_t)count;
    if (rows->refs != NULL) measure_refs(size, rows->refs + from, count);
    else measure_values(size, rows->columns, from, count);
}

static void save(st_block_size *size) {
    memcpy(size->before, size->columns, size->layout.count * sizeof size->columns[0]);
    size->rows_before = size->rows;
}

static void restore(st_block_size *size, const st_rows *rows, size_t from) {
    memcpy(size->columns, size->before, size->layout.count * sizeof size->columns[0]);
    size->rows = size->rows_before;
    if (size->rows != 0) size->last_key = st_rows_key(rows, from + size->rows - 1);
}

size_t st_block_size_fill(st_block_size *size, const st_rows *rows, size_t from, size_t count, size_t limit) {
    enum { FIRST_STEP = 16 };
    size_t too_many = (count < UINT16_MAX ? count : UINT16_MAX) + 1;
    st_block_size_reset(size);
    for (size_t step = FIRST_STEP; size->rows + 1 < too_many;) {
        if (step >= too_many - size->rows) step = too_many - size->rows - 1;
        save(size);
        st_block_size_add_rows(size, rows, from + size->rows, step);
        size_t total = st_block_size_total(size);
        if (total <= limit) {
            step = (limit - total) * size->rows / total; /* a guess: as if the other rows were like these */
            if (step == 0) step = 1;
        } else {
            too_many = size->rows;
            restore(size, rows, from);
            step = (step + 1) / 2;
        }
    }
    if (size->rows == 0) st_block_size_add_rows(size, rows, from, 1);
    return size->rows;
}

/* ---- Totals ----------------------------------------------------------- */

uint32_t st_block_key_width(const st_block_size *size) {
    uint64_t span = size->last_key - size->first_key;
    return span + 1 == size->rows ? 0 : st_width_unsigned(span);
}

uint32_t st_block_number_width(const st_column_size *column, st_packing packing) {
    if (packing == ST_PACK_UNSIGNED) return st_width_unsigned(column->magnitude);
    if (packing == ST_PACK_SIGNED) return st_width_signed((int64_t)column->magnitude);
    return st_packing_size(packing);
}

size_t st_block_vectors_end(const st_block_size *size, uint32_t position_width, size_t *bytes) {
    size_t bitmap = (size->rows + 7) / 8;
    size_t end = STRATA_BLOCK_HEADER + 4 * (size_t)size->layout.count + (size_t)st_block_key_width(size) * size->rows;
    *bytes = 0;
    for (uint32_t c = 0; c < size->layout.count; c++) {
        const st_column_size *column = &size->columns[c];
        if (!column->present) continue;
        st_packing packing = (st_packing)size->layout.fields[c].packing;
        end += bitmap * ((size_t)column->null + column->large);
        if (packing == ST_PACK_BYTES) {
            end += (size_t)position_width * (size->rows + 1);
            *bytes += column->bytes;
        } else {
            end += (size_t)st_block_number_width(column, packing) * size->rows;
        }
    }
    return end;
}

enum { WORD_REST = 7 }; /* bytes after the end of a vector that may be read when its last bytes are loaded as a word */

static size_t total_with(const st_block_size *size, uint32_t position_width) {
    size_t bytes, end = st_block_vectors_end(size, position_width, &bytes);
    return end + (bytes > WORD_REST ? bytes : WORD_REST);
}

/* Positions have 2 bytes if that is enough for every byte of the block. */
uint32_t st_block_position_width(const st_block_size *size) { return total_with(size, 2) <= UINT16_MAX ? 2 : 4; }

size_t st_block_size_total(const st_block_size *size) {
    size_t total = total_with(size, 2);
    return total <= UINT16_MAX ? total : total_with(size, 4);
}
