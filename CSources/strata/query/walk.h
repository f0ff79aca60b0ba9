/* SPDX-License-Identifier: MIT
 * walk.h -- rows by way of an index. */
#ifndef ST_QUERY_WALK_H
#define ST_QUERY_WALK_H

#include "plan/plan.h"
#include "query/result.h"

/** Takes the rows that the access of the plan leads to in the order of their keys. */
strata_status st_walk_index(st_result *result, const st_plan *plan);
/** Takes the entries of one range of one value, only as far as needed and with every copy. */
strata_status st_walk_one(st_result *result, const st_test *rest, st_posting_set set, const st_posting_range *range);
/** Takes the rows in the order of the index, which is that of `sorted`. `*given_up` if that became too dear; what was
 * taken until then has to be forgotten. */
strata_status st_walk_order(st_result *result, const st_plan *plan, const st_pipeline *sorted, bool *given_up);

#endif
