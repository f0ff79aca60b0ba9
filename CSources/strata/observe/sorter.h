/* SPDX-License-Identifier: MIT
 *
 * sorter.h -- where an object belongs in the sorted result of a query.
 *
 * Objects that are equal in all keys of the order stand in the order of their object keys.
 */
#ifndef ST_OBSERVE_SORTER_H
#define ST_OBSERVE_SORTER_H

#include "observe/ranks.h"
#include "strata_query.h"

/** Finds for objects, which stand in the order of the query, before which position of the ranks each belongs, and its
 * word. `query` has sorts as its only stages. `*rows` is increased by the number of rows that were looked at. Fails: as
 * strata_query_run(). */
strata_status st_sorter_find(strata_view *view, const strata_query *query, st_ranks *ranks, const uint64_t *keys,
                             size_t count, uint64_t *out, uint64_t *words, uint64_t *rows, strata_error *error);
/** Reads the words of the chunks of ranks that were filled without; st_sorter_find() reads those that it needs if there
 * are none. */
strata_status st_sorter_read_words(strata_view *view, const strata_query *query, st_ranks *ranks, uint64_t *rows,
                                   strata_error *error);

#endif
