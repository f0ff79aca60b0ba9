/* SPDX-License-Identifier: MIT
 *
 * query_cache.h -- queries that are prepared by themselves, when a second one of their shape is run.
 *
 * It is a table of sets. A shape belongs to the set that its hash names, and replaces there what was used longest ago:
 * so looking one up takes few steps, and there is never more memory than for all places.
 *
 * A shape that was seen once has no prepared query, because preparing costs more than a run. If preparing fails, the
 * query is run as a plain one, and fails as that; so is a query without a shape.
 */
#ifndef ST_QUERY_QUERY_CACHE_H
#define ST_QUERY_QUERY_CACHE_H

#include <stdatomic.h>

#include "query/query_shape.h"
#include "strata_prepared.h"

enum { ST_CACHE_SETS = 8, ST_CACHE_WAYS = STRATA_CACHED_QUERIES / ST_CACHE_SETS };

/* A shape that was seen. */
typedef struct st_cached_query {
    uint64_t hash;
    uint64_t used;             /* the number of the call that used it last; 0: there is no shape here */
    uint64_t *words;           /* those of the shape */
    uint32_t count;
    strata_prepared *prepared; /* NULL: it was seen once */
} st_cached_query;

struct strata_query_cache {
    atomic_flag busy; /* a call uses it */
    uint64_t calls;
    st_cached_query places[ST_CACHE_SETS][ST_CACHE_WAYS];
};

#endif
