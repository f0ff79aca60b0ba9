/* SPDX-License-Identifier: MIT
 *
 * histogram.h -- how numbers are spread: how many of them lie in each of some ranges of equal width.
 *
 * Numbers are given as st_key_reader_number() has them. Those that are not finite are passed over. All numbers are
 * shown to the histogram twice: before it has bins they move its ends, afterwards they are counted.
 */
#ifndef ST_QUERY_HISTOGRAM_H
#define ST_QUERY_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "strata_value.h"

typedef struct st_histogram {
    strata_type type;            /* of the numbers: INT, FLOAT, DOUBLE or DATE */
    uint64_t least, greatest;    /* the ends; `least` is greater as long as there was no number */
    uint32_t bin_count;
    uint64_t *bins;              /* NULL as long as the ends are looked for */
} st_histogram;

/** Has a column of this type a histogram? */
bool st_histogram_fits(strata_type type);
st_histogram st_histogram_begin(strata_type type);
/** Makes at most `most` bins between the ends, in memory that is freed with st_histogram_free(). There are none if
 * there are not two different numbers. False if there is no memory. */
bool st_histogram_count(st_histogram *histogram, uint32_t most);
void st_histogram_free(st_histogram *histogram);

void st_histogram_add(st_histogram *histogram, uint64_t number, uint64_t times);
/** The value of a number, as it is told: an int, a double or a date. */
strata_value st_histogram_value(const st_histogram *histogram, uint64_t number);

#endif
