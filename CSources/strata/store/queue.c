/* SPDX-License-Identifier: MIT
 * queue.c -- writes that wait for the writer's turn without a thread of their own.
 *
 * Everything here but adding and cancelling happens on the worker's thread. Calls into the program are made without the
 * lock. */
#define _GNU_SOURCE 1
#include "store/queue.h"

#include <stdlib.h>

#include "base/status.h"
#include "store/close.h"
#include "store/redo.h"
#include "store/state.h"
#include "store/tree.h"
#include "store/turn.h"
#include "store/worker.h"
#include "store/writer.h"

/* A group ends after so many writes, or when it has taken so long: those that have handed over their changes wait for
 * the disk, and others for the turn. Far fewer writes share the cost of a flush among them well enough, and a flush
 * takes a few milliseconds at most. */
enum { MOST_WRITES = 256 };
static const st_time longest_group = 50 * ST_MILLISECOND;

/* How long a grant may lie unused while others wait, and how often it is looked whether they do. */
static const st_time grace = 20 * ST_MILLISECOND, interval = 5 * ST_MILLISECOND;

/* The thread ends when there was nothing to do for so long. To start it anew takes less than a flush. */
static const st_time idle = 5000 * (st_time)ST_MILLISECOND;

/* ---- Those that wait -------------------------------------------------- */

static void append(st_worker *worker, strata_queued_write *queued) {
    queued->next = NULL;
    if (worker->first == NULL) worker->soonest = queued->deadline.end;
    if (worker->last != NULL) worker->last->next = queued;
    else worker->first = queued;
    worker->last = queued;
    if (queued->deadline.end < worker->soonest) worker->soonest = queued->deadline.end;
}

/* A list of writes that are told the same, or each what happened to it. */
typedef struct queued_list {
    strata_queued_write *first, **end;
} queued_list;

static void list_add(queued_list *list, strata_queued_write *queued) {
    if (list->first == NULL) list->end = &list->first;
    queued->next = NULL;
    *list->end = queued;
    list->end = &queued->next;
}

/* Why a write that waits has to be told something now; STRATA_OK if it goes on waiting. */
static strata_status ended_by(const st_worker *worker, const strata_queued_write *queued, st_time now) {
    if (queued->cancelled) return STRATA_CANCELLED;
    if (worker->closed) return STRATA_CLOSED;
    return now >= queued->deadline.end ? STRATA_BUSY : STRATA_OK;
}

/* Takes those out that do not wait any longer, in their order. */
static queued_list take_ended(st_worker *worker, st_time now) {
    queued_list ended = { NULL, NULL };
    strata_queued_write *all = worker->first;
    worker->first = worker->last = NULL;
    while (all != NULL) {
        strata_queued_write *queued = all;
        all = all->next;
        if (ended_by(worker, queued, now) == STRATA_OK) {
            append(worker, queued);
            continue;
        }
        worker->cancelled -= queued->cancelled;
        queued->state = ST_QUEUED_WITHDRAWN;
        list_add(&ended, queued);
    }
    return ended;
}

static strata_status why_ended(const st_worker *worker, const strata_queued_write *queued, strata_error *error) {
    strata_store *store = worker->store;
    if (queued->cancelled)
        return st_fail(error, STRATA_CANCELLED, 0, "writing to '%s': the queued write was cancelled",
                       st_store_name(store));
    if (worker->closed)
        return st_fail(error, STRATA_CLOSED, 0, "writing to '%s': it was closed while the write waited in its queue",
                       st_store_name(store));
    return st_turn_fail(store, error);
}

/* Tells those that were cancelled, closed or too late. With the lock held, which is released for the calls; `late` is
 * the time that deadlines are compared with. */
static void tell_ended(st_worker *worker, st_time late) {
    while (worker->first != NULL && (worker->cancelled != 0 || worker->closed || late >= worker->soonest)) {
        queued_list ended = take_ended(worker, late);
        while (ended.first != NULL) {
            strata_queued_write *queued = ended.first;
            strata_error error;
            ended.first = queued->next;
            strata_status status = why_ended(worker, queued, &error);
            pthread_mutex_unlock(&worker->lock);
            queued->granted(queued->context, status, &error);
            st_queued_let_go(queued);
            pthread_mutex_lock(&worker->lock);
        }
    }
}

/* The turn could not be had at all: all that wait are told why. */
static void tell_all(st_worker *worker, strata_status status, const strata_error *error) {
    pthread_mutex_lock(&worker->lock);
    strata_queued_write *all = worker->first;
    worker->first = worker->last = NULL;
    worker->cancelled = 0;
    for (strata_queued_write *queued = all; queued != NULL; queued = queued->next) queued->state = ST_QUEUED_WITHDRAWN;
    pthread_mutex_unlock(&worker->lock);
    while (all != NULL) {
        strata_queued_write *queued = all;
        all = queued->next;
        queued->granted(queued->context, status, error);
        st_queued_let_go(queued);
    }
}

/* While the worker waits for the turn. */
static bool nobody_waits(void *context) {
    st_worker *worker = context;
    pthread_mutex_lock(&worker->lock);
    tell_ended(worker, st_time_now());
    bool nobody = worker->first == NULL;
    pthread_mutex_unlock(&worker->lock);
    return nobody;
}

/* ---- One write of a group --------------------------------------------- */

typedef struct group {
    st_worker *worker;
    st_txn *writer;
    st_redo redo;        /* what `kept` have changed, and what the current one has changed so far */
    queued_list kept;    /* those that handed over their changes */
    unsigned writes;
    st_time begun;
} group;

static st_time earlier(st_time a, st_time b) { return a < b ? a : b; }

/* Sleeps while one write has the transaction, and tells others about their deadlines. With the lock held. */
static void sleep_beside(st_worker *worker, st_time until) {
    if (worker->first != NULL) until = earlier(until, worker->soonest);
    st_worker_sleep(worker, until);
    tell_ended(worker, st_time_now());
}

/* Waits until the grant is used. With the lock held. */
static void wait_for_begin(st_worker *worker, strata_queued_write *queued) {
    st_time end = st_time_now() + grace;
    while (queued->state == ST_QUEUED_GRANTED) {
        st_time now = st_time_now();
        bool late = now >= end && (worker->first != NULL || st_turn_is_wanted(worker->store));
        if (late || worker->closed || queued->cancelled) queued->state = ST_QUEUED_WITHDRAWN;
        else sleep_beside(worker, now < end ? end : now + interval);
    }
}

static void wait_for_end(st_worker *worker, const strata_queued_write *queued) {
    while (queued->state == ST_QUEUED_BORROWS) sleep_beside(worker, st_time_now() + idle);
}

/* Lends the transaction to a write. With the lock held. */
static void lend(group *g, strata_queued_write *queued) {
    st_worker *worker = g->worker;
    queued->lent = g->writer;
    queued->state = ST_QUEUED_GRANTED;
    worker->current = queued;
    pthread_mutex_unlock(&worker->lock);
    queued->granted(queued->context, STRATA_OK, NULL);
    pthread_mutex_lock(&worker->lock);
    wait_for_begin(worker, queued);
    wait_for_end(worker, queued);
    worker->current = NULL;
    queued->lent = NULL;
}

static strata_status change_again(group *g, strata_error *error) {
    strata_status status = STRATA_OK;
    st_redo_change change;
    g->writer->redo = NULL;
    for (size_t at = 0; status == STRATA_OK && st_redo_next(&g->redo, &at, &change);) {
        status = change.deletes ? st_tree_delete(g->writer, change.tree, change.key, error)
                                : st_tree_put(g->writer, change.tree, change.key, change.value, error);
        if (status == STRATA_NOT_FOUND) status = STRATA_OK; /* as it was the first time */
    }
    g->writer->redo = &g->redo;
    return status;
}

/* A write was dropped after it had changed trees. */
static strata_status undo(group *g, size_t size, strata_error *error) {
    st_redo_cut(&g->redo, size);
    strata_status status = st_writer_restart(g->writer, error);
    return status == STRATA_OK ? change_again(g, error) : status;
}

/* Gives the turn of the group to one write, until that has ended. With the lock held, but not while pages are written.
 * A failure is one of the whole group. */
static strata_status give_turn(group *g, strata_queued_write *queued, strata_error *error) {
    size_t size = g->redo.log.size;
    strata_status status = STRATA_OK;
    lend(g, queued);
    pthread_mutex_unlock(&g->worker->lock);
    bool keep = queued->state == ST_QUEUED_RETURNED; /* it stays what it is */
    bool touched = g->redo.log.size != size || g->redo.full || g->writer->failure != STRATA_OK;
    if (keep) {
        list_add(&g->kept, queued);
        g->writes++;
    } else {
        st_queued_let_go(queued);
        if (touched) status = undo(g, size, error);
    }
    pthread_mutex_lock(&g->worker->lock);
    return status;
}

/* ---- Groups ----------------------------------------------------------- */

static strata_queued_write *take_first(st_worker *worker) {
    strata_queued_write *first = worker->first;
    if (first == NULL) return NULL;
    worker->first = first->next;
    if (worker->first == NULL) worker->last = NULL;
    return first;
}

static bool may_go_on(const group *g) {
    return !g->redo.full && g->writes < MOST_WRITES && st_time_now() - g->begun < longest_group;
}

static void end_group(group *g, strata_status status, strata_error *error) {
    if (status == STRATA_OK && g->kept.first != NULL) status = st_writer_commit(g->writer, error);
    else st_writer_abort(g->writer);
    st_redo_free(&g->redo);
    while (g->kept.first != NULL) {
        strata_queued_write *queued = g->kept.first;
        g->kept.first = queued->next;
        if (queued->done != NULL) queued->done(queued->context, status, status == STRATA_OK ? NULL : error);
        st_queued_let_go(queued);
    }
}

/* Writes for those that wait, and those that come meanwhile. */
static void write_group(st_worker *worker) {
    group g = { .worker = worker };
    strata_error error;
    st_time now = st_time_now();
    const st_deadline patience = { .begun = now, .end = INT64_MAX, .is_over = nobody_waits, .context = worker };
    strata_status status = st_writer_begin_until(worker->store, &patience, &g.writer, &error);
    if (status == STRATA_BUSY) return; /* nobody waited any longer */
    if (status != STRATA_OK) {
        tell_all(worker, status, &error);
        return;
    }
    g.writer->redo = &g.redo;
    g.begun = st_time_now();
    pthread_mutex_lock(&worker->lock);
    tell_ended(worker, INT64_MIN);
    for (strata_queued_write *next; status == STRATA_OK && may_go_on(&g) && (next = take_first(worker)) != NULL;) {
        status = give_turn(&g, next, &error);
        tell_ended(worker, st_time_now());
    }
    pthread_mutex_unlock(&worker->lock);
    end_group(&g, status, &error);
}

/* Waits for something to do. False when the thread is to end. With the lock held. */
static bool wait_for_work(st_worker *worker) {
    st_time end = st_time_now() + idle;
    tell_ended(worker, INT64_MIN);
    while (worker->first == NULL && !worker->closed && st_time_now() < end) st_worker_sleep(worker, end);
    tell_ended(worker, INT64_MIN);
    return worker->first != NULL;
}

static void *work(void *argument) {
    strata_store *store = argument;
    st_worker *worker = store->worker;
    pthread_mutex_lock(&worker->lock);
    while (wait_for_work(worker)) {
        pthread_mutex_unlock(&worker->lock);
        write_group(worker);
        pthread_mutex_lock(&worker->lock);
    }
    worker->running = false;
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
    st_store_let_go(store);
    return NULL;
}

/* ---- Adding ----------------------------------------------------------- */

/* With the lock held. */
static strata_status start_worker(strata_store *store, strata_error *error) {
    if (store->worker->closed)
        return st_fail(error, STRATA_CLOSED, 0, "writing to '%s': its last handle was closed", st_store_name(store));
    if (store->worker->running) return STRATA_OK;
    st_store_hold(store); /* for the thread */
    strata_status status = st_worker_start(store->worker, work, error);
    if (status != STRATA_OK) st_store_let_go(store); /* the caller holds it, too */
    return status;
}

strata_status st_queue_add(strata_store *store, uint32_t milliseconds, strata_queued_call granted,
                           strata_queued_call done, void *context, strata_queued_write **out, strata_error *error) {
    st_worker *worker = store->worker;
    *out = NULL;
    if (store->read_only)
        return st_fail(error, STRATA_READ_ONLY, 0, "writing to '%s': it was opened read-only", st_store_name(store));
    strata_queued_write *queued = calloc(1, sizeof *queued);
    if (queued == NULL) return st_no_memory(error, "queuing a write");
    *queued = (strata_queued_write){ .worker = worker, .deadline = st_deadline_in(milliseconds), .granted = granted,
                                     .done = done, .context = context, .holders = 2,
                                     .fork_count = st_fork_count };
    pthread_mutex_lock(&worker->lock);
    strata_status status = start_worker(store, error);
    if (status == STRATA_OK) {
        worker->holders++;
        *out = queued;
        append(worker, queued);
        pthread_cond_broadcast(&worker->changed);
    }
    pthread_mutex_unlock(&worker->lock);
    if (status != STRATA_OK) free(queued);
    return status;
}

bool st_queue_had(const strata_store *store, const strata_queued_write *queued) {
    return queued->worker == store->worker;
}

void strata_queued_write_cancel(strata_queued_write *queued) {
    if (queued == NULL || queued->fork_count != st_fork_count) return;
    st_worker *worker = queued->worker;
    pthread_mutex_lock(&worker->lock);
    if (!queued->cancelled && queued->state == ST_QUEUED_WAITS) worker->cancelled++;
    if (queued->state == ST_QUEUED_WAITS || queued->state == ST_QUEUED_GRANTED) queued->cancelled = true;
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
}

void strata_queued_write_free(strata_queued_write *queued) {
    if (queued == NULL || queued->fork_count != st_fork_count) return;
    strata_queued_write_cancel(queued);
    st_queued_let_go(queued);
}
