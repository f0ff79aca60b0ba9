/* SPDX-License-Identifier: MIT
 *
 * turn.h -- the writer's turn: one writer at a time, over all processes.
 *
 * Threads of one process queue at the gate of their store. The one that the gate admitted then waits for the turn of
 * its process. Only who has the turn calls LMDB to begin a write transaction, and keeps it until that has ended.
 */
#ifndef ST_STORE_TURN_H
#define ST_STORE_TURN_H

#include "store/deadline.h"
#include "store/state.h"

/** Waits for the turn, until a deadline; once that has passed, it only tries. Fails: STRATA_WRITING if this thread has
 * the turn already, STRATA_BUSY at the deadline, with a message that says who has it and since when. */
strata_status st_turn_take(strata_store *store, const st_deadline *deadline, strata_error *error);
/** What st_turn_take() fails with at the deadline, for somebody whose deadline another thread watches. */
strata_status st_turn_fail(strata_store *store, strata_error *error);
/** Does anybody wait for the turn that this store has, here or in another process? */
bool st_turn_is_wanted(strata_store *store);
void st_turn_end(strata_store *store);

#endif
