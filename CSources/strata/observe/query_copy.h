/* SPDX-License-Identifier: MIT
 * query_copy.h -- a query that belongs to nobody else. */
#ifndef ST_OBSERVE_QUERY_COPY_H
#define ST_OBSERVE_QUERY_COPY_H

#include "base/arena.h"
#include "strata_query.h"

/** Copies a query that has been checked, with all it points to. NULL if there is no memory. Lifetime: that of the
 * arena. */
const strata_query *st_query_copy(st_arena *arena, const strata_query *query);
/** The same for steps of a path. */
const strata_step *st_steps_copy(st_arena *arena, const strata_step *steps, uint32_t count);

#endif
