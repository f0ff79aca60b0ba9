/* SPDX-License-Identifier: MIT
 *
 * worker.h -- the thread that a store has for queued writes, and what waits for it.
 *
 * What the thread does is in queue.h, and how it lends its transaction in loan.h.
 */
#ifndef ST_STORE_WORKER_H
#define ST_STORE_WORKER_H

#include <pthread.h>

#include "store/deadline.h"
#include "strata_queue.h"

struct st_txn;

/** What happens to a queued write, in this order. */
typedef enum st_queued_state {
    ST_QUEUED_WAITS,
    ST_QUEUED_GRANTED,   /* it may borrow the transaction */
    ST_QUEUED_BORROWS,
    ST_QUEUED_RETURNED,  /* what it changed is part of the transaction, */
    ST_QUEUED_DROPPED,   /* or is not; */
    ST_QUEUED_WITHDRAWN  /* or it never borrowed anything, and will not any more */
} st_queued_state;

struct strata_queued_write {
    struct st_worker *worker;
    strata_queued_write *next;
    st_deadline deadline;
    uint32_t fork_count;  /* of the process that queued it: see fork.c */
    strata_queued_call granted, done; /* `done` may be NULL */
    void *context;
    /* Guarded by the worker's lock: */
    uint32_t holders;     /* the program, until it frees the handle, and the queue, until the last call has returned */
    st_queued_state state;
    bool cancelled;
    struct st_txn *lent;  /* while it is granted and borrows: the writer of the worker */
};

typedef struct st_worker {
    pthread_mutex_t lock;        /* guards what follows */
    pthread_cond_t changed;      /* broadcast whenever the worker or who closes the store may have to look again */
    strata_store *store;         /* for the thread, which holds it */
    uint32_t holders;            /* the store, and queued writes */
    bool running, joinable, closed;
    pthread_t thread;
    strata_queued_write *first, *last; /* those that wait, as they came */
    strata_queued_write *current;      /* the one that has the grant */
    uint32_t cancelled;                /* how many of those that wait were cancelled */
    st_time soonest;                   /* none of their deadlines is before this */
} st_worker;

/** NULL if there is no memory. */
st_worker *st_worker_make(strata_store *store);
/** Lets go of a worker; NULL is allowed. The store does so when its thread has let go of the store. */
void st_worker_let_go(st_worker *worker);
/** Lets go of a queued write. */
void st_queued_let_go(strata_queued_write *queued);

/** Starts the thread, which is not running, with all signals blocked. With the lock held; `body` gets the store. */
strata_status st_worker_start(st_worker *worker, void *(*body)(void *), strata_error *error);
/** No further write can be queued. */
void st_worker_close(st_worker *worker);
/** The store was opened again. */
void st_worker_reopen(st_worker *worker);
/** After st_worker_close(): waits until the thread has ended. Does not wait for a write that has begun, since only the
 * program can end that; the store stays open until it has. */
void st_worker_wait(st_worker *worker);

/** Sleeps until something changes or that time has come. With the lock held. */
void st_worker_sleep(st_worker *worker, st_time until);

#endif
