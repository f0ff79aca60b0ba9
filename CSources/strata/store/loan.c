/* SPDX-License-Identifier: MIT
 * loan.c -- the transaction of a store's worker, lent to a queued write. */
#define _GNU_SOURCE 1
#include "store/loan.h"

#include <string.h>

#include "base/status.h"
#include "store/state.h"

/* A group ends after so many writes, or when it has taken so long: those that have handed over their changes wait for
 * the disk, and others for the turn. Fewer writes share the cost of a flush among them well enough. */
enum { MOST_WRITES = 256 };
static const st_time longest_group = 50 * ST_MILLISECOND;

static bool may_go_on(const st_worker *worker, st_time now) {
    const st_group *group = &worker->group;
    return !group->broken && !group->redo.full && group->writes < MOST_WRITES && now - group->begun < longest_group;
}

/* Must one of those that wait be told something else than that it is granted? Then the worker has to look. Whoever was
 * in time when the group got its turn still is, until a write has had it. */
static bool is_tidy(const st_worker *worker, st_time now) {
    bool in_time = worker->group.writes == 0 || now < worker->soonest;
    return !worker->closed && worker->cancelled == 0 && in_time;
}

bool st_loan_grant(st_worker *worker, st_grant *out) {
    st_time now = st_time_now();
    if (!may_go_on(worker, now) || !is_tidy(worker, now)) return false;
    strata_queued_write *queued = st_queued_take(&worker->waiting);
    if (queued == NULL) return false;
    queued->state = ST_QUEUED_GRANTED;
    worker->current = queued;
    worker->granted = now;
    *out = (st_grant){ queued->granted, queued->context };
    return true;
}

/* What LMDB knows of the transaction moves with it. */
static void move_transaction(st_txn *from, st_txn *to) {
    to->mdb = from->mdb;
    memcpy(to->seekers, from->seekers, sizeof to->seekers);
    to->put = from->put;
    to->objects = from->objects;
    to->last_page = from->last_page;
    to->deleted = from->deleted;
    to->touched = from->touched;
    to->unrecorded = from->unrecorded;
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
    st_txn *lent = worker->group.writer;
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
    if (worker->closed) pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
    return STRATA_OK;
}

/* What a write leaves to its group. */
static void leave(st_group *group, strata_queued_write *queued, bool keep, bool is_last) {
    queued->state = keep ? ST_QUEUED_RETURNED : ST_QUEUED_DROPPED;
    if (keep) {
        st_queued_append(&group->kept, queued);
        group->writes = is_last ? MOST_WRITES : group->writes + 1;
        group->sound = group->redo.log.size;
        group->objects = group->writer->objects;
    } else {
        group->broken = group->redo.log.size != group->sound || group->redo.full ||
                        group->writer->failure != STRATA_OK;
        st_queued_let_go_locked(queued);
    }
}

/* With the lock held, which is released. */
static void end(st_worker *worker, st_txn *borrower, bool keep) {
    strata_queued_write *queued = borrower->queued;
    st_grant next;
    st_txn *lent = worker->group.writer;
    move_transaction(borrower, lent);
    lent->failure = borrower->failure;
    borrower->redo = NULL;
    st_gate_pass(&lent->store->gate, worker->thread);
    leave(&worker->group, queued, keep, borrower->is_last);
    worker->current = NULL;
    /* If it is simple, the transaction goes to the next one without a detour over the worker's thread. */
    bool granted = st_loan_grant(worker, &next);
    if (!granted || worker->closed) pthread_cond_broadcast(&worker->changed);
    worker->holders++; /* so that it is there when the call has returned */
    if (granted) st_worker_call(worker, next.call, next.context, STRATA_OK, NULL);
    pthread_mutex_unlock(&worker->lock);
    st_worker_let_go(worker);
}

void st_loan_end(st_txn *borrower, bool keep) {
    st_worker *worker = borrower->store->worker;
    pthread_mutex_lock(&worker->lock);
    end(worker, borrower, keep);
}

bool st_loan_leave(st_txn *borrower, int user) {
    st_worker *worker = borrower->store->worker;
    pthread_mutex_lock(&worker->lock);
    bool last = borrower->left != ST_LEFT_BY_NOBODY;
    borrower->left = user;
    if (last) pthread_mutex_unlock(&worker->lock);
    else end(worker, borrower, false);
    return last;
}
