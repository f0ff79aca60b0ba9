/* SPDX-License-Identifier: MIT
 *
 * query_shape.h -- what a query is but for the constants of its comparisons.
 *
 * Two queries with equal words are the same query with other constants: they can be run as one prepared query with
 * those as arguments. Not every query has a shape: its source has to be a table, and it has to be small. A query that
 * means nothing may have one.
 */
#ifndef ST_QUERY_QUERY_SHAPE_H
#define ST_QUERY_QUERY_SHAPE_H

#include "strata_query.h"

enum { ST_SHAPE_WORDS = 120, ST_SHAPE_NODES = 24, ST_SHAPE_ARGUMENTS = 24 };

typedef struct st_shape {
    uint32_t count;                /* of words */
    uint32_t argument_count;
    const strata_value *arguments; /* the constants, of the query or in `gathered` */
    uint64_t hash;                 /* of the words */
    uint64_t words[ST_SHAPE_WORDS];
    strata_value gathered[ST_SHAPE_ARGUMENTS];
} st_shape;

/** Whether the constants of a node are arguments. */
bool st_shape_leaves_open(const strata_node *node);
/** Finds the shape of a query; false if it has none. `query` is of this version of the struct. `out` need not be
 * initialised, and must not be moved. */
bool st_shape_find(const strata_query *query, st_shape *out);

#endif
