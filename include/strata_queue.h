/* SPDX-License-Identifier: MIT
 *
 * strata_queue.h -- queued writes: write transactions that wait for their turn without holding a thread.
 *
 * strata_view_begin() keeps its thread until the store can be written. A queued write is requested instead, and the
 * program is told when its turn has come:
 *
 *   1. strata_store_request() puts the write into the queue of the store and returns at once.
 *   2. `granted` is called when it is the turn of the write, or when it has failed to get one.
 *   3. strata_view_begin_granted() begins the write, on the thread of the view, which may be another one than before.
 *      Then the view is used as after strata_view_begin().
 *   4. strata_view_commit() hands the changes over, and does not wait for the disk. Or strata_view_cancel() drops them.
 *   5. `done` is called when the changes are durable, or have failed to become so.
 *
 * Writes that are in the queue together share one commit of the file, and so one wait for the disk: a group. Each of
 * them sees what those before it in the group have changed. If one is cancelled, or fails before it is handed over, the
 * others are not touched; nor if there is no room for it, which its strata_view_commit() says. If the commit of the
 * group fails, all of them fail, and none of their changes is in the file.
 * All of a group have the same version. A group ends when no further write waits, after 256 of them, or after 50
 * milliseconds; then those who wait for the turn in other ways have theirs first.
 *
 * A write whose grant is not begun within 20 milliseconds while somebody else waits (a thread in strata_view_begin(),
 * another process, another queued write, one that was handed over and is to be done) loses it. So a thread that is to
 * begin a queued write may also wait for a write of another kind first. A write that was begun keeps the turn until it
 * ends, as any write does.
 *
 * Calls: each request gets exactly one call of `granted`. If that says STRATA_OK, and the write is handed over by a
 * strata_view_commit() that returned STRATA_OK, it gets exactly one call of `done`; otherwise none. The calls come from
 * a thread of the store, on which all signals are blocked; or, if they say that a write is granted, from the thread
 * that ends the write before it, inside of that call. They must only pass the word on: they must not wait for anything,
 * nor call functions of this library except strata_queued_write_cancel() and strata_queued_write_free(). They may come
 * before the call has returned that led to them.
 *
 * Closing: when the last handle of the store is closed, writes that still wait get their call of `granted`, with
 * STRATA_CLOSED, before strata_store_close() returns, and grants that were not begun are withdrawn. If a queued write
 * has begun, the close does not wait for its end; the store stays open until then. Otherwise those that were handed
 * over are done when the close returns.
 *
 * A thread that ends drops the queued write that it has begun, as every write. After a fork the child has neither the
 * queue nor its calls. A process that dies takes along what it did not hear of by `done`, and others go on.
 */
#ifndef STRATA_QUEUE_H
#define STRATA_QUEUE_H

#include "strata.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct strata_queued_write strata_queued_write;

/** Tells the program about a queued write. `error` belongs to the caller, and is NULL if the status is STRATA_OK. */
typedef void (*strata_queued_call)(void *context, strata_status status, const strata_error *error);

/**
 * Requests a write transaction.
 *
 * `milliseconds` is how long the write may wait for its turn from now on, or STRATA_STORE_WAIT. `granted` then gets
 * STRATA_OK, or STRATA_BUSY with a message that says who has been writing, and for how long; STRATA_CANCELLED,
 * STRATA_CLOSED; or what strata_view_begin() fails with. `done` gets STRATA_OK or what strata_view_commit() fails with;
 * it may be NULL. Both get `context`.
 *
 * Ownership: the caller frees `*out` with strata_queued_write_free(), whenever it likes.
 * Thread: any. Never blocks.
 * Fails, without any call: STRATA_READ_ONLY, STRATA_CLOSED (the last handle of the store was closed), STRATA_MISUSE (no
 *   store, or no `granted`), STRATA_NO_MEMORY (a thread cannot be started, too), STRATA_AFTER_FORK.
 */
STRATA_CHECKED strata_status strata_store_request(strata_store *store, uint32_t milliseconds,
                                                  strata_queued_call granted, strata_queued_call done, void *context,
                                                  strata_queued_write **out, strata_error *error);

/**
 * Begins a write that was granted, with any view of the store, which then shows the newest commit and what the group
 * has changed since.
 *
 * strata_view_commit() then hands the changes over to the group. It returns STRATA_OK when they are part of it, and
 * does not wait for the disk: see `done`. Until then the view shows an older state, without the changes; after `done` a
 * refresh shows them. A commit that fails has dropped the changes of this write only. strata_view_cancel() and
 * strata_view_close() drop them, too.
 *
 * Thread: that of the view, which owns the write until it ends. Blocks for no other writer.
 * Fails: STRATA_BUSY (the grant was withdrawn: request the write again), STRATA_MISUSE (not granted yet, begun
 *   already, or of another store), STRATA_WRITING (the view is in a write), STRATA_WRONG_THREAD, STRATA_READ_ONLY (a
 *   frozen view), STRATA_SCHEMA_MISMATCH (a kept view), STRATA_AFTER_FORK, STRATA_CORRUPT, STRATA_NO_MEMORY. The view
 *   then shows what it showed. After STRATA_WRITING, STRATA_WRONG_THREAD, STRATA_READ_ONLY, and STRATA_MISUSE because
 *   it was not granted yet or is of another store, the grant stays or will come; otherwise all that is left is to free
 *   the handle.
 */
STRATA_CHECKED strata_status strata_view_begin_granted(strata_view *view, strata_queued_write *queued,
                                                       strata_error *error);

/** Cancels a write. If it waits, `granted` is called with STRATA_CANCELLED, soon; if it was granted and not begun, the
 * grant is withdrawn. Once it was begun, or its last call was made, nothing happens. Thread: any. */
void strata_queued_write_cancel(strata_queued_write *queued);

/** Frees the handle; a write that was not begun is cancelled first. Calls that are due still come. Does nothing for
 * NULL. Thread: any, but after this call the handle must not be used on any other. */
void strata_queued_write_free(strata_queued_write *queued);

#ifdef __cplusplus
}
#endif
#endif
