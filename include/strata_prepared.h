/* SPDX-License-Identifier: MIT
 *
 * strata_prepared.h -- queries that are checked and compiled once, and run again with other constants.
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

#ifdef __cplusplus
}
#endif
#endif
