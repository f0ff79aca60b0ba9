/* SPDX-License-Identifier: MIT
 *
 * strata_prepared.h -- queries that are checked and compiled once, and run again with other constants; and a cache
 * that prepares those that are run again.
 *
 * A comparison of the condition whose `options` have STRATA_PARAMETERS has its `value_count` constants left open; its
 * `values` are not read. They are the parameters of the query, in the order of the nodes, and each run gives a value
 * for every one of them:
 *
 *     strata_node node = { .op = STRATA_EQUAL, .options = STRATA_PARAMETERS, .left = { &path, 1 }, .value_count = 1 };
 *     query.nodes = &node;
 *     query.node_count = 1;
 *     status = strata_query_prepare(view, &query, &prepared, &error);
 *     strata_value age = strata_int(42);
 *     status = strata_prepared_count(prepared, view, &age, 1, &count, NULL, &error);
 *
 * The answers are those of strata_query_run() and its like for the query with the arguments as constants. Plans depend
 * on what the indexes say about the arguments, and are made by each run.
 *
 * Lifetime: a prepared query is a copy. Nothing of the query it was made of is needed any more, nor are the view and
 *   the store. It can be run with every view of the store, at every version, also while that writes. When the schema of
 *   a view is not the one of the run before, the run checks and compiles it again, and fails as strata_query_check() if
 *   it has lost its meaning.
 * Thread: it belongs to no thread, but one call at a time may use it; another one fails with STRATA_MISUSE.
 */
#ifndef STRATA_PREPARED_H
#define STRATA_PREPARED_H

#include "strata_query.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct strata_prepared strata_prepared;

/**
 * Prepares a query.
 *
 * Ownership: the caller frees `*out` with strata_prepared_free(). Everything that `query` points to is copied.
 * Fails: as strata_query_check(); STRATA_MISUSE also for STRATA_PARAMETERS on a node that is no comparison with
 *   constants, or with a `value_count` of 0; STRATA_NO_MEMORY.
 */
STRATA_CHECKED strata_status strata_query_prepare(strata_view *view, const strata_query *query, strata_prepared **out,
                                                  strata_error *error);
/** How many arguments a run takes. */
uint32_t strata_prepared_parameters(const strata_prepared *prepared);
/** NULL is allowed. Cursors that were opened from it stay as they are. */
void strata_prepared_free(strata_prepared *prepared);

/**
 * Counts what the query finds with these arguments. If an index gives the count, nothing is allocated.
 *
 * Lifetime: `arguments` and their bytes are only read during the call. `stats` may be NULL.
 * Fails: as strata_query_count(); STRATA_MISUSE also if there are not as many arguments as parameters.
 */
STRATA_CHECKED strata_status strata_prepared_count_sized(strata_prepared *prepared, strata_view *view,
                                                         const strata_value *arguments, uint32_t argument_count,
                                                         uint64_t *out, strata_query_stats *stats, size_t stats_size,
                                                         strata_error *error);
STRATA_CHECKED static inline strata_status strata_prepared_count(strata_prepared *prepared, strata_view *view,
                                                                 const strata_value *arguments,
                                                                 uint32_t argument_count, uint64_t *out,
                                                                 strata_query_stats *stats, strata_error *error) {
    return strata_prepared_count_sized(prepared, view, arguments, argument_count, out, stats, sizeof *stats, error);
}

/**
 * Finds the keys of the objects that the query finds with these arguments.
 *
 * Ownership: the caller frees `out` with strata_keys_free(). Lifetime: as strata_prepared_count().
 * Fails: as strata_query_run(); STRATA_MISUSE also if there are not as many arguments as parameters.
 */
STRATA_CHECKED strata_status strata_prepared_run_sized(strata_prepared *prepared, strata_view *view,
                                                       const strata_value *arguments, uint32_t argument_count,
                                                       strata_keys *out, strata_query_stats *stats, size_t stats_size,
                                                       strata_error *error);
STRATA_CHECKED static inline strata_status strata_prepared_run(strata_prepared *prepared, strata_view *view,
                                                               const strata_value *arguments, uint32_t argument_count,
                                                               strata_keys *out, strata_query_stats *stats,
                                                               strata_error *error) {
    return strata_prepared_run_sized(prepared, view, arguments, argument_count, out, stats, sizeof *stats, error);
}

/**
 * Opens the query with these arguments, to be read piece by piece with strata_query_next_rows(). The cursor has a copy
 * of both, and needs neither any more.
 *
 * Ownership: the caller closes `*out` with strata_query_close(), before the view.
 * Fails: as strata_query_open(); STRATA_MISUSE also if there are not as many arguments as parameters.
 */
STRATA_CHECKED strata_status strata_prepared_open(strata_prepared *prepared, strata_view *view,
                                                  const strata_value *arguments, uint32_t argument_count,
                                                  strata_query_cursor **out, strata_error *error);

/* ---- Queries that are prepared by themselves -------------------------- */

enum { STRATA_CACHED_QUERIES = 32 /**< that a cache has prepared at most */ };

/**
 * Prepared queries by their shape, for programs that make each query anew: two queries have one shape if they differ
 * only in the constants of comparisons. The second query of a shape is prepared, and those behind it are run as that.
 *
 * Answers and failures are those of strata_query_run() and strata_query_count(). Only queries on a table are prepared
 * that continue no order (`after`), have at most 24 constants, neither a STRATA_WITHIN nor a STRATA_STEP_KEY, and are
 * small; all others are run as they are. When there are too many, those of the shapes that were not used for long go.
 *
 * Lifetime: as a prepared query; nothing of a query is needed any more after a call.
 * Thread: it belongs to no thread, but one call at a time may use it; another one fails with STRATA_MISUSE.
 */
typedef struct strata_query_cache strata_query_cache;

/** Ownership: the caller frees `*out` with strata_query_cache_free(). Fails: STRATA_NO_MEMORY. */
STRATA_CHECKED strata_status strata_query_cache_make(strata_query_cache **out, strata_error *error);
/** Frees the cache and what it has prepared. NULL is allowed. */
void strata_query_cache_free(strata_query_cache *cache);
/** How many prepared queries it has. */
uint32_t strata_query_cache_prepared(const strata_query_cache *cache);

/** Runs a query. Ownership, and Fails: as strata_query_run(). */
STRATA_CHECKED strata_status strata_query_cache_run_sized(strata_query_cache *cache, strata_view *view,
                                                          const strata_query *query, strata_keys *out,
                                                          strata_query_stats *stats, size_t stats_size,
                                                          strata_error *error);
STRATA_CHECKED static inline strata_status strata_query_cache_run(strata_query_cache *cache, strata_view *view,
                                                                  const strata_query *query, strata_keys *out,
                                                                  strata_query_stats *stats, strata_error *error) {
    return strata_query_cache_run_sized(cache, view, query, out, stats, sizeof *stats, error);
}
/** Counts what a query would return. Fails: as strata_query_count(). */
STRATA_CHECKED strata_status strata_query_cache_count_sized(strata_query_cache *cache, strata_view *view,
                                                            const strata_query *query, uint64_t *out,
                                                            strata_query_stats *stats, size_t stats_size,
                                                            strata_error *error);
STRATA_CHECKED static inline strata_status strata_query_cache_count(strata_query_cache *cache, strata_view *view,
                                                                    const strata_query *query, uint64_t *out,
                                                                    strata_query_stats *stats, strata_error *error) {
    return strata_query_cache_count_sized(cache, view, query, out, stats, sizeof *stats, error);
}

#ifdef __cplusplus
}
#endif
#endif
