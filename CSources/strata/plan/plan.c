/* SPDX-License-Identifier: MIT
 * plan.c -- what plans are made of. */
#include "plan/plan.h"

/* A test that no index knows about is guessed to be met by one of so many rows. */
enum { GUESSED_ROWS = 4 };

uint64_t st_plan_hits(uint64_t entries, uint32_t tests) {
    while (tests-- > 0 && entries > 1) entries /= GUESSED_ROWS;
    return entries;
}

strata_status st_plan_all(st_query *query, st_test **tests, uint32_t count, const st_test **out) {
    *out = count == 1 ? tests[0] : NULL;
    if (count < 2) return STRATA_OK;
    st_test *rest = st_access_alloc(query, sizeof *rest);
    if (rest == NULL) return query->status;
    *rest = (st_test){ .op = STRATA_AND, .children = tests, .child_count = count };
    *out = rest;
    return STRATA_OK;
}

strata_status st_plan_rest(st_query *query, st_test **tests, uint32_t count, st_test_set exact, const st_test **out,
                           uint32_t *out_count) {
    st_test **rest = st_access_alloc(query, count * sizeof *rest);
    *out_count = 0;
    if (rest == NULL) return query->status;
    for (uint32_t i = 0; i < count; i++) {
        if (i >= 64 || (exact >> i & 1) == 0) rest[(*out_count)++] = tests[i];
    }
    return st_plan_all(query, rest, *out_count, out);
}
