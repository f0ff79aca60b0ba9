/* SPDX-License-Identifier: MIT
 * region.h -- links to places, compared with a shape. */
#ifndef ST_CONDITION_REGION_H
#define ST_CONDITION_REGION_H

#include "condition/operand.h"

typedef struct st_region st_region;

/** Checks a WITHIN and prepares its shape. Lifetime: that of the query. Fails: STRATA_TYPE, STRATA_MISUSE, ... */
strata_status st_region_make(st_query *query, const strata_node *node, const st_operand *left, const st_region **out);
/** Does any of the places lie in the shape? */
bool st_region_match(st_query *query, const st_test *test, const st_place *place);

#endif
