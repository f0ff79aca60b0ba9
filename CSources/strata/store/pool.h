/* SPDX-License-Identifier: MIT
 *
 * pool.h -- the snapshots of a store: a list of those in use, and a pool of idle ones.
 *
 * A snapshot that ends goes to the pool, reset, where it keeps its slot in LMDB's table of readers; the next one that
 * begins needs no new slot. The pool has a limited size.
 */
#ifndef ST_STORE_POOL_H
#define ST_STORE_POOL_H

#include "store/handle.h"
#include "store/state.h"

/** An idle snapshot, now the caller's; NULL if there is none. */
st_txn *st_pool_pop(strata_store *store);
/** Enters a snapshot that begins into the list of those in use, without a label. */
void st_pool_enlist(strata_store *store, st_txn *txn);
/** Moves a snapshot from the list of those in use to the pool. False if the pool is full: then it is in neither. */
bool st_pool_push(strata_store *store, st_txn *txn);
/** Frees a snapshot that is in neither; NULL is allowed. */
void st_pool_free(st_txn *txn);
/** Frees all idle snapshots. */
void st_pool_drain(strata_store *store);

/** Seconds of the monotonic clock, as exact as is cheap. */
double st_seconds_now(void);

#endif
