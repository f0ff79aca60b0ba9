/* SPDX-License-Identifier: MIT
 *
 * total.h -- totals of values: their count, minimum, maximum, sum or average.
 *
 * A sum of ints wraps around; the average of ints is the nearest double of the exact one. Floats and doubles are added
 * as doubles, decimals and mixed values as decimals. Among mixed values only numbers count; for minimum and maximum
 * dates count, too. NaN is less than all numbers.
 */
#ifndef ST_VALUE_TOTAL_H
#define ST_VALUE_TOTAL_H

#include "strata_decimal.h"
#include "strata_query.h"

__extension__ typedef __int128 st_i128;

typedef struct st_total {
    strata_aggregate aggregate;
    strata_type type;       /* of the column */
    uint64_t count;         /* how many values were added */
    st_i128 whole;          /* sum of ints; has room for 2^64 of them */
    double real;            /* sum of floats or doubles */
    strata_decimal decimal; /* sum of decimals or mixed values */
    strata_value extreme;   /* minimum or maximum; null until a value is added */
} st_total;

/** True if a column of that type has this total. */
bool st_total_fits(strata_type type, strata_aggregate aggregate);
/** The type of a total that fits; for STRATA_EACH_VALUE it is the type of the column. */
strata_type st_total_type(strata_type type, strata_aggregate aggregate);
/** A total of nothing. */
st_total st_total_begin(strata_type type, strata_aggregate aggregate);
/** Adds a value of the column that is not null. */
void st_total_add(st_total *total, const strata_value *value);
/** The result; see strata_aggregate. It has no bytes to be freed or lent. */
strata_value st_total_result(const st_total *total);

/** Adds an int to a total of a column of ints. */
static inline void st_total_add_int(st_total *total, int64_t value) {
    total->count++;
    switch (total->aggregate) {
    case STRATA_SUM:
    case STRATA_AVERAGE: total->whole += value; break;
    case STRATA_MIN:
        if (total->count == 1 || value < total->extreme.as.integer) total->extreme = strata_int(value);
        break;
    case STRATA_MAX:
        if (total->count == 1 || value > total->extreme.as.integer) total->extreme = strata_int(value);
        break;
    case STRATA_COUNT:
    case STRATA_EACH_VALUE: break;
    }
}

#endif
