/* SPDX-License-Identifier: MIT
 * queue.c -- writes that wait for the writer's turn without a thread of their own.
 *
 * Everything here but adding and cancelling happens on the worker's thread. Calls into the program are made without the
 * lock. While the worker leads a group, `current` is NULL only between two writes. */
#define _GNU_SOURCE 1
#include "store/queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "store/close.h"
#include "store/loan.h"
#include "store/state.h"
#include "store/tree.h"
#include "store/turn.h"
#include "store/worker.h"
#include "store/writer.h"

/* How long a grant may lie unused while others wait, and how often it is looked whether they do. */
static const st_time grace = 20 * ST_MILLISECOND, interval = 5 * ST_MILLISECOND;

/* The thread ends when there was nothing to do for so long. To start it anew takes less than a flush. */
static const st_time idle = 5000 * (st_time)ST_MILLISECOND;

/* ---- Those that wait -------------------------------------------------- */

static void append(st_worker *worker, strata_queued_write *queued) {
    bool sooner = worker->waiting.first == NULL || queued->deadline.end < worker->soonest;
    if (sooner) worker->soonest = queued->deadline.end;
    st_queued_append(&worker->waiting, queued);
}

/* Why a write that waits has to be told something now; STRATA_OK if it goes on waiting. */
static strata_status ended_by(const st_worker *worker, const strata_queued_write *queued, st_time now) {
    if (queued->cancelled) return STRATA_CANCELLED;
    if (worker->closed) return STRATA_CLOSED;
    return now >= queued->deadline.end ? STRATA_BUSY : STRATA_OK;
}

/* Takes those out that do not wait any longer, in their order. */
static st_queued_list take_ended(st_worker *worker, st_time now) {
    st_queued_list ended = { NULL, NULL }, all = worker->waiting;
    strata_queued_write *queued;
    worker->waiting = ended;
    while ((queued = st_queued_take(&all)) != NULL) {
        if (ended_by(worker, queued, now) == STRATA_OK) {
            append(worker, queued);
            continue;
        }
        worker->cancelled -= queued->cancelled;
        queued->state = ST_QUEUED_WITHDRAWN;
        st_queued_append(&ended, queued);
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
    while (worker->waiting.first != NULL && (worker->cancelled != 0 || worker->closed || late >= worker->soonest)) {
        st_queued_list ended = take_ended(worker, late);
        strata_queued_write *queued;
        while ((queued = st_queued_take(&ended)) != NULL) {
            strata_error error;
            strata_status status = why_ended(worker, queued, &error);
            worker->ended = ended.first != NULL;
            st_worker_call(worker, queued->granted, queued->context, status, &error);
            st_queued_let_go_locked(queued);
        }
    }
}

/* The turn could not be had at all: all that wait are told why. With the lock held, as above. */
static void tell_all(st_worker *worker, strata_status status, const strata_error *error) {
    st_queued_list all = worker->waiting;
    strata_queued_write *queued;
    worker->waiting = (st_queued_list){ NULL, NULL };
    worker->cancelled = 0;
    for (queued = all.first; queued != NULL; queued = queued->next) queued->state = ST_QUEUED_WITHDRAWN;
    while ((queued = st_queued_take(&all)) != NULL) {
        st_worker_call(worker, queued->granted, queued->context, status, error);
        st_queued_let_go_locked(queued);
    }
}

/* While the worker waits for the turn. */
static bool nobody_waits(void *context) {
    st_worker *worker = context;
    pthread_mutex_lock(&worker->lock);
    tell_ended(worker, st_time_now());
    bool nobody = worker->waiting.first == NULL;
    pthread_mutex_unlock(&worker->lock);
    return nobody;
}

/* ---- Groups ----------------------------------------------------------- */

/* Does anybody wait for the turn, or for the commit of the group? */
static bool is_waited_for(const st_worker *worker) {
    return worker->waiting.first != NULL || worker->group.kept.first != NULL || st_turn_is_wanted(worker->store);
}

/* Takes the grant from who has not used it, if it has to. With the lock held. */
static void withdraw_if_unused(st_worker *worker, st_time now) {
    strata_queued_write *queued = worker->current;
    if (queued->state != ST_QUEUED_GRANTED) return;
    bool wanted = now - worker->granted >= grace && is_waited_for(worker);
    if (!wanted && !worker->closed && !queued->cancelled) return;
    queued->state = ST_QUEUED_WITHDRAWN;
    worker->current = NULL;
    st_queued_let_go_locked(queued);
}

/* When the worker has to look again at who has the grant, or at those that wait. */
static st_time next_look(const st_worker *worker, st_time now) {
    st_time end = now - worker->granted < grace ? now + grace : now + interval;
    return worker->waiting.first != NULL && worker->soonest < end ? worker->soonest : end;
}

static strata_status change_again(st_group *group, strata_error *error) {
    strata_status status = STRATA_OK;
    st_redo_change change;
    for (size_t at = 0; status == STRATA_OK && st_redo_next(&group->redo, &at, &change);) {
        status = change.deletes ? st_tree_delete(group->writer, change.tree, change.key, error)
                                : st_tree_put(group->writer, change.tree, change.key, change.value, error);
        if (status == STRATA_NOT_FOUND) status = STRATA_OK; /* as it was the first time */
    }
    return status;
}

/* Drops what the last one changed, and keeps what those before it did. */
static strata_status undo(st_group *group, strata_error *error) {
    st_redo_cut(&group->redo, group->sound);
    group->writer->redo = NULL;
    strata_status status = st_writer_restart(group->writer, error);
    if (status == STRATA_OK) status = change_again(group, error);
    group->writer->objects = group->objects;
    group->writer->redo = &group->redo;
    group->broken = false;
    return status;
}

/* Does what is due between two writes of the group. False if there is nothing more to do for the group: it is complete,
 * or has failed. With the lock held. */
static bool go_on(st_worker *worker, strata_status *status, strata_error *error) {
    st_grant grant = { NULL, NULL };
    bool broken = worker->group.broken;
    if (!broken && !st_loan_grant(worker, &grant)) return false;
    if (broken) {
        pthread_mutex_unlock(&worker->lock);
        *status = undo(&worker->group, error);
        pthread_mutex_lock(&worker->lock);
    } else {
        st_worker_call(worker, grant.call, grant.context, STRATA_OK, NULL);
    }
    return *status == STRATA_OK;
}

/* Lends the transaction to one after another. With the lock held. A failure is one of the whole group. */
static strata_status lend(st_worker *worker, strata_error *error) {
    strata_status status = STRATA_OK;
    while (worker->current != NULL || go_on(worker, &status, error)) {
        st_time now = st_time_now();
        if (worker->current != NULL) withdraw_if_unused(worker, now);
        if (worker->current != NULL) st_worker_sleep(worker, next_look(worker, now));
        tell_ended(worker, st_time_now());
    }
    return status;
}

/* Ends the transaction, and tells those that are in it. With the lock held, but not meanwhile. */
static void end_group(st_worker *worker, strata_status status, strata_error *error) {
    st_group group = worker->group;
    strata_queued_write *queued;
    memset(&worker->group, 0, sizeof worker->group);
    pthread_mutex_unlock(&worker->lock);
    st_redo_free(&group.redo);
    if (status == STRATA_OK && group.kept.first != NULL) status = st_writer_commit(group.writer, error);
    else st_writer_abort(group.writer);
    while ((queued = st_queued_take(&group.kept)) != NULL) {
        if (queued->done != NULL) queued->done(queued->context, status, status == STRATA_OK ? NULL : error);
        st_queued_let_go(queued);
    }
    pthread_mutex_lock(&worker->lock);
}

/* Writes for those that wait, and those that come meanwhile. With the lock held, but not while it waits. */
static void write_group(st_worker *worker) {
    strata_error error;
    st_txn *writer;
    const st_deadline patience = { .begun = st_time_now(), .end = INT64_MAX, .is_over = nobody_waits,
                                   .context = worker };
    pthread_mutex_unlock(&worker->lock);
    strata_status status = st_writer_begin_until(worker->store, &patience, &writer, &error);
    pthread_mutex_lock(&worker->lock);
    if (status == STRATA_BUSY) return; /* nobody waited any longer */
    if (status != STRATA_OK) {
        tell_all(worker, status, &error);
        return;
    }
    worker->group.writer = writer;
    worker->group.begun = st_time_now();
    writer->redo = &worker->group.redo;
    tell_ended(worker, INT64_MIN);
    status = lend(worker, &error);
    writer->redo = NULL;
    end_group(worker, status, &error);
}

/* Waits for something to do. False when the thread is to end. With the lock held. */
static bool wait_for_work(st_worker *worker) {
    st_time end = st_time_now() + idle;
    tell_ended(worker, INT64_MIN);
    while (worker->waiting.first == NULL && !worker->closed && st_time_now() < end) st_worker_sleep(worker, end);
    tell_ended(worker, INT64_MIN);
    return worker->waiting.first != NULL;
}

/* The last thing that the thread does: lets go of the store. With the lock held, which is released. */
static void end_thread(st_worker *worker) {
    strata_store *store = worker->store;
    bool by_itself = !worker->closed;
    worker->running = false;
    if (by_itself) {
        /* Nobody waits for this thread, so it leaves nothing to join, and lets go before anybody can close the worker.
         * It is not the last holder: the handles hold the store until they have closed the worker. */
        pthread_detach(worker->thread);
        worker->joinable = false;
        st_store_let_go(store);
    }
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
    if (!by_itself) st_store_let_go(store);
}

static void *work(void *argument) {
    strata_store *store = argument;
    st_worker *worker = store->worker;
    pthread_mutex_lock(&worker->lock);
    while (wait_for_work(worker)) write_group(worker);
    end_thread(worker);
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

strata_status strata_store_request(strata_store *store, uint32_t milliseconds, strata_queued_call granted,
                                   strata_queued_call done, void *context, strata_queued_write **out,
                                   strata_error *error) {
    *out = NULL;
    strata_status status = st_store_check(store, error);
    if (status != STRATA_OK) return status;
    if (granted == NULL)
        return st_fail(error, STRATA_MISUSE, 0, "a queued write needs a function that is called when it is granted");
    if (store->read_only)
        return st_fail(error, STRATA_READ_ONLY, 0, "writing to '%s': it was opened read-only", st_store_name(store));
    st_worker *worker = store->worker;
    st_writer_end_left();
    strata_queued_write *queued = calloc(1, sizeof *queued);
    if (queued == NULL) return st_no_memory(error, "queuing a write");
    *queued = (strata_queued_write){ .worker = worker, .deadline = st_deadline_in(st_store_wait(store, milliseconds)),
                                     .granted = granted, .done = done, .context = context, .holders = 2,
                                     .fork_count = st_fork_count };
    pthread_mutex_lock(&worker->lock);
    status = start_worker(store, error);
    if (status == STRATA_OK) {
        worker->holders++;
        *out = queued;
        append(worker, queued);
        /* Beside one that has the grant, the worker sleeps until the soonest deadline. */
        if (worker->current == NULL || worker->soonest == queued->deadline.end)
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
