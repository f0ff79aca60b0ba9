/* SPDX-License-Identifier: MIT
 *
 * total.h -- what values add up to: their number, least, greatest, sum or average.
 *
 * Sums of ints wrap around; their average is the double nearest to it. Floats and doubles are added up as doubles,
 * decimals and mixed values as decimals. Of mixed values only numbers count, and for the least and the greatest dates
 * too. NaN is below all numbers.
 */
#ifndef ST_VALUE_TOTAL_H
#define ST_VALUE_TOTAL_H

#include "strata_decimal.h"
#include "strata_query.h"

__extension__ typedef __int128 st_i128;

typedef struct st_total {
    strata_aggregate aggregate;
    strata_type type;       /* of the column */
    uint64_t count;         /* of what was added */
    st_i128 whole;          /* of ints; has room for 2^64 of them */
    double real;
    strata_decimal decimal;
    strata_value extreme;   /* null until something is added */
} st_total;

/** True if values of that type can be added up in this way. */
bool st_total_fits(strata_type type, strata_aggregate aggregate);
/** The type of a total that fits; of EACH_VALUE, that of the values. */
strata_type st_total_type(strata_type type, strata_aggregate aggregate);
/** A total of nothing. */
st_total st_total_begin(strata_type type, strata_aggregate aggregate);
/** Adds a value of the column that is not null. */
void st_total_add(st_total *total, const strata_value *value);
/** The result; see strata_aggregate. It holds no bytes. */
strata_value st_total_result(const st_total *total);

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
