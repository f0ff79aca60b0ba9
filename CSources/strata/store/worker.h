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
#include "store/redo.h"
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
};

/** Queued writes one behind the other. Empty when it is zero. */
typedef struct st_queued_list {
    strata_queued_write *first, *last;
} st_queued_list;

/** Those that share a transaction. */
typedef struct st_group {
    struct st_txn *writer; /* of the worker; NULL: there is no group */
    st_redo redo;          /* what `kept` have changed, and what the current one has changed so far */
    size_t sound;          /* the size of that log without the current one */
    int64_t objects;       /* how many objects there are more, by what `kept` have changed */
    bool broken;           /* the last one was dropped after it had changed trees: only the worker may go on */
    st_queued_list kept;   /* those that handed over their changes */
    unsigned writes;       /* how many of them there are */
    st_time begun;
} st_group;

typedef struct st_worker {
    pthread_mutex_t lock;        /* guards what follows */
    pthread_cond_t changed;      /* broadcast whenever the worker or who closes the store may have to look again */
    strata_store *store;         /* for the thread, which holds it */
    uint32_t holders;            /* the store, and queued writes */
    bool running, joinable, closed;
    uint32_t calls;              /* calls into the program that are being made */
    bool ended;                  /* some that do not wait any longer have not been told so yet */
    pthread_t thread;
    st_queued_list waiting;       /* as they came */
    uint32_t cancelled;           /* how many of those that wait were cancelled */
    st_time soonest;              /* none of their deadlines is before this */
    st_group group;
    strata_queued_write *current; /* the one of the group that is granted or borrows */
    st_time granted;              /* when it was granted */
} st_worker;

/** NULL if there is no memory. */
st_worker *st_worker_make(strata_store *store);
/** Lets go of a worker; NULL is allowed. The store does so when its thread has let go of the store. */
void st_worker_let_go(st_worker *worker);
/** Lets go of a queued write; the second one with the lock held, by who holds the worker, too. */
void st_queued_let_go(strata_queued_write *queued);
void st_queued_let_go_locked(strata_queued_write *queued);

void st_queued_append(st_queued_list *list, strata_queued_write *queued);
/** Takes the first one out; NULL if there is none. */
strata_queued_write *st_queued_take(st_queued_list *list);

/** Starts the thread, which is not running, with all signals blocked. With the lock held; `body` gets the store. */
strata_status st_worker_start(st_worker *worker, void *(*body)(void *), strata_error *error);
/** No further write can be queued. */
void st_worker_close(st_worker *worker);
/** The store was opened again. */
void st_worker_reopen(st_worker *worker);
/** Calls the program with the lock released, which is held before and afterwards. */
void st_worker_call(st_worker *worker, strata_queued_call call, void *context, strata_status status,
                    const strata_error *error);

/** After st_worker_close(): waits until the thread has ended, and calls of other threads have returned; if a write has
 * begun, which only the program can end, only until those that waited have been told. The store then stays open until
 * the write has ended. */
void st_worker_wait(st_worker *worker);

/** Sleeps until something changes or that time has come. With the lock held. */
void st_worker_sleep(st_worker *worker, st_time until);

#endif
