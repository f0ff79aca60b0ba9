/* SPDX-License-Identifier: MIT
 * prepared_support.h -- what a prepared query answers is what the query answers. */
#ifndef PREPARED_SUPPORT_H
#define PREPARED_SUPPORT_H

#include "strata_prepared.h"

/** A query in which the constants of all comparisons are parameters, and the arguments for its own constants. */
typedef struct open_query {
    strata_query query;
    strata_node *nodes;
    strata_value *arguments;
    uint32_t count;
} open_query;

/** Ownership: freed with open_query_free(). */
open_query open_query_of(const strata_query *query);
void open_query_free(open_query *open);

/** Prepares a query that finds `expected`, and runs it in each way, also through a cache: with other arguments, then with
 * its own constants, and both again. */
void check_prepared(strata_view *view, const strata_query *query, const strata_keys *expected);

#endif
