/* SPDX-License-Identifier: MIT
 * compile.h -- checks a query and turns its condition into tests. */
#ifndef ST_CONDITION_COMPILE_H
#define ST_CONDITION_COMPILE_H

#include "condition/query.h"

/** Checks the source and the condition of the query, and compiles the condition. Whatever it returns, the query has to
 * be freed with st_query_free(). Fails: STRATA_MISUSE, STRATA_TYPE, STRATA_NO_MEMORY. */
strata_status st_query_compile(st_query *query);
/** The same for a query whose `values` are tested: checks and compiles its condition. */
strata_status st_query_compile_values(st_query *query);
/** Frees what the query owns. */
void st_query_free(st_query *query);

#endif
