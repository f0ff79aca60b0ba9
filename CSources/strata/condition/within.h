/* SPDX-License-Identifier: MIT
 * within.h -- WITHIN: links to points on the earth, compared with a shape. */
#ifndef ST_CONDITION_WITHIN_H
#define ST_CONDITION_WITHIN_H

#include "condition/query.h"
#include "condition/step.h"

typedef struct st_within st_within;

/** Checks a WITHIN and prepares its shape. Lifetime: that of the query. Fails: STRATA_TYPE, STRATA_MISUSE, ... */
strata_status st_within_make(st_query *query, const strata_node *node, const st_operand *left, const st_within **out);
/** Does any of the points that the operand leads to lie in the shape? False also after a failure, which is noted. */
bool st_within_match(st_query *query, const st_within *within, st_operand *left, const st_stored_row *row);

#endif
