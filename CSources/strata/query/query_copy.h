/* SPDX-License-Identifier: MIT
 * query_copy.h -- a query that belongs to nobody else. */
#ifndef ST_QUERY_QUERY_COPY_H
#define ST_QUERY_QUERY_COPY_H

#include "base/arena.h"
#include "strata_query.h"

/** Reads the query of a program, in whatever version of the struct it is. Fails: STRATA_MISUSE. */
strata_status st_query_read(const strata_query *given, strata_query *out, strata_error *error);

/** Replaces what a query that was read and checked points to by copies. False if there is no memory. Lifetime: that of
 * the arena. */
bool st_query_keep(st_arena *arena, strata_query *query);
/** Copies a query that has been checked, with all it points to. NULL if there is no memory. Lifetime: that of the
 * arena. */
const strata_query *st_query_copy(st_arena *arena, const strata_query *query);
/** The same for steps of a path. */
const strata_step *st_steps_copy(st_arena *arena, const strata_step *steps, uint32_t count);

#endif
