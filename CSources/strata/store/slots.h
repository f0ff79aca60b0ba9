/* SPDX-License-Identifier: MIT
 *
 * slots.h -- LMDB's table of readers, which all processes share.
 *
 * Each snapshot has a slot in it. LMDB looks for a free slot, and for slots of dead processes, with a mutex that is
 * not safe when several processes die at once (see lock.h). So this is done here only, by one process at a time.
 */
#ifndef ST_STORE_SLOTS_H
#define ST_STORE_SLOTS_H

#include "store/deadline.h"
#include "store/state.h"

/** Begins a read transaction of LMDB with a slot of its own. Returns LMDB's code; ETIMEDOUT if another process kept the
 * table to itself until the deadline. */
int st_slots_begin(strata_store *store, const st_deadline *deadline, MDB_txn **out);
/** The same when a store was opened, and before that frees the slots of processes that died. */
int st_slots_begin_first(strata_store *store, const st_deadline *deadline, MDB_txn **out);
/** Fails with STRATA_BUSY and says who kept the table to itself. */
strata_status st_slots_fail(const strata_store *store, const char *doing, strata_error *error);
/** Frees the slots of processes that died, unless others keep the table to themselves. A slot of a dead reader keeps
 * old pages from being used again. */
void st_slots_forget_dead(strata_store *store);

#endif
