/* SPDX-License-Identifier: MIT
 * total.c -- what values add up to. */
#include "query/total.h"

#include "codec/mixed.h"

bool st_total_fits(strata_type type, strata_aggregate aggregate) {
    bool number = type == STRATA_INT || type == STRATA_FLOAT || type == STRATA_DOUBLE || type == STRATA_DECIMAL ||
                  type == STRATA_MIXED;
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

st_total st_total_begin(strata_type type, strata_aggregate aggregate) {
    return (st_total){ .aggregate = aggregate, .type = type, .decimal = strata_decimal_from_int64(0) };
}

static bool is_number(const strata_value *value) {
    return value->type == STRATA_INT || value->type == STRATA_FLOAT || value->type == STRATA_DOUBLE ||
           value->type == STRATA_DECIMAL;
}

static bool is_exact(const st_total *total) { return total->type == STRATA_DECIMAL || total->type == STRATA_MIXED; }

static strata_decimal decimal_of(const strata_value *value) {
    switch (value->type) {
    case STRATA_INT: return strata_decimal_from_int64(value->as.integer);
    case STRATA_FLOAT: return strata_decimal_from_float(value->as.single);
    case STRATA_DOUBLE: return strata_decimal_from_double(value->as.real);
    default: return strata_decimal_load(value->as.fixed);
    }
}

static double real_of(const strata_value *value) {
    if (value->type == STRATA_INT) return (double)value->as.integer;
    return value->type == STRATA_FLOAT ? (double)value->as.single : value->as.real;
}

static void add_extreme(st_total *total, const strata_value *value) {
    if (!is_number(value) && value->type != STRATA_DATE) return;
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
        if (!is_number(value)) return;
        if (is_exact(total)) total->decimal = strata_decimal_add(total->decimal, decimal_of(value));
        else if (value->type == STRATA_INT) total->integer += (uint64_t)value->as.integer;
        if (!is_exact(total)) total->real += real_of(value);
        break;
    case STRATA_COUNT:
    case STRATA_EACH_VALUE: break;
    }
    total->count++;
}

strata_value st_total_result(const st_total *total) {
    switch (total->aggregate) {
    case STRATA_MIN:
    case STRATA_MAX: return total->extreme;
    case STRATA_SUM:
        if (is_exact(total)) return strata_decimal_value(total->decimal);
        return total->type == STRATA_INT ? strata_int((int64_t)total->integer) : strata_double(total->real);
    case STRATA_AVERAGE: {
        if (total->count == 0) return strata_null();
        if (!is_exact(total)) return strata_double(total->real / (double)total->count);
        strata_decimal count = strata_decimal_from_uint64(total->count);
        return strata_decimal_value(strata_decimal_divide(total->decimal, count));
    }
    case STRATA_COUNT:
    case STRATA_EACH_VALUE: break;
    }
    return strata_int((int64_t)total->count);
}
