/* SPDX-License-Identifier: MIT
 * within.h -- links to places, compared with a shape. */
#ifndef ST_CONDITION_REGION_H
#define ST_CONDITION_REGION_H

#include "condition/operand.h"

typedef struct st_within st_within;

/** Checks a WITHIN and prepares its shape. Lifetime: that of the query. Fails: STRATA_TYPE, STRATA_MISUSE, ... */
strata_status st_within_make(st_query *query, const strata_node *node, const st_operand *left, const st_within **out);
/** Does any of the places lie in the shape? */
bool st_within_match(st_query *query, const st_test *test, const st_stored_row *row);

#endif
