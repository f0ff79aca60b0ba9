/* SPDX-License-Identifier: MIT
 * access_compound.h -- compound indexes as accesses. */
#ifndef ST_PLAN_ACCESS_COMPOUND_H
#define ST_PLAN_ACCESS_COMPOUND_H

#include "plan/access.h"

/** The accesses by compound indexes that match some of the tests, at most `room`; returns how many. `covered[i]` are
 * the tests that the ranges of `out[i]` are made of, and `exact[i]` those that need not be tested on the rows then. */
uint32_t st_access_compound(st_query *query, st_test **tests, uint32_t count, st_access **out, st_test_set *covered,
                            st_test_set *exact, uint32_t room);
/** The access by one of them, even if it matches no test. Each of its first `*fixed` columns is equal to one value,
 * which is in `equal`. NULL after a failure. */
st_access *st_access_by_compound(st_query *query, const st_index *index, st_test **tests, uint32_t count,
                                 st_test_set *covered, st_test_set *exact, uint32_t *fixed,
                                 strata_value equal[STRATA_MAX_INDEX_COLUMNS]);

#endif
