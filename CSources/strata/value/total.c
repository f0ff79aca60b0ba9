/* SPDX-License-Identifier: MIT
 * total.c -- what values add up to. */
#include "value/total.h"

#include <math.h>

#include "value/decimal.h"
#include "value/mixed_order.h"
#include "value/scalar.h"

/* Totals of such values are decimals. */
static bool is_exact(strata_type type) { return type == STRATA_DECIMAL || type == STRATA_MIXED; }

bool st_total_fits(strata_type type, strata_aggregate aggregate) {
    bool number = st_is_number(type) || type == STRATA_MIXED;
    switch (aggregate) {
    case STRATA_COUNT: return true;
    case STRATA_MIN:
    case STRATA_MAX: return number || type == STRATA_DATE;
    case STRATA_SUM:
    case STRATA_AVERAGE: return number;
    case STRATA_EACH_VALUE: break;
    }
    return false;
}

strata_type st_total_type(strata_type type, strata_aggregate aggregate) {
    bool exact = is_exact(type);
    switch (aggregate) {
    case STRATA_COUNT: return STRATA_INT;
    case STRATA_SUM: return exact ? STRATA_DECIMAL : type == STRATA_INT ? STRATA_INT : STRATA_DOUBLE;
    case STRATA_AVERAGE: return exact ? STRATA_DECIMAL : STRATA_DOUBLE;
    default: return type;
    }
}

st_total st_total_begin(strata_type type, strata_aggregate aggregate) {
    return (st_total){ .aggregate = aggregate, .type = type, .decimal = strata_decimal_from_int64(0) };
}

static void add_extreme(st_total *total, const strata_value *value) {
    if (!st_is_number(value->type) && value->type != STRATA_DATE) return;
    total->count++;
    if (total->extreme.type != STRATA_NULL) {
        int order = st_mixed_compare(value, &total->extreme);
        if (total->aggregate == STRATA_MIN ? order >= 0 : order <= 0) return;
    }
    total->extreme = *value;
}

void st_total_add(st_total *total, const strata_value *value) {
    switch (total->aggregate) {
    case STRATA_MIN:
    case STRATA_MAX: add_extreme(total, value); return;
    case STRATA_SUM:
    case STRATA_AVERAGE:
        if (!st_is_number(value->type)) return;
        if (is_exact(total->type)) total->decimal = strata_decimal_add(total->decimal, st_decimal_of(value));
        else if (value->type == STRATA_INT) total->whole += value->as.integer;
        else total->real += st_real_of(value);
        break;
    case STRATA_COUNT:
    case STRATA_EACH_VALUE: break;
    }
    total->count++;
}

/* The double nearest to sum / count. The quotient is taken with at least 62 bits, of which the last one also stands for
 * all that follow it, so that it is rounded but once. */
static double quotient(st_i128 sum, uint64_t count) {
    st_u128 magnitude = sum < 0 ? 0 - (st_u128)sum : (st_u128)sum;
    if (magnitude == 0) return 0;
    uint64_t high = (uint64_t)(magnitude >> 64);
    int shift = high != 0 ? __builtin_clzll(high) - 1 : 63 + __builtin_clzll((uint64_t)magnitude);
    magnitude <<= shift;
    st_u128 whole = magnitude / count | (magnitude % count != 0);
    double result = ldexp((double)whole, -shift);
    return sum < 0 ? -result : result;
}

static strata_value average(const st_total *total) {
    if (total->type == STRATA_INT) return strata_double(quotient(total->whole, total->count));
    if (!is_exact(total->type)) return strata_double(total->real / (double)total->count);
    strata_decimal count = strata_decimal_from_uint64(total->count);
    return strata_decimal_value(strata_decimal_divide(total->decimal, count));
}

strata_value st_total_result(const st_total *total) {
    switch (total->aggregate) {
    case STRATA_MIN:
    case STRATA_MAX: return total->extreme;
    case STRATA_SUM:
        if (is_exact(total->type)) return strata_decimal_value(total->decimal);
        return total->type == STRATA_INT ? strata_int((int64_t)total->whole) : strata_double(total->real);
    case STRATA_AVERAGE: return total->count == 0 ? strata_null() : average(total);
    case STRATA_COUNT:
    case STRATA_EACH_VALUE: break;
    }
    return strata_int((int64_t)total->count);
}
