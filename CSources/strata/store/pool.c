/* SPDX-License-Identifier: MIT
 * pool.c -- the snapshots of a store: those in use, and the idle ones. */
#define _GNU_SOURCE 1
#include "store/pool.h"

#include <stdlib.h>

enum { IDLE_SNAPSHOTS = 64 };

double st_seconds_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void st_pool_free(st_txn *txn) {
    if (txn == NULL) return;
    if (txn->mdb != NULL) mdb_txn_abort(txn->mdb);
    free(txn);
}

st_txn *st_pool_pop(strata_store *store) {
    pthread_mutex_lock(&store->pool_lock);
    st_txn *txn = store->idle;
    if (txn != NULL) {
        store->idle = txn->next;
        store->idle_count--;
    }
    pthread_mutex_unlock(&store->pool_lock);
    return txn;
}

void st_pool_enlist(strata_store *store, st_txn *txn) {
    txn->begun = st_seconds_now();
    txn->label[0] = 0;
    txn->previous = NULL;
    pthread_mutex_lock(&store->pool_lock);
    txn->next = store->open;
    if (txn->next != NULL) txn->next->previous = txn;
    store->open = txn;
    pthread_mutex_unlock(&store->pool_lock);
}

bool st_pool_push(strata_store *store, st_txn *txn) {
    pthread_mutex_lock(&store->pool_lock);
    if (txn->next != NULL) txn->next->previous = txn->previous;
    if (txn->previous != NULL) txn->previous->next = txn->next;
    else store->open = txn->next;
    bool room = store->idle_count < IDLE_SNAPSHOTS;
    if (room) {
        txn->next = store->idle;
        store->idle = txn;
        store->idle_count++;
    }
    pthread_mutex_unlock(&store->pool_lock);
    return room;
}

void st_pool_drain(strata_store *store) {
    for (st_txn *txn; (txn = st_pool_pop(store)) != NULL;) st_pool_free(txn);
}
