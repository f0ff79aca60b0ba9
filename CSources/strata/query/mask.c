/* SPDX-License-Identifier: MIT
 *
 * mask.c -- the condition over all rows of a block at once.
 *
 * A mask has a byte per row, 0 or 1. Loops over numbers look at every row and have no branches, so that compilers
 * turn them into vector instructions; dearer tests look only at rows that can still matter, the active ones.
 */
#include <stdlib.h>

#include "base/status.h"
#include "query/query.h"

/* ---- Numbers ---------------------------------------------------------- */

/* Numbers of a block are not aligned. */
typedef int16_t __attribute__((aligned(1), may_alias)) int16_anywhere;
typedef int32_t __attribute__((aligned(1), may_alias)) int32_anywhere;
typedef int64_t __attribute__((aligned(1), may_alias)) int64_anywhere;
typedef uint16_t __attribute__((aligned(1), may_alias)) uint16_anywhere;
typedef uint32_t __attribute__((aligned(1), may_alias)) uint32_anywhere;
typedef float __attribute__((aligned(1), may_alias)) float_anywhere;
typedef double __attribute__((aligned(1), may_alias)) double_anywhere;

/* Narrows a range to what a type can hold. False if nothing is left. */
static bool narrow(int64_t *low, int64_t *high, int64_t least, int64_t most) {
    if (*low < least) *low = least;
    if (*high > most) *high = most;
    return *low <= *high;
}

#define FILL_RANGE(type, values, rows, low_value, high_value, out)                      \
    do {                                                                                \
        const type *v_ = (const type *)(values);                                        \
        const type low_ = (type)(low_value), high_ = (type)(high_value);                \
        for (uint32_t i_ = 0; i_ < (rows); i_++) (out)[i_] = (uint8_t)((v_[i_] >= low_) & (v_[i_] <= high_)); \
    } while (0)

static void fill_signed(const st_vector *v, int64_t low, int64_t high, uint8_t *out) {
    static const int64_t least[] = { INT8_MIN, INT16_MIN, 0, INT32_MIN }, most[] = { INT8_MAX, INT16_MAX, 0, INT32_MAX };
    if (v->width < 8 && !narrow(&low, &high, least[v->width - 1], most[v->width - 1])) memset(out, 0, v->rows);
    else if (v->width == 1) FILL_RANGE(int8_t, v->values, v->rows, low, high, out);
    else if (v->width == 2) FILL_RANGE(int16_anywhere, v->values, v->rows, low, high, out);
    else if (v->width == 4) FILL_RANGE(int32_anywhere, v->values, v->rows, low, high, out);
    else FILL_RANGE(int64_anywhere, v->values, v->rows, low, high, out);
}

static void fill_unsigned(const st_vector *v, int64_t low, int64_t high, uint8_t *out) {
    int64_t most = v->width == 8 ? INT64_MAX : ((int64_t)1 << 8 * v->width) - 1;
    if (!narrow(&low, &high, 0, most)) memset(out, 0, v->rows);
    else if (v->width == 1) FILL_RANGE(uint8_t, v->values, v->rows, low, high, out);
    else if (v->width == 2) FILL_RANGE(uint16_anywhere, v->values, v->rows, low, high, out);
    else if (v->width == 4) FILL_RANGE(uint32_anywhere, v->values, v->rows, low, high, out);
    else FILL_RANGE(int64_anywhere, v->values, v->rows, low, high, out); /* object keys have 48 bits */
}

/* A float is compared as a double, which it equals exactly. */
static void fill_float(const st_vector *v, double low, double high, uint8_t *out) {
    const float_anywhere *values = (const float_anywhere *)v->values;
    for (uint32_t i = 0; i < v->rows; i++) out[i] = (uint8_t)(((double)values[i] >= low) & ((double)values[i] <= high));
}

/* ---- Bytes ------------------------------------------------------------ */

/* The common case of strings: positions of 2 bytes, all bytes in the block. False if the block is damaged. */
static bool fill_equal(const st_vector *v, strata_bytes wanted, uint8_t *out) {
    const uint8_t *p = v->values;
    uint32_t from = strata_load16(p);
    bool good = true;
    size_t size = wanted.size;
    const uint8_t *w = wanted.data;
    uint64_t tail = size >= 8 ? strata_load64(w + size - 8) : 0;
    for (uint32_t i = 0; i < v->rows; i++) {
        uint32_t to = strata_load16(p + 2 * (size_t)i + 2);
        good &= (from <= to) & (to <= v->size);
        out[i] = 0;
        if (to - from == size && good) {
            /* Strings that differ often do so at their end. */
            if (size >= 8) out[i] = strata_load64(v->block + to - 8) == tail && memcmp(v->block + from, w, size) == 0;
            else out[i] = memcmp(v->block + from, w, size) == 0;
        }
        from = to;
    }
    return good;
}

/* The strings of a column lie one behind the other: they are searched as one, and a find is one if it lies within
 * a row. False if the block is damaged. */
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
        } else {
            at++;
        }
    }
    return true;
}

/* ---- One comparison --------------------------------------------------- */

/* Gives nulls their answer and turns the others round if need be. */
static void finish(const st_demand *demand, const st_vector *v, uint8_t *out) {
    uint8_t answer = st_demand_null(demand);
    if (demand->negate) {
        for (uint32_t i = 0; i < v->rows; i++) out[i] ^= 1;
    }
    if (v->nulls == NULL) return;
    for (uint32_t byte = 0; byte < (v->rows + 7) / 8; byte++) {
        for (unsigned bits = v->nulls[byte]; bits != 0; bits &= bits - 1) {
            uint32_t row = 8 * byte + (uint32_t)__builtin_ctz(bits);
            if (row < v->rows) out[row] = answer;
        }
    }
}

/* Tests whole vectors. False if this comparison has to go row by row. */
static bool fill_fast(st_query *query, const st_test *test, const st_vector *v, uint8_t *out) {
    const st_demand *d = &test->demand;
    if (d->op == STRATA_IN || v->values == NULL) return false;
    if (d->kind == ST_KIND_INT) {
        if (v->packing == ST_PACK_SIGNED) {
            fill_signed(v, d->low, d->high, out);
        } else if (!d->null_matches) {
            /* 0, no link, is in no range that is asked for: ranges of links hold one key. */
            fill_unsigned(v, d->low, d->high, out);
        } else {
            fill_unsigned(v, 0, 0, out);
        }
    } else if (d->kind == ST_KIND_REAL) {
        if (v->packing == ST_PACK_FLOAT) fill_float(v, d->real_low, d->real_high, out);
        else FILL_RANGE(double_anywhere, v->values, v->rows, d->real_low, d->real_high, out);
    } else {
        if (v->packing != ST_PACK_BYTES || v->width != 2 || v->large != NULL || d->fold) return false;
        bool good = true;
        if (d->op == STRATA_EQUAL) good = fill_equal(v, d->bytes, out);
        else if (d->op == STRATA_CONTAINS) good = fill_contains(v, d->bytes, out);
        else if (d->op == STRATA_FALSE) memset(out, 0, v->rows);
        else return false;
        if (!good) {
            st_query_fail(query, st_fail(query->error, STRATA_CORRUPT, 0, "a block of %s is damaged", query->table->name));
        }
    }
    finish(d, v, out);
    return true;
}

static void fill_comparison(st_query *query, const st_test *test, const st_place *block, const uint8_t *active,
                            uint8_t *out) {
    uint32_t rows = strata_block_rows(block->block);
    bool direct = test->path_length == 1 && test->column->collection == STRATA_SINGLE;
    st_vector vector;
    if (direct) {
        if (!st_query_vector(query, block->block, block->size, test->field, test->path[0], &vector)) return;
        if (fill_fast(query, test, &vector, out)) return;
    }
    st_place place = *block;
    for (uint32_t i = 0; i < rows && query->status == STRATA_OK; i++) {
        place.slot = i;
        out[i] = 0;
        if (active != NULL && !active[i]) continue;
        out[i] = direct ? st_query_match_cell(query, test, &vector, i) : st_query_match(query, test, &place);
    }
}

/* ---- The whole condition ---------------------------------------------- */

static bool any_set(const uint8_t *mask, uint32_t rows) {
    uint8_t any = 0;
    for (uint32_t i = 0; i < rows; i++) any |= mask[i];
    return any != 0;
}

/* Fills `out` for the active rows (NULL: all); what it says of others is not looked at. Masks from `level` on are
 * free. */
static void fill(st_query *query, const st_test *test, const st_place *block, const uint8_t *active, uint8_t *out,
                 uint32_t level) {
    uint32_t rows = strata_block_rows(block->block);
    uint8_t *part = query->masks + (size_t)level * query->mask_size, *rest = part + query->mask_size;
    switch (test->op) {
    case STRATA_TRUE:
    case STRATA_FALSE: memset(out, test->op == STRATA_TRUE, rows); break;
    case STRATA_NOT:
        fill(query, test->children[0], block, active, out, level);
        for (uint32_t i = 0; i < rows; i++) out[i] ^= 1;
        break;
    case STRATA_AND:
        if (active == NULL) memset(out, 1, rows);
        else memcpy(out, active, rows);
        for (uint32_t c = 0; c < test->child_count && query->status == STRATA_OK; c++) {
            if (c > 0 && !any_set(out, rows)) break;
            fill(query, test->children[c], block, c == 0 ? active : out, part, level + 1);
            for (uint32_t i = 0; i < rows; i++) out[i] &= part[i];
        }
        break;
    case STRATA_OR:
        memset(out, 0, rows);
        if (active == NULL) memset(rest, 1, rows);
        else memcpy(rest, active, rows);
        for (uint32_t c = 0; c < test->child_count && query->status == STRATA_OK; c++) {
            if (c > 0 && !any_set(rest, rows)) break;
            fill(query, test->children[c], block, rest, part, level + 2);
            for (uint32_t i = 0; i < rows; i++) out[i] |= part[i] & rest[i];
            for (uint32_t i = 0; i < rows; i++) rest[i] &= (uint8_t)!out[i];
        }
        break;
    default: fill_comparison(query, test, block, active, out); break;
    }
}

const uint8_t *st_query_mask(st_query *query, const uint8_t *block, size_t size) {
    uint32_t rows = strata_block_rows(block);
    if (rows > query->mask_size) {
        size_t wanted = ((size_t)rows + 63) & ~(size_t)63;
        free(query->masks);
        query->masks = malloc(wanted * (query->mask_count + 1));
        query->mask_size = query->masks == NULL ? 0 : wanted;
        if (query->masks == NULL) {
            st_query_fail(query, st_no_memory(query->error, "running a query"));
            return NULL;
        }
    }
    st_place place = { block, size, 0 };
    uint8_t *out = query->masks;
    if (query->condition == NULL) memset(out, 1, rows);
    else fill(query, query->condition, &place, NULL, out, 1);
    return query->status == STRATA_OK ? out : NULL;
}
