/* SPDX-License-Identifier: MIT
 * selection_bytes.c -- columns of strings and data against constants, a whole block at once. */
#include "condition/selection_bytes.h"

#include "text/find.h"
#include "text/text.h"

/* All of these are for the common case: the positions of strings have 2 bytes, and all strings lie in the block. They
 * return false if the block is damaged. */

/* Strings that are equal to a constant. */
static bool fill_equal(const st_vector *v, strata_bytes wanted, uint8_t *out) {
    const uint8_t *p = v->values, *w = wanted.data;
    bool fits = wanted.size <= v->size;
    uint32_t from = strata_load16(p), bad = 0, end = (uint32_t)v->size, size = fits ? (uint32_t)wanted.size : 0;
    uint64_t tail = size >= 8 ? strata_load64(w + size - 8) : 0;
    for (uint32_t i = 0; i < v->rows; i++) {
        uint32_t to = strata_load16(p + 2 * (size_t)i + 2);
        bool same = fits && to - from == size && to <= end;
        /* Strings that differ often differ at their end. */
        if (same && size >= 8) same = strata_load64(v->block + to - 8) == tail;
        out[i] = same && memcmp(v->block + from, w, size) == 0;
        bad |= (uint32_t)(to < from) | (uint32_t)(to > end);
        from = to;
    }
    return bad == 0;
}

/* The other comparisons, string by string: searches at the beginning or the end, patterns and orders. */
static bool fill_short_bytes(const st_vector *v, const st_comparison *c, uint8_t *out) {
    const uint8_t *p = v->values, *w = c->bytes.data;
    uint32_t from = strata_load16(p), end = (uint32_t)v->size;
    size_t size = c->bytes.size;
    for (uint32_t i = 0; i < v->rows; i++) {
        uint32_t to = strata_load16(p + 2 * (size_t)i + 2);
        if (to < from || to > end) return false;
        const uint8_t *value = v->block + from;
        size_t length = to - from;
        from = to;
        if (c->op == STRATA_BEGINS_WITH) {
            out[i] = length >= size && value[0] == w[0] && memcmp(value, w, size) == 0;
        } else if (c->op == STRATA_ENDS_WITH) {
            out[i] = length >= size && value[length - 1] == w[size - 1] && memcmp(value + length - size, w, size) == 0;
        } else if (c->op == STRATA_LIKE) {
            out[i] = st_search(STRATA_LIKE, (strata_bytes){ value, length }, c->bytes, c->code_points);
        } else {
            int order = st_compare((strata_bytes){ value, length }, c->bytes);
            out[i] = c->op == STRATA_LESS ? order < 0 : c->op == STRATA_LESS_EQUAL ? order <= 0
                     : c->op == STRATA_GREATER ? order > 0 : order >= 0;
        }
    }
    return true;
}

/* The strings of a column lie one behind the other, so that they are searched as one. An occurrence counts if it lies
 * within a single row. If it does not, no later one in the row where it begins does, and none in a row that is too
 * short. */
static bool fill_contains(const st_vector *v, strata_bytes wanted, uint8_t *out) {
    const uint8_t *p = v->values;
    uint32_t before = strata_load16(p);
    bool good = true;
    for (uint32_t i = 1; i <= v->rows; i++) {
        uint32_t position = strata_load16(p + 2 * (size_t)i);
        good &= before <= position;
        before = position;
    }
    if (!good || before > v->size) return false;
    memset(out, 0, v->rows);
    uint32_t row = 0;
    const uint8_t *at = v->block + strata_load16(p), *end = v->block + before;
    while (at < end && (at = st_find_bytes(at, (size_t)(end - at), wanted)) != NULL) {
        size_t offset = (size_t)(at - v->block);
        while (strata_load16(p + 2 * (size_t)row + 2) <= offset) row++;
        uint32_t to = strata_load16(p + 2 * (size_t)row + 2);
        if (offset + wanted.size <= to) {
            out[row] = 1;
            at = v->block + to;
            continue;
        }
        uint32_t start;
        do { /* the next row that is long enough */
            start = to;
            if (++row == v->rows) return true;
            to = strata_load16(p + 2 * (size_t)row + 2);
        } while (to - start < wanted.size);
        at = v->block + start;
    }
    return true;
}

/* Folds the strings of a column all at once; in `out` they have the positions that they have in the block. False if the
 * block is damaged or there is no memory: then the rows are compared one by one, which finds out. */
static bool fold_column(const st_vector *v, st_buffer *folded, st_vector *out) {
    uint32_t from = strata_load16(v->values), to = strata_load16(v->values + 2 * (size_t)v->rows);
    folded->size = 0;
    if (from > to || to > v->size || !st_buffer_reserve(folded, to)) return false;
    st_fold(v->block + from, to - from, folded->data + from);
    *out = *v;
    out->block = folded->data;
    out->size = to;
    return true;
}

bool st_select_bytes(const st_comparison *c, const st_vector *v, st_buffer *folded, uint8_t *out, bool *damaged) {
    st_vector lower;
    bool good = true;
    if (c->op == STRATA_IN || c->fold > STRATA_CASE_INSENSITIVE || v->values == NULL) return false;
    if (v->packing != ST_PACK_BYTES || v->width != 2 || v->large != NULL) return false;
    if (c->fold != 0) {
        if (!fold_column(v, folded, &lower)) return false;
        v = &lower;
    }
    if (c->op == STRATA_EQUAL) good = fill_equal(v, c->bytes, out);
    else if (c->op == STRATA_CONTAINS) good = fill_contains(v, c->bytes, out);
    else if (c->op == STRATA_FALSE) memset(out, 0, v->rows);
    else good = fill_short_bytes(v, c, out);
    *damaged = !good;
    return true;
}
