/* SPDX-License-Identifier: MIT
 *
 * loan.h -- the transaction of a store's worker, lent to a queued write.
 *
 * The worker begins and ends LMDB's transaction, because LMDB's mutex of writers belongs to its thread. In between it
 * lends the transaction to one queued write at a time, on whatever thread; that has a writer of its own, the borrower.
 * LMDB keeps nothing else of a write transaction by thread. The lock of the worker orders what they do: who has the
 * transaction got it under that lock from whom had it before.
 */
#ifndef ST_STORE_LOAN_H
#define ST_STORE_LOAN_H

#include "store/handle.h"
#include "store/worker.h"

/** The word that a write is granted. */
typedef struct st_grant {
    strata_queued_call call;
    void *context;
} st_grant;

/** Grants the transaction, which nobody has, to the first of those that wait. False if there is none, or if the worker
 * has to look after something first. With the lock of the worker held; the caller passes the word on without it. */
bool st_loan_grant(st_worker *worker, st_grant *out);
/** Lends the transaction of a grant to `borrower`, on the thread that gets it. Fails: STRATA_BUSY if the grant was
 * withdrawn, STRATA_MISUSE if there was none yet, or if it was used already. */
strata_status st_loan_take(strata_queued_write *queued, st_txn *borrower, strata_error *error);
/** Gives the transaction back, with what the borrower changed, or to drop that; and grants it to the next one. */
void st_loan_end(st_txn *borrower, bool keep);
/** One of the two users leaves the borrower: see ST_LEFT_BY_NOBODY. The first one gives the transaction back, and drops
 * what the borrower changed, on any thread. True for the second one, who frees the borrower. */
bool st_loan_leave(st_txn *borrower, int user);

#endif
