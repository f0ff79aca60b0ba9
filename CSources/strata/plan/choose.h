/* SPDX-License-Identifier: MIT
 *
 * choose.h -- chooses the plan of a query.
 *
 * It is the cheapest one, as far as can be told from the sizes of tables and ranges without looking at rows.
 */
#ifndef ST_PLAN_CHOOSE_H
#define ST_PLAN_CHOOSE_H

#include "plan/plan.h"

/** Chooses a plan, and explains it in the stats of the query. */
strata_status st_plan_make(st_query *query, const st_goal *goal, st_plan *out);

#endif
