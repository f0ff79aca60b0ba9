/* SPDX-License-Identifier: MIT
 *
 * writer.h -- write transactions.
 *
 * There is at most one at a time on a file, over all processes. It belongs to the thread that began it, which has to
 * end it, too; if that thread ends first, the changes are lost.
 */
#ifndef ST_STORE_WRITER_H
#define ST_STORE_WRITER_H

#include "store/deadline.h"
#include "store/handle.h"
#include "strata_queue.h"

/** Begins the write transaction, waiting for other writers as long as the store is configured to. Checks that the file
 * is still the one opened, and the first time all pages of its trees: see soundness.h. Fails: STRATA_BUSY, ... */
strata_status st_writer_begin(strata_store *store, st_txn **out, strata_error *error);
strata_status st_writer_begin_within(strata_store *store, uint32_t milliseconds, st_txn **out, strata_error *error);
strata_status st_writer_begin_until(strata_store *store, const st_deadline *deadline, st_txn **out,
                                    strata_error *error);
/** Begins a queued write that was granted: a writer that borrows the transaction of the worker (loan.h). To commit or
 * abort it gives that back, and the worker commits later. Fails: STRATA_BUSY (the grant was withdrawn), ... */
strata_status st_writer_borrow(strata_queued_write *queued, st_txn **out, strata_error *error);
/** Whether the writer is that of a queued write. */
bool st_writer_is_borrowed(const st_txn *writer);
/** Drops the changes, and begins again at once, with the writer's turn kept. After a failure only abort is left. */
strata_status st_writer_restart(st_txn *writer, strata_error *error);
/** Commits, with a new header record. `writer` is gone whatever is returned, except when another thread owns it: then
 * this fails with STRATA_WRONG_THREAD and changes nothing. */
strata_status st_writer_commit(st_txn *writer, strata_error *error);
/** The same, with a snapshot of that very commit, taken before anybody else gets the turn. `*seen` is NULL if there is
 * none: of a queued write, which is committed later, and if every reader's slot is taken. */
strata_status st_writer_commit_seen(st_txn *writer, st_txn **seen, strata_error *error);
/** Drops the changes; `writer` is gone. Does nothing for NULL. If another thread owns it, that thread ends it, when it
 * begins a write or requests one, or ends; that of a queued write is ended at once. */
void st_writer_abort(st_txn *writer);
/** Ends those of the calling thread that were aborted by others, who could not. */
void st_writer_end_left(void);

#endif
