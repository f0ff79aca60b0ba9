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

/* Sixteen rows at a time: loops of known length are turned into vector instructions by more compilers. */
enum { STEP = 16 };
#define FILL_RANGE(type, values, rows, low_value, high_value, out)                              \
    do {                                                                                        \
        const type *v_ = (const type *)(values);                                                \
        const type low_ = (type)(low_value), high_ = (type)(high_value);                        \
        uint8_t *out_ = (out);                                                                  \
        uint32_t rows_ = (rows), i_ = 0;                                                        \
        for (; i_ + STEP <= rows_; i_ += STEP) {                                                \
            uint8_t part_[STEP];                                                                \
            for (uint32_t j_ = 0; j_ < STEP; j_++)                                              \
                part_[j_] = (uint8_t)((v_[i_ + j_] >= low_) & (v_[i_ + j_] <= high_));          \
            memcpy(out_ + i_, part_, STEP);                                                     \
        }                                                                                       \
        for (; i_ < rows_; i_++) out_[i_] = (uint8_t)((v_[i_] >= low_) & (v_[i_] <= high_));    \
    } while (0)

static void fill_signed(const st_vector *v, int64_t low, int64_t high, uint8_t *out) {
    static const int64_t least[] = { INT8_MIN, INT16_MIN, 0, INT32_MIN };
    static const int64_t most[] = { INT8_MAX, INT16_MAX, 0, INT32_MAX };
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
    const uint8_t *p = v->values, *w = wanted.data;
    uint32_t from = strata_load16(p), bad = 0, end = (uint32_t)v->size, size = (uint32_t)wanted.size;
    if (wanted.size > v->size) size = UINT32_MAX; /* of no row */
    uint64_t tail = size >= 8 && size != UINT32_MAX ? strata_load64(w + size - 8) : 0;
    for (uint32_t i = 0; i < v->rows; i++) {
        uint32_t to = strata_load16(p + 2 * (size_t)i + 2);
        bool same = to - from == size && to <= end;
        /* Strings that differ often do so at their end. */
        if (same && size >= 8) same = strata_load64(v->block + to - 8) == tail;
        out[i] = same && memcmp(v->block + from, w, size) == 0;
        bad |= (uint32_t)(to < from) | (uint32_t)(to > end);
        from = to;
    }
    return bad == 0;
}

/* The same for the other comparisons of whole strings, at their beginning, end or by their order. */
static bool fill_short_bytes(const st_vector *v, const st_demand *d, uint8_t *out) {
    const uint8_t *p = v->values, *w = d->bytes.data;
    uint32_t from = strata_load16(p), end = (uint32_t)v->size;
    size_t size = d->bytes.size;
    for (uint32_t i = 0; i < v->rows; i++) {
        uint32_t to = strata_load16(p + 2 * (size_t)i + 2);
        if (to < from || to > end) return false;
        const uint8_t *value = v->block + from;
        size_t length = to - from;
        from = to;
        if (d->op == STRATA_BEGINS_WITH) {
            out[i] = length >= size && value[0] == w[0] && memcmp(value, w, size) == 0;
        } else if (d->op == STRATA_ENDS_WITH) {
            out[i] = length >= size && value[length - 1] == w[size - 1] && memcmp(value + length - size, w, size) == 0;
        } else {
            int order = st_compare((strata_bytes){ value, length }, d->bytes);
            out[i] = d->op == STRATA_LESS ? order < 0 : d->op == STRATA_LESS_EQUAL ? order <= 0
                     : d->op == STRATA_GREATER ? order > 0 : order >= 0;
        }
    }
    return true;
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

/* ---- Looking ahead ---------------------------------------------------- */

/* Blocks that were written one after the other mostly follow each other in the file, with their columns in much the
 * same places. Asking for the memory of this column in the next block costs little, and nothing can go wrong if
 * something else is there. */
static void prefetch_next(const st_vector *v) {
    enum { LINE = 64, PAGE = 4096, PAGE_HEADER = 16, MOST = 2048 };
    size_t ahead = (v->size + PAGE_HEADER + PAGE - 1) / PAGE * PAGE;
    const uint8_t *next = v->block + ahead;
    __asm__ volatile("" : : "r"(next)); /* or gcc leaves out the call, whose only effect is on caches */
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
    if (d->op == STRATA_IN || d->kind >= ST_KIND_DECIMAL || v->values == NULL) return false;
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
        else good = fill_short_bytes(v, d, out);
        if (!good) {
            const char *name = query->table->name;
            st_query_fail(query, st_fail(query->error, STRATA_CORRUPT, 0, "a block of %s is damaged", name));
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
        if (!st_query_vector(query, block->block, block->size, test->field, test->path[0].column, &vector)) return;
        prefetch_next(&vector);
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
