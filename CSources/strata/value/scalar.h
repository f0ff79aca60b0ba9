/* SPDX-License-Identifier: MIT
 *
 * scalar.h -- single values, converted to the few kinds of data that comparisons and totals work on.
 */
#ifndef ST_VALUE_SCALAR_H
#define ST_VALUE_SCALAR_H

#include "strata_decimal.h"

/** Values of these types can be compared with each other as numbers. */
static inline bool st_is_number(strata_type type) {
    return type == STRATA_INT || type == STRATA_FLOAT || type == STRATA_DOUBLE || type == STRATA_DECIMAL;
}

/** The number of a bool, an int or a link. */
static inline int64_t st_int_of(const strata_value *value) {
    return value->type == STRATA_BOOL ? value->as.boolean
           : value->type == STRATA_LINK ? (int64_t)value->as.link : value->as.integer;
}

/** The nearest double of a number or a date. */
static inline double st_real_of(const strata_value *value) {
    switch (value->type) {
    case STRATA_INT: return (double)value->as.integer;
    case STRATA_FLOAT: return (double)value->as.single;
    case STRATA_DECIMAL: return strata_decimal_to_double(strata_decimal_load(value->as.fixed));
    default: return value->as.real;
    }
}

/** The decimal of a number. */
static inline strata_decimal st_decimal_of(const strata_value *value) {
    switch (value->type) {
    case STRATA_INT: return strata_decimal_from_int64(value->as.integer);
    case STRATA_FLOAT: return strata_decimal_from_float(value->as.single);
    case STRATA_DOUBLE: return strata_decimal_from_double(value->as.real);
    default: return strata_decimal_load(value->as.fixed);
    }
}

/** The bytes of a string, data, uuid or object id; lent from the value. */
static inline strata_bytes st_bytes_of(const strata_value *value) {
    if (value->type == STRATA_UUID) return (strata_bytes){ value->as.fixed, 16 };
    if (value->type == STRATA_OBJECT_ID) return (strata_bytes){ value->as.fixed, 12 };
    return value->as.bytes;
}

#endif
