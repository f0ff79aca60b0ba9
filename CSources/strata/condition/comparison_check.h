/* SPDX-License-Identifier: MIT
 * comparison_check.h -- checks comparisons against the types of what they compare. */
#ifndef ST_CONDITION_COMPARISON_CHECK_H
#define ST_CONDITION_COMPARISON_CHECK_H

#include "condition/comparison.h"
#include "condition/query.h"
#include "condition/step.h"

/** Checks the operator of a comparison, and its options, against the type of the left operand. */
strata_status st_comparison_check(st_query *query, const st_operand *left, const strata_node *node);
/** Checks its constants. */
strata_status st_comparison_check_constants(st_query *query, const st_operand *left, const strata_node *node);
/** Checks the types of two operands that are compared with each other; `*out` is how they are compared. */
strata_status st_comparison_check_operands(st_query *query, const strata_node *node, const st_operand *left,
                                           const st_operand *right, st_kind *out);

#endif
