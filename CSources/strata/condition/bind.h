/* SPDX-License-Identifier: MIT
 *
 * bind.h -- gives a compiled comparison its constants.
 *
 * Nothing else of a condition depends on the constants. So a condition can be compiled once without those of some
 * comparisons, its parameters, and each run binds these again. What is bound lies in the memory of the query that is
 * run, and is not looked at after it.
 */
#ifndef ST_CONDITION_BIND_H
#define ST_CONDITION_BIND_H

#include "condition/query.h"
#include "condition/test.h"

/** A comparison whose constants are parameters. */
typedef struct st_binding {
    uint32_t node; /* its number in the condition */
    st_test *test; /* NULL until the condition is compiled */
} st_binding;

/** All of them, in the order of the nodes. */
typedef struct st_bindings {
    st_binding *items;
    uint32_t count;
    uint32_t made; /* how many have been compiled */
} st_bindings;

/** Checks the constants of the node of `test`, and compiles the comparison with them. Fails: STRATA_TYPE,
 * STRATA_MISUSE, STRATA_NO_MEMORY. */
strata_status st_bind(st_query *query, st_test *test);
/** While compiling the node before `next_node`: if its constants come later, notes the test, with what is known of the
 * comparison until then. */
bool st_bind_later(st_query *query, st_test *test);
/** Binds all of them again. Fails: as st_bind(). */
strata_status st_bind_all(st_query *query, const st_bindings *bindings);

#endif
