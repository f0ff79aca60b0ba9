/* SPDX-License-Identifier: MIT
 *
 * run.h -- queries that are compiled, planned and run in one call.
 */
#ifndef ST_QUERY_RUN_H
#define ST_QUERY_RUN_H

#include "strata_query.h"

/** strata_query_run(), which also tells the words of the keys (order.h) in `*words`; freed by the caller. NULL if the
 * result was not sorted, because an index has its order, or something came behind the sort. */
strata_status st_query_run_with_words(strata_view *view, const strata_query *spec, strata_keys *out, uint64_t **words,
                                      strata_query_stats *stats, strata_error *error);

#endif
