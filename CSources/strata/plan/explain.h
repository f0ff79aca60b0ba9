/* SPDX-License-Identifier: MIT
 *
 * explain.h -- plans and conditions in words, in the stats of a query.
 *
 * All of these add to the text that is there. They do nothing if the caller of the query did not ask for the stats, and
 * what does not fit is cut off at a whole character.
 */
#ifndef ST_PLAN_EXPLAIN_H
#define ST_PLAN_EXPLAIN_H

#include "condition/query.h"
#include "condition/test.h"

void st_explain(st_query *query, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** Adds a condition, such as "age >= 20". */
void st_explain_test(st_query *query, const st_test *test);
/** Adds a condition that stands inside of another one, joined by the operator `around`: in parentheses if need be.
 * STRATA_TRUE: it stands alone. */
void st_explain_part(st_query *query, const st_test *test, strata_operator around);
/** Adds a word such as ", filter" and a condition, which is cut short if it is long. Nothing if it is NULL. */
void st_explain_filter(st_query *query, const char *before, const st_test *test);

#endif
