/* SPDX-License-Identifier: MIT
 *
 * strata_waiter.h -- waiting for the commits of several stores at once, and in event loops.
 *
 * strata_store_wait() waits for one store. A waiter waits for any number of them, of commits of this and of other
 * processes, and has a descriptor that poll() and its like understand. One waiter is enough for a process.
 */
#ifndef STRATA_WAITER_H
#define STRATA_WAITER_H

#include "strata_store.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Waits for commits. Thread: any, several at a time. */
typedef struct strata_waiter strata_waiter;

/** Makes a waiter that follows no store yet. Ownership: the caller closes `*out`. Fails: STRATA_NO_MEMORY. */
STRATA_CHECKED strata_status strata_waiter_open(strata_waiter **out, strata_error *error);

/**
 * Follows a store, which stays open meanwhile. Its present commit is taken as known. What was added several times is
 * removed as often. Up to 127 stores are told of at once, those beyond them within 20 milliseconds.
 *
 * Fails: STRATA_MISUSE, STRATA_NO_MEMORY, STRATA_AFTER_FORK, and what strata_view_open() fails with.
 */
STRATA_CHECKED strata_status strata_waiter_add(strata_waiter *waiter, strata_store *store, strata_error *error);
/** Follows it no longer. */
void strata_waiter_remove(strata_waiter *waiter, strata_store *store);

/**
 * Waits until one of the stores has a commit newer than the last one that the waiter told of, which a view that is
 * refreshed then shows. Returns STRATA_OK, at once if there is one already, or STRATA_NOT_FOUND after so many
 * milliseconds; UINT32_MAX waits for ever. Several commits may be told of at once; each is told to one caller.
 *
 * Ownership: `*out` belongs to the waiter, until it is removed.
 * Fails: STRATA_INTERRUPTED, after strata_waiter_wake(); STRATA_MISUSE; STRATA_AFTER_FORK.
 */
STRATA_CHECKED strata_status strata_waiter_next(strata_waiter *waiter, uint32_t milliseconds, strata_store **out,
                                                strata_error *error);
/** Ends a call of strata_waiter_next() that waits, or the next one, with STRATA_INTERRUPTED. */
void strata_waiter_wake(strata_waiter *waiter);

/**
 * A descriptor for event loops, which can be read as long as strata_waiter_next() has something to tell. Call that with
 * 0 milliseconds until it returns STRATA_NOT_FOUND; do not read from the descriptor. It costs a thread of its own.
 *
 * Ownership: the descriptor belongs to the waiter, and there is one. Fails: STRATA_NO_MEMORY, if the system starts no
 *   further thread; STRATA_IO, if it has no further descriptor; STRATA_MISUSE; STRATA_AFTER_FORK.
 */
STRATA_CHECKED strata_status strata_waiter_descriptor(strata_waiter *waiter, int *out, strata_error *error);

/** Ends it. Nobody may wait, nor begin to. NULL is allowed. */
void strata_waiter_close(strata_waiter *waiter);

#ifdef __cplusplus
}
#endif
#endif
