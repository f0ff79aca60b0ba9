/* SPDX-License-Identifier: MIT
 * explain_plan.h -- how rows are found, in words. */
#ifndef ST_PLAN_EXPLAIN_PLAN_H
#define ST_PLAN_EXPLAIN_PLAN_H

#include "plan/plan.h"

/** Adds a plan to the stats, such as "index age = 42, then filter score > 3". */
void st_explain_plan(st_query *query, const st_plan *plan);

#endif
