/* SPDX-License-Identifier: MIT
 * state.c -- an empty store. */
#define _GNU_SOURCE 1
#include "store/state.h"

#include <stdlib.h>
#include <unistd.h>

#include "store/worker.h"

uint32_t st_fork_count;

strata_store *st_store_make(void) {
    strata_store *store = calloc(1, sizeof *store);
    if (store == NULL) return NULL;
    store->file = store->log.file = -1;
    store->process = getpid();
    store->wait = STRATA_DEFAULT_WAIT;
    store->fork_count = st_fork_count;
    store->worker = st_worker_make(store);
    if (store->worker == NULL) {
        free(store);
        return NULL;
    }
    st_gate_make(&store->gate);
    pthread_mutex_init(&store->history.lock, NULL);
    pthread_mutex_init(&store->deferral.lock, NULL);
    pthread_cond_init(&store->deferral.changed, NULL);
    pthread_mutex_init(&store->slots_lock, NULL);
    pthread_mutex_init(&store->pool_lock, NULL);
    pthread_mutex_init(&store->advice.lock, NULL);
    pthread_mutex_init(&store->lock, NULL);
    return store;
}
