/* SPDX-License-Identifier: MIT
 * loan.c -- the transaction of a store's worker, lent to a queued write. */
#define _GNU_SOURCE 1
#include "store/loan.h"

#include <string.h>

#include "base/status.h"
#include "store/state.h"

/* What LMDB knows of the transaction moves with it. */
static void move_transaction(st_txn *from, st_txn *to) {
    to->mdb = from->mdb;
    memcpy(to->seekers, from->seekers, sizeof to->seekers);
    to->put = from->put;
    to->deleted = from->deleted;
    from->mdb = NULL;
    memset(from->seekers, 0, sizeof from->seekers);
}

strata_status st_loan_take(strata_queued_write *queued, st_txn *borrower, strata_error *error) {
    st_worker *worker = queued->worker;
    pthread_mutex_lock(&worker->lock);
    if (queued->state != ST_QUEUED_GRANTED) {
        st_queued_state state = queued->state;
        pthread_mutex_unlock(&worker->lock);
        if (state == ST_QUEUED_WITHDRAWN)
            return st_fail(error, STRATA_BUSY, 0,
                           "a queued write was granted, but not begun while others waited for it; request it again");
        return st_fail(error, STRATA_MISUSE, 0, state == ST_QUEUED_WAITS ?
                       "a queued write cannot begin before it is granted" : "a queued write can begin only once");
    }
    st_txn *lent = queued->lent;
    move_transaction(lent, borrower);
    borrower->store = lent->store;
    borrower->writing = true;
    borrower->owner = pthread_self();
    borrower->stamp = lent->stamp;
    borrower->header = lent->header;
    memcpy(borrower->record, lent->record, sizeof borrower->record);
    borrower->redo = lent->redo;
    borrower->queued = queued;
    queued->state = ST_QUEUED_BORROWS;
    st_gate_pass(&lent->store->gate, pthread_self());
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
    return STRATA_OK;
}

void st_loan_end(st_txn *borrower, bool keep) {
    strata_queued_write *queued = borrower->queued;
    st_worker *worker = queued->worker;
    pthread_mutex_lock(&worker->lock);
    st_txn *lent = queued->lent;
    move_transaction(borrower, lent);
    lent->failure = borrower->failure;
    borrower->queued = NULL;
    borrower->redo = NULL;
    queued->state = keep ? ST_QUEUED_RETURNED : ST_QUEUED_DROPPED;
    st_gate_pass(&lent->store->gate, worker->thread);
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
}
