/* SPDX-License-Identifier: MIT
 *
 * operator.h -- the kinds of comparisons, and which types have which of them.
 */
#ifndef ST_VALUE_OPERATOR_H
#define ST_VALUE_OPERATOR_H

#include "strata_query.h"

static inline bool st_is_equality(strata_operator op) {
    return op == STRATA_EQUAL || op == STRATA_NOT_EQUAL || op == STRATA_IN;
}
static inline bool st_is_order(strata_operator op) { return op >= STRATA_LESS && op <= STRATA_GREATER_EQUAL; }
/** Looks for bytes inside of strings or data. */
static inline bool st_is_search(strata_operator op) {
    return op == STRATA_BEGINS_WITH || op == STRATA_ENDS_WITH || op == STRATA_CONTAINS;
}
/** A search or LIKE. */
static inline bool st_is_textual(strata_operator op) { return st_is_search(op) || op == STRATA_LIKE; }

/** Do values of the type have this comparison? Not for WITHIN: the type of a link does not tell whether it leads to
 * objects with a position on the earth. */
bool st_type_has_operator(strata_type type, strata_operator op);

#endif
