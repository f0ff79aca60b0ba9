/* SPDX-License-Identifier: MIT
 * worker.c -- the thread that a store has for queued writes, and what waits for it. */
#define _GNU_SOURCE 1
#include "store/worker.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/thread.h"

st_worker *st_worker_make(strata_store *store) {
    st_worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL) return NULL;
    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->changed, NULL);
    worker->store = store;
    worker->holders = 1;
    return worker;
}

/* With the lock held, which is released. */
static void let_go(st_worker *worker) {
    bool last = --worker->holders == 0;
    pthread_mutex_unlock(&worker->lock);
    if (!last) return;
    if (worker->joinable) pthread_detach(worker->thread); /* it has let go of the store, and touches nothing any more */
    pthread_cond_destroy(&worker->changed);
    pthread_mutex_destroy(&worker->lock);
    free(worker);
}

void st_worker_let_go(st_worker *worker) {
    if (worker == NULL) return;
    pthread_mutex_lock(&worker->lock);
    let_go(worker);
}

void st_queued_let_go(strata_queued_write *queued) {
    st_worker *worker = queued->worker;
    pthread_mutex_lock(&worker->lock);
    worker->holders++;
    st_queued_let_go_locked(queued);
    let_go(worker);
}

void st_queued_let_go_locked(strata_queued_write *queued) {
    if (--queued->holders != 0) return;
    queued->worker->holders--;
    free(queued);
}

void st_queued_append(st_queued_list *list, strata_queued_write *queued) {
    queued->next = NULL;
    if (list->last != NULL) list->last->next = queued;
    else list->first = queued;
    list->last = queued;
}

strata_queued_write *st_queued_take(st_queued_list *list) {
    strata_queued_write *first = list->first;
    if (first == NULL) return NULL;
    list->first = first->next;
    if (list->first == NULL) list->last = NULL;
    return first;
}

/* ---- The thread ------------------------------------------------------- */

strata_status st_worker_start(st_worker *worker, void *(*body)(void *), strata_error *error) {
    if (worker->joinable) pthread_join(worker->thread, NULL); /* it has ended, but for its last words */
    worker->joinable = false;
    int code = st_thread_start(&worker->thread, body, worker->store);
    if (code != 0)
        return st_fail(error, STRATA_NO_MEMORY, code, "queuing a write: the system starts no further thread (%s)",
                       strerror(code));
    worker->running = worker->joinable = true;
    return STRATA_OK;
}

void st_worker_close(st_worker *worker) {
    pthread_mutex_lock(&worker->lock);
    worker->closed = true;
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
}

void st_worker_reopen(st_worker *worker) {
    pthread_mutex_lock(&worker->lock);
    worker->closed = false;
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
}

/* The worker for which this thread makes a call into the program. */
static _Thread_local const st_worker *caller_of;

void st_worker_call(st_worker *worker, strata_queued_call call, void *context, strata_status status,
                    const strata_error *error) {
    const st_worker *before = caller_of;
    caller_of = worker;
    worker->calls++;
    pthread_mutex_unlock(&worker->lock);
    call(context, status, error);
    pthread_mutex_lock(&worker->lock);
    worker->calls--;
    caller_of = before;
    if (worker->closed) pthread_cond_broadcast(&worker->changed);
}

/* A borrowed transaction ends when the program ends it, perhaps later on this very thread: then only the calls count
 * that are due. A callback cannot wait for itself. */
static bool is_worth_waiting(const st_worker *worker) {
    bool borrowed = worker->current != NULL && worker->current->state == ST_QUEUED_BORROWS;
    bool told = worker->waiting.first == NULL && !worker->ended && worker->calls == 0;
    bool due = worker->running ? !(borrowed && told) : worker->calls != 0;
    bool own = caller_of == worker || (worker->running && pthread_equal(worker->thread, pthread_self()));
    return worker->closed && due && !own;
}

void st_worker_wait(st_worker *worker) {
    pthread_mutex_lock(&worker->lock);
    while (is_worth_waiting(worker)) pthread_cond_wait(&worker->changed, &worker->lock);
    bool join = !worker->running && worker->joinable;
    pthread_t thread = worker->thread;
    if (join) worker->joinable = false;
    pthread_mutex_unlock(&worker->lock);
    if (join) pthread_join(thread, NULL);
}

void st_worker_sleep(st_worker *worker, st_time until) {
    const st_deadline deadline = { .end = until };
    const struct timespec end = st_deadline_spec(&deadline);
    (void)pthread_cond_clockwait(&worker->changed, &worker->lock, CLOCK_MONOTONIC, &end);
}
