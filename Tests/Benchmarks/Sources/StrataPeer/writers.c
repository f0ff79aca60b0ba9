/* SPDX-License-Identifier: MIT
 *
 * writers.c -- many writers, each of which waits until what it wrote is durable, and then writes again. */
#include <pthread.h>

#include "store.h"
#include "strata_queue.h"

typedef struct writers writers;

/* What a queued write is told comes from a thread of the store; the thread of the view does it, in that order. */
typedef struct writer {
    writers *all;
    strata_queued_write *queued;
    bool granted;         /* otherwise it is done */
    struct writer *next;  /* that was told something */
} writer;

struct writers {
    store *store;
    pthread_mutex_t lock;
    pthread_cond_t told;
    writer *first, *last;
    writer each[BENCH_WRITERS];
    uint64_t wanted, requested, done;
};

static void pass_on(writer *it, bool granted, strata_status status, const strata_error *error) {
    writers *all = it->all;
    must(status, error);
    pthread_mutex_lock(&all->lock);
    it->granted = granted;
    it->next = NULL;
    if (all->first == NULL) all->first = it;
    else all->last->next = it;
    all->last = it;
    pthread_cond_signal(&all->told);
    pthread_mutex_unlock(&all->lock);
}

static void is_granted(void *it, strata_status status, const strata_error *error) { pass_on(it, true, status, error); }
static void is_done(void *it, strata_status status, const strata_error *error) { pass_on(it, false, status, error); }

static writer *next_told(writers *all) {
    pthread_mutex_lock(&all->lock);
    while (all->first == NULL) pthread_cond_wait(&all->told, &all->lock);
    writer *it = all->first;
    all->first = it->next;
    pthread_mutex_unlock(&all->lock);
    return it;
}

static void request(writer *it) {
    strata_error error;
    writers *all = it->all;
    if (all->requested == all->wanted) return;
    all->requested++;
    must(strata_store_request(all->store->file, STRATA_STORE_WAIT, is_granted, is_done, it, &it->queued, &error),
         &error);
}

static void go_on(writer *it) {
    strata_error error;
    store *s = it->all->store;
    strata_status status = it->granted ? strata_view_begin_granted(s->view, it->queued, &error) : STRATA_OK;
    if (it->granted && status != STRATA_BUSY) {
        must(status, &error);
        create_next_person(s);
        commit(s);
        return;
    }
    strata_queued_write_free(it->queued);
    if (it->granted) it->all->requested--; /* it was too late, and asks again */
    else it->all->done++;
    request(it);
}

double commit_together(store *s, uint64_t count) {
    strata_error error;
    writers all = { .store = s, .lock = PTHREAD_MUTEX_INITIALIZER, .told = PTHREAD_COND_INITIALIZER, .wanted = count };
    for (size_t i = 0; i < BENCH_WRITERS; i++) {
        all.each[i].all = &all;
        request(&all.each[i]);
    }
    while (all.done < count) go_on(next_told(&all));
    must(strata_view_refresh(s->view, NULL, &error), &error); /* it still shows the commit before the last one */
    return (double)count;
}
