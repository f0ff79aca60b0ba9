/* SPDX-License-Identifier: MIT
 * histogram.c -- how numbers are spread. */
#include "query/histogram.h"

#include <float.h>
#include <stdlib.h>

#include "value/key_bytes.h"
#include "value/total.h"

static const uint64_t sign = UINT64_C(1) << 63;

bool st_histogram_fits(strata_type type) {
    return type == STRATA_INT || type == STRATA_FLOAT || type == STRATA_DOUBLE || type == STRATA_DATE;
}

st_histogram st_histogram_begin(strata_type type) { return (st_histogram){ .type = type, .least = UINT64_MAX }; }

bool st_histogram_count(st_histogram *h, uint32_t most) {
    if (h->least >= h->greatest) return true;
    uint64_t beyond = h->greatest - h->least; /* of ints: how many there may be after the first */
    h->bin_count = h->type == STRATA_INT && beyond < most ? (uint32_t)beyond + 1 : most;
    h->bins = calloc(h->bin_count, sizeof *h->bins);
    return h->bins != NULL || h->bin_count == 0;
}

void st_histogram_free(st_histogram *h) { free(h->bins); }

/* Halves, since the difference of two doubles may be too large for one. */
static uint32_t bin_of_real(const st_histogram *h, uint64_t number) {
    double half_least = st_key_real_of_order(h->least) / 2, half = st_key_real_of_order(h->greatest) / 2 - half_least;
    double part = half == 0 ? 0 : (st_key_real_of_order(number) / 2 - half_least) / half * h->bin_count;
    return part < h->bin_count ? (uint32_t)part : h->bin_count - 1;
}

void st_histogram_add(st_histogram *h, uint64_t number, uint64_t times) {
    bool is_finite = h->type == STRATA_INT ||
                     (number >= st_key_order_real(-DBL_MAX) && number <= st_key_order_real(DBL_MAX));
    if (!is_finite) return;
    if (h->bins == NULL) {
        if (number < h->least) h->least = number;
        if (number > h->greatest) h->greatest = number;
    } else if (h->type == STRATA_INT) {
        st_i128 width = (st_i128)(h->greatest - h->least) + 1;
        h->bins[(st_i128)(number - h->least) * h->bin_count / width] += times;
    } else {
        h->bins[bin_of_real(h, number)] += times;
    }
}

strata_value st_histogram_value(const st_histogram *h, uint64_t number) {
    if (h->type == STRATA_INT) return strata_int((int64_t)(number ^ sign));
    double real = st_key_real_of_order(number);
    return h->type == STRATA_DATE ? strata_date(real) : strata_double(real);
}
