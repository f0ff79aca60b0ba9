/* SPDX-License-Identifier: MIT
 *
 * query_name.h -- bytes that stand for a query.
 *
 * Two queries have the same bytes only if they have the same results in the same order, whatever is in the store.
 */
#ifndef ST_OBSERVE_QUERY_NAME_H
#define ST_OBSERVE_QUERY_NAME_H

#include "base/buffer.h"
#include "strata_query.h"

/** Appends the bytes of a query that has been checked, and has no `after`. False if there is no memory. */
bool st_query_name(const strata_query *query, st_buffer *out);

#endif
