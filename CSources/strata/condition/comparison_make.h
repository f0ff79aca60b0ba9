/* SPDX-License-Identifier: MIT
 * comparison_make.h -- checks the constants of a comparison and compiles them. */
#ifndef ST_CONDITION_COMPARISON_MAKE_H
#define ST_CONDITION_COMPARISON_MAKE_H

#include "condition/comparison.h"
#include "condition/query.h"
#include "condition/step.h"

/** The operator has been checked. Lifetime: that of the query and of the node. Fails: STRATA_TYPE, STRATA_MISUSE,
 * STRATA_NO_MEMORY. */
strata_status st_comparison_make(st_query *query, const st_operand *left, const strata_node *node,
                                 st_comparison *out);

#endif
