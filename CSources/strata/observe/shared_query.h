/* SPDX-License-Identifier: MIT
 *
 * shared_query.h -- a query that observers of a group observe: what all have in common that observe an equal one.
 *
 * Equal queries are one, whatever key paths their observers have; of those with equal key paths the paths are one, too,
 * and what is to be told through them.
 */
#ifndef ST_OBSERVE_SHARED_QUERY_H
#define ST_OBSERVE_SHARED_QUERY_H

#include "observe/constant.h"
#include "observe/found.h"
#include "observe/named.h"
#include "observe/watch.h"

struct st_shared_result;

/** The queries of a group. Empty when it is zero; freed when the last observer is. */
typedef struct st_shared_queries {
    st_names names;
    uint64_t results; /* how many are kept */
    uint64_t sharers; /* observers whose result another one has, too */
    uint64_t steps;   /* that were made by all results */
} st_shared_queries;

typedef struct st_shared_query {
    st_named named;
    st_shared_queries *all;
    st_arena memory;
    const strata_query *query;
    st_watch decides;    /* what decides which objects are in the result, and where */
    st_constant constant; /* what all objects in the result have in common */
    bool ranked;         /* objects can be tested and placed one by one */
    bool sorted;         /* not in the order of keys */
    bool tests;          /* a condition or an order decides; otherwise all objects of the table are in the result */
    size_t users;
    st_names paths;
    struct st_shared_result *newest; /* the one that others may join; NULL: there is none */
} st_shared_query;

/** Key paths of observers of the query. */
typedef struct st_shared_paths {
    st_named named;
    st_shared_query *query;
    st_arena memory;
    st_watch counts;     /* what makes an object modified */
    size_t users;
    st_found found;      /* what those are told who have seen */
    uint64_t told, seen; /* the commit `seen`, when they make the step `told` */
} st_shared_paths;

/** The query of a group that is equal to one, which has been checked; made if there is none. It has one user more.
 * Fails: STRATA_NO_MEMORY. */
strata_status st_shared_query_use(st_shared_queries *all, strata_view *view, const strata_query *query,
                                  st_shared_query **out, strata_error *error);
void st_shared_query_leave(st_shared_query *query);
/** The same for key paths. Fails: STRATA_MISUSE, STRATA_NO_MEMORY. */
strata_status st_shared_paths_use(st_shared_query *query, strata_view *view, const strata_key_paths *paths,
                                  st_shared_paths **out, strata_error *error);
void st_shared_paths_leave(st_shared_paths *paths);

#endif
