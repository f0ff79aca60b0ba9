/* SPDX-License-Identifier: MIT
 * access_find.h -- finds the cheapest access to the objects that meet a condition. */
#ifndef ST_PLAN_ACCESS_FIND_H
#define ST_PLAN_ACCESS_FIND_H

#include "plan/access.h"

/** The cheapest access to the objects of the query's table that meet a condition. NULL if no index helps, and after a
 * failure, which the query notes. */
st_access *st_access_of(st_query *query, st_test *test);
/** The same for tests that all have to hold. `*rest` are those that are to be tested on the rows; `visits` if rows are
 * looked at anyway. */
st_access *st_access_of_all(st_query *query, st_test **tests, uint32_t count, bool visits, st_test ***rest,
                            uint32_t *rest_count);
/** The ranges of the index of a column that the tests leave: the whole index if they say nothing about the column.
 * `*exact` are the tests that need not be tested on the rows then. NULL after a failure. */
st_access *st_access_by_column(st_query *query, const st_column *column, st_test **tests, uint32_t count,
                               st_test_set *exact);

#endif
