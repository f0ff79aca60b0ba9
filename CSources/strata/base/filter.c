/* SPDX-License-Identifier: MIT
 * filter.c -- a set of hashes that may say yes too often. */
#include "base/filter.h"

#include <stdlib.h>

bool st_filter_make(st_filter *filter, size_t hashes) {
    enum { HASHES_PER_WORD = 4, LEAST_BITS = 6, MOST_BITS = 28 };
    uint32_t bits = LEAST_BITS;
    while (bits < MOST_BITS && (size_t)HASHES_PER_WORD << bits < hashes) bits++;
    filter->words = calloc((size_t)1 << bits, sizeof *filter->words);
    filter->shift = 64 - bits;
    return filter->words != NULL;
}

void st_filter_free(st_filter *filter) {
    free(filter->words);
    *filter = (st_filter){ 0 };
}
