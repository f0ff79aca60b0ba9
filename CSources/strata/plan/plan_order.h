/* SPDX-License-Identifier: MIT
 * plan_order.h -- plans that walk an index whose order is that of the result. */
#ifndef ST_PLAN_PLAN_ORDER_H
#define ST_PLAN_PLAN_ORDER_H

#include "plan/plan.h"

/** The plan that walks along an index over nothing but the results, if few of them are wanted: nothing beats it, so
 * that nothing has to be counted to know its cost. STRATA_OK or STRATA_NOT_FOUND. */
strata_status st_plan_results_in_order(st_query *query, const st_goal *goal, st_test **tests, uint32_t count,
                                       st_plan *out);
/** The cheapest plan along an index that has the order of the sort, if it costs less than `*cost`, which is then its
 * cost. STRATA_OK or STRATA_NOT_FOUND. */
strata_status st_plan_in_order(st_query *query, const st_goal *goal, st_test **tests, uint32_t count, st_plan *out,
                               uint64_t *cost);

#endif
