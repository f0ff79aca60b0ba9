/* SPDX-License-Identifier: MIT
 * walk.h -- rows that an index leads to. */
#ifndef ST_QUERY_WALK_H
#define ST_QUERY_WALK_H

#include "plan/plan.h"
#include "query/result.h"

/** Adds the rows that the access of the plan leads to, in the order of their keys. */
strata_status st_walk_index(st_result *result, const st_plan *plan);
/** Adds the entries of a range of one value, each as often as it is there, and no more than are wanted. */
strata_status st_walk_one(st_result *result, const st_test *rest, st_posting_set set, const st_posting_range *range);
/** Adds the rows in the order of the index, which is that of the sort of `sorted`. `*given_up` if the walk went beyond
 * the budget of the plan; the rows added until then have to be forgotten. */
strata_status st_walk_order(st_result *result, const st_plan *plan, const st_pipeline *sorted, bool *given_up);

#endif
