/* SPDX-License-Identifier: MIT
 *
 * selection_numbers.c -- columns of numbers against constants or against each other, a whole block at once.
 *
 * Loops look at every row and have no branches, so that compilers turn them into vector instructions.
 */
#include "condition/selection_numbers.h"

#include "value/operator.h"

/* ---- Ranges ----------------------------------------------------------- */

/* Narrows a range to what a type can hold. False if nothing is left of it. */
static bool narrow(int64_t *low, int64_t *high, int64_t least, int64_t most) {
    if (*low < least) *low = least;
    if (*high > most) *high = most;
    return *low <= *high;
}

/* Sixteen rows at a time: more compilers turn loops of a fixed length into vector instructions. */
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
    else if (v->width == 2) FILL_RANGE(st_int16_anywhere, v->values, v->rows, low, high, out);
    else if (v->width == 4) FILL_RANGE(st_int32_anywhere, v->values, v->rows, low, high, out);
    else FILL_RANGE(st_int64_anywhere, v->values, v->rows, low, high, out);
}

static void fill_unsigned(const st_vector *v, int64_t low, int64_t high, uint8_t *out) {
    int64_t most = v->width == 8 ? INT64_MAX : ((int64_t)1 << 8 * v->width) - 1;
    if (!narrow(&low, &high, 0, most)) memset(out, 0, v->rows);
    else if (v->width == 1) FILL_RANGE(uint8_t, v->values, v->rows, low, high, out);
    else if (v->width == 2) FILL_RANGE(st_uint16_anywhere, v->values, v->rows, low, high, out);
    else if (v->width == 4) FILL_RANGE(st_uint32_anywhere, v->values, v->rows, low, high, out);
    else FILL_RANGE(st_int64_anywhere, v->values, v->rows, low, high, out); /* object keys have 48 bits */
}

/* A float is compared as the double that is equal to it. */
static void fill_float(const st_vector *v, double low, double high, uint8_t *out) {
    const st_float_anywhere *values = (const st_float_anywhere *)v->values;
    for (uint32_t i = 0; i < v->rows; i++) out[i] = (uint8_t)(((double)values[i] >= low) & ((double)values[i] <= high));
}

static bool fill_range(const st_comparison *c, const st_vector *v, uint8_t *out) {
    if (c->kind == ST_KIND_REAL) {
        if (v->packing == ST_PACK_FLOAT) fill_float(v, c->real_low, c->real_high, out);
        else FILL_RANGE(st_double_anywhere, v->values, v->rows, c->real_low, c->real_high, out);
    } else if (v->packing == ST_PACK_SIGNED) {
        fill_signed(v, c->low, c->high, out);
    } else if (!c->null_matches) {
        /* The links that are null are 0 here. No range has 0 in it, as ranges of links are of one key. */
        fill_unsigned(v, c->low, c->high, out);
    } else {
        fill_unsigned(v, 0, 0, out);
    }
    return true;
}

/* ---- Sets ------------------------------------------------------------- */

enum { BATCH = 256 };

/* A small set is gone through number by number, each for all rows; in others each row is looked up. */
static bool fill_set(const st_comparison *c, const st_vector *v, uint8_t *out) {
    int64_t ints[BATCH];
    double reals[BATCH];
    bool few = c->set_size <= ST_FEW, real = c->kind == ST_KIND_REAL;
    for (uint32_t from = 0; from < v->rows; from += BATCH, out += BATCH) {
        uint32_t count = v->rows - from < BATCH ? v->rows - from : BATCH;
        if (real) st_vector_reals(v, from, count, reals);
        else st_vector_ints(v, from, count, ints);
        if (few) memset(out, 0, count);
        for (size_t n = 0; few && !real && n < c->set_size; n++) {
            int64_t wanted = c->set.ints[n];
            for (uint32_t i = 0; i < count; i++) out[i] |= (uint8_t)(ints[i] == wanted);
        }
        for (size_t n = 0; few && real && n < c->set_size; n++) {
            double wanted = c->set.reals[n];
            for (uint32_t i = 0; i < count; i++) out[i] |= (uint8_t)(reals[i] >= wanted && reals[i] <= wanted);
        }
        for (uint32_t i = 0; !few && i < count; i++) {
            out[i] = real ? st_comparison_real(c, reals[i]) : st_comparison_int(c, ints[i]);
        }
    }
    return true;
}

bool st_select_numbers(const st_comparison *c, const st_vector *v, uint8_t *out) {
    if (v->values == NULL) return false;
    if (c->op != STRATA_IN) return fill_range(c, v, out);
    return v->packing != ST_PACK_UNSIGNED && fill_set(c, v, out); /* row by row: 0 stands for null */
}

/* ---- Two columns ------------------------------------------------------ */

#define FILL_PAIR(type, condition)                                                                              \
    static void fill_pair_##type(strata_operator op, const type *a, const type *b, uint32_t count, uint8_t *out) { \
        switch (op) {                                                                                           \
        case STRATA_LESS: for (uint32_t i = 0; i < count; i++) out[i] = a[i] < b[i]; break;                      \
        case STRATA_LESS_EQUAL: for (uint32_t i = 0; i < count; i++) out[i] = a[i] <= b[i]; break;               \
        case STRATA_GREATER: for (uint32_t i = 0; i < count; i++) out[i] = a[i] > b[i]; break;                   \
        case STRATA_GREATER_EQUAL: for (uint32_t i = 0; i < count; i++) out[i] = a[i] >= b[i]; break;            \
        case STRATA_NOT_EQUAL: for (uint32_t i = 0; i < count; i++) out[i] = !(condition); break;                \
        default: for (uint32_t i = 0; i < count; i++) out[i] = (condition); break;                               \
        }                                                                                                       \
    }
FILL_PAIR(int64_t, a[i] == b[i])
FILL_PAIR(double, (a[i] >= b[i]) & (a[i] <= b[i]))

static bool is_null(const st_vector *v, uint32_t slot) { return v->nulls != NULL && st_bit(v->nulls, slot); }

bool st_select_pair(st_kind kind, strata_operator op, const st_vector *left, const st_vector *right, uint8_t *out) {
    union {
        int64_t ints[BATCH];
        double reals[BATCH];
    } a, b;
    if (left->values == NULL || right->values == NULL) return false;
    for (uint32_t from = 0; from < left->rows; from += BATCH) {
        uint32_t count = left->rows - from < BATCH ? left->rows - from : BATCH;
        if (kind == ST_KIND_REAL) {
            st_vector_reals(left, from, count, a.reals);
            st_vector_reals(right, from, count, b.reals);
            fill_pair_double(op, a.reals, b.reals, count, out + from);
        } else {
            st_vector_ints(left, from, count, a.ints);
            st_vector_ints(right, from, count, b.ints);
            fill_pair_int64_t(op, a.ints, b.ints, count, out + from);
        }
    }
    if (left->nulls == NULL && right->nulls == NULL) return true;
    for (uint32_t i = 0; i < left->rows; i++) { /* of links null is 0, so that they have no bitmap */
        bool x = is_null(left, i), y = is_null(right, i);
        if (!x && !y) continue;
        out[i] = op == STRATA_NOT_EQUAL ? x != y : st_is_equality(op) && x == y;
    }
    return true;
}
