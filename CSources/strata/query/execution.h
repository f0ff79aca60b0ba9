/* SPDX-License-Identifier: MIT
 *
 * execution.h -- runs a compiled query: from the plan to keys, groups, or a number.
 *
 * The caller sets the query, what it is run for, and its pipelines. The plan is made here, of what the indexes say at
 * that moment.
 */
#ifndef ST_QUERY_EXECUTION_H
#define ST_QUERY_EXECUTION_H

#include "plan/pipeline.h"
#include "query/groups.h"
#include "query/result.h"

/** Memory on the stack, which is enough for what running most queries takes. */
typedef struct st_room {
    uint64_t words[384];
} st_room;

/** A query being run, one pipeline after the other. */
typedef struct st_execution {
    st_query *query;
    st_purpose purpose;
    st_groups *groups;     /* for ST_FOR_GROUPS, otherwise NULL */
    st_pipelines pipelines;
    uint32_t at;           /* the number of the pipeline that is run */
    st_result result;      /* of that pipeline */
    bool wants_words;      /* those of the last sort, if its order is that of the result */
    uint64_t *words;       /* NULL: there are none */
} st_execution;

/** A query that is about to be run, without its `spec`. Its plan is explained only if the caller asks for the stats. */
static inline st_query st_query_begin(strata_view *view, st_room *room, const strata_query_stats *stats,
                                      strata_error *error) {
    return (st_query){ .view = view, .error = error, .explained = stats != NULL,
                       .memory = st_arena_begin(room->words, sizeof room->words) };
}

/** Reads the query of a program into `read`, compiles it, and makes the pipelines. Fails: as strata_query_check(). */
strata_status st_execution_compile(st_execution *run, const strata_query *given, strata_query *read);
/** Runs it. Fails: as strata_query_run(). */
strata_status st_execution_run(st_execution *run);
/** Gives the keys that were found to a program. */
void st_execution_take_keys(st_execution *run, strata_keys *out);
/** Writes the stats, which may be NULL, and frees the execution and its query. Returns `status`. */
strata_status st_execution_end(st_execution *run, strata_status status, strata_query_stats *stats, size_t stats_size);

#endif
