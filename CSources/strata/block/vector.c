/* SPDX-License-Identifier: MIT
 * vector.c -- one column of a block. */
#include "block/vector.h"

bool st_vector_open(const uint8_t *block, size_t size, st_field field, uint32_t column, st_vector *out) {
    uint32_t entry = strata_block_entry(block, column), rows = strata_block_rows(block);
    *out = (st_vector){ .block = block, .size = size, .column = column, .rows = rows,
                        .packing = (st_packing)field.packing, .nullable = field.nullable };
    if (entry == 0) return true;
    uint32_t flags = strata_entry_flags(entry);
    size_t offset = strata_entry_offset(entry), bitmap = (rows + 7) / 8;
    size_t cells = field.packing == ST_PACK_BYTES ? (size_t)rows + 1 : rows;
    size_t bitmaps = bitmap * ((flags & STRATA_ENTRY_NULLS ? 1u : 0u) + (flags & STRATA_ENTRY_LARGE ? 1u : 0u));
    out->width = strata_entry_width(entry);
    if (offset + cells * out->width > size || offset < bitmaps) return false;
    out->values = block + offset;
    const uint8_t *before = out->values;
    if ((flags & STRATA_ENTRY_NULLS) != 0) before = out->nulls = before - bitmap;
    if ((flags & STRATA_ENTRY_LARGE) != 0) out->large = before - bitmap;
    return true;
}

/* ---- Numbers ---------------------------------------------------------- */

#define WIDEN(type, target)                                                                     \
    do {                                                                                        \
        const type *values_ = (const type *)(v->values) + from;                                 \
        for (uint32_t i = 0; i < count; i++) out[i] = (target)values_[i];                       \
    } while (0)

void st_vector_ints(const st_vector *v, uint32_t from, uint32_t count, int64_t *out) {
    bool plus = v->packing != ST_PACK_SIGNED;
    if (v->values == NULL) memset(out, 0, count * sizeof *out);
    else if (v->width == 8) memcpy(out, v->values + 8 * (size_t)from, count * sizeof *out);
    else if (v->width == 4 && plus) WIDEN(st_uint32_anywhere, int64_t);
    else if (v->width == 4) WIDEN(st_int32_anywhere, int64_t);
    else if (v->width == 2 && plus) WIDEN(st_uint16_anywhere, int64_t);
    else if (v->width == 2) WIDEN(st_int16_anywhere, int64_t);
    else if (plus) WIDEN(uint8_t, int64_t);
    else WIDEN(int8_t, int64_t);
}

void st_vector_reals(const st_vector *v, uint32_t from, uint32_t count, double *out) {
    if (v->values == NULL) memset(out, 0, count * sizeof *out);
    else if (v->packing == ST_PACK_FLOAT) WIDEN(st_float_anywhere, double);
    else memcpy(out, v->values + 8 * (size_t)from, count * sizeof *out);
}

/* ---- Looking ahead ---------------------------------------------------- */

void st_vector_prefetch(const st_vector *v) {
    enum { LINE = 64, PAGE = 4096, PAGE_HEADER = 16, MOST = 2048 };
    size_t ahead = (v->size + PAGE_HEADER + PAGE - 1) / PAGE * PAGE;
    const uint8_t *next = v->block + ahead;
    __asm__ volatile("" : : "r"(next)); /* otherwise gcc leaves out the call, whose only effect is on caches */
    __builtin_prefetch(next);
    if (v->values == NULL) return;
    size_t from = (size_t)(v->values - v->block), size = (size_t)v->rows * v->width;
    for (size_t at = 0; at < size + LINE && at < MOST; at += LINE) __builtin_prefetch(next + from + at);
    if (v->packing != ST_PACK_BYTES) return;
    uint64_t first = strata_load_unsigned(v->values, v->width);
    uint64_t last = strata_load_unsigned(v->values + (size_t)v->rows * v->width, v->width);
    if (first > v->size || last > v->size) return;
    for (uint64_t at = first; at < last + LINE && at - first < MOST; at += LINE) __builtin_prefetch(next + at);
}
