/* SPDX-License-Identifier: MIT
 *
 * prepared.h -- a query that was compiled once and is run again with other constants.
 *
 * It owns a copy of the query, and what was compiled of it for one catalog. A run binds the arguments
 * (condition/bind.h) and makes a plan, both in memory on the stack. A view with another catalog makes it compile again:
 * tables and columns keep their numbers, so that the copy keeps its meaning.
 *
 * Invariant: what was compiled is used only while `catalog` is the serial number of the catalog of the view, which the
 * pointers in it lead to.
 */
#ifndef ST_QUERY_PREPARED_H
#define ST_QUERY_PREPARED_H

#include <stdatomic.h>

#include "condition/bind.h"
#include "plan/pipeline.h"
#include "strata_prepared.h"

struct strata_prepared {
    atomic_flag busy;         /* a call uses it */
    st_arena memory;          /* of the copy */
    strata_query spec;        /* the copy; the constants that are parameters lie in `arguments` */
    strata_value *arguments;
    uint32_t argument_count;
    st_bindings bindings;
    uint64_t catalog;         /* the serial number of the catalog it was compiled for; 0: none */
    st_query compiled;        /* owns what was compiled; it is never run itself */
    st_pipelines pipelines[2]; /* of ST_FOR_KEYS and ST_FOR_COUNT */
};

#endif
