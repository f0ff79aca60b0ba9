/* SPDX-License-Identifier: MIT
 *
 * shared_result.h -- the result of an observed query, and the step that led to it.
 *
 * A result in the order of keys, or of a sort, is kept as ranks: only the objects that a change set concerns are tested
 * and moved. Any other result is found anew when something that decides it was changed, and compared.
 *
 * Invariant: it is the result at the commit `at`, and before the last step it was that at `from`. Observers share it;
 * one of them has made the step, and the others who are due make it, too, when they are asked.
 */
#ifndef ST_OBSERVE_SHARED_RESULT_H
#define ST_OBSERVE_SHARED_RESULT_H

#include "observe/change_set.h"
#include "base/key_set.h"
#include "observe/ranks.h"
#include "observe/shared_query.h"
#include "observe/result_step.h"

typedef struct st_shared_result {
    st_shared_query *query;
    strata_observer *sharers; /* linked by `next_sharer` */
    size_t sharer_count;
    uint64_t from, at;
    uint64_t known; /* none of the sharers was due when the commits up to this one had been read */
    st_ranks ranks; /* if the query is ranked; otherwise */
    strata_keys keys;
    bool lost;      /* after a failure there is neither */
    uint64_t lost_count; /* how many objects there were */
    st_result_step step;
    uint64_t step_number; /* no other step of the query has it; 0: none was made */
} st_shared_result;

/** Runs a query for the commit `at`. Fails: as strata_query_run(), STRATA_NO_MEMORY. */
strata_status st_shared_result_make(st_shared_query *query, st_walker *walker, uint64_t at, st_shared_result **out);
/** Makes a result as one was before its last step. Fails: STRATA_NO_MEMORY. */
strata_status st_shared_result_undo(const st_shared_result *result, st_shared_result **out, strata_error *error);
/** Frees a result without sharers. */
void st_shared_result_free(st_shared_result *result);

/** Makes the step to the commit `to`: the changes are those since the sharers who stand at the result have seen it.
 * Fails: as st_shared_result_make(); it is then as it was, or lost, and after the next step everything is new. */
strata_status st_shared_result_step(st_shared_result *result, st_walker *walker, const st_change_set *changes,
                                    uint64_t to);
/** Tells the step, and which of the objects that stayed were modified; of `all` each of them. False if there is no
 * memory. */
bool st_shared_result_tell(const st_shared_result *result, const st_key_set *modified, bool all, st_found *out);

uint64_t st_shared_result_size(const st_shared_result *result);
/** Copies the keys; the caller frees them. NULL if there is no memory. */
uint64_t *st_shared_result_keys(const st_shared_result *result);
/** Copies so many keys from a position on. They must exist, and the result must not be lost. */
void st_shared_result_copy(const st_shared_result *result, uint64_t position, uint64_t count, uint64_t *out);
/** Where an object is in a result that is not lost. False if it is not in there. */
bool st_shared_result_find(const st_shared_result *result, uint64_t key, uint64_t *out_position);
/** The bytes that it takes. */
size_t st_shared_result_memory(const st_shared_result *result);

#endif
