/* SPDX-License-Identifier: MIT
 *
 * change_set.h -- what several commits changed together.
 *
 * The changes stand by tables, and then by keys; those of one object in the order in which they were made. An object
 * that one commit created and another one deleted has both.
 */
#ifndef ST_OBSERVE_CHANGE_SET_H
#define ST_OBSERVE_CHANGE_SET_H

#include <stdbool.h>

#include "strata_changes.h"

/** Empty when it is zero. Freed with st_change_set_free(). */
typedef struct st_change_set {
    strata_delta *deltas;
    size_t count, capacity;
    bool whole; /* anything may have changed, and `deltas` does not say what */
} st_change_set;

/** Appends the changes of a commit. Fails: STRATA_NO_MEMORY, STRATA_CORRUPT. */
strata_status st_change_set_append(st_change_set *changes, strata_commit *commit, strata_error *error);
/** Puts all that was appended in order. Fails: STRATA_NO_MEMORY. */
strata_status st_change_set_finish(st_change_set *changes, strata_error *error);
void st_change_set_free(st_change_set *changes);

/** The changes of a table, or of an object; `*count` is how many. */
const strata_delta *st_change_set_table(const st_change_set *changes, uint32_t table, size_t *count);
const strata_delta *st_change_set_object(const st_change_set *changes, uint32_t table, uint64_t key, size_t *count);
/** Whether all objects were deleted that the table had. */
bool st_change_set_cleared(const st_change_set *changes, uint32_t table);
/** Whether the object was deleted. */
bool st_change_set_deleted(const st_change_set *changes, uint32_t table, uint64_t key);

#endif
