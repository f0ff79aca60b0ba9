/* SPDX-License-Identifier: MIT
 * close.c -- closing a store, and keeping it open. */
#define _GNU_SOURCE 1
#include "store/close.h"

#include <stdlib.h>
#include <unistd.h>

#include "store/deferral.h"
#include "store/durability.h"
#include "store/lock.h"
#include "store/log_end.h"
#include "store/page_log.h"
#include "store/pool.h"
#include "store/registry.h"
#include "store/state.h"
#include "store/worker.h"

void st_store_destroy(strata_store *store) {
    if (store == NULL) return;
    if (store->attachment != NULL) store->free_attachment(store->attachment);
    st_deferral_end_thread(store);
    st_pool_drain(store);
    st_log_end(store);
    st_deferral_end(store);
    st_flush_at_close(store);
    if (store->env != NULL) mdb_env_close(store->env);
    st_lock_release(store); /* after LMDB has closed the file, which the locks guard */
    if (store->file >= 0) close(store->file);
    st_worker_let_go(store->worker);
    st_gate_free(&store->gate);
    st_history_free(&store->history);
    st_page_log_free(&store->log);
    pthread_mutex_destroy(&store->deferral.lock);
    pthread_cond_destroy(&store->deferral.changed);
    pthread_mutex_destroy(&store->slots_lock);
    pthread_mutex_destroy(&store->pool_lock);
    pthread_mutex_destroy(&store->advice.lock);
    pthread_mutex_destroy(&store->lock);
    st_page_use_free(&store->use);
    free(store->path);
    free(store->memory_name);
    free(store);
}

/* ---- Holders ---------------------------------------------------------- */

void st_store_hold(strata_store *store) { atomic_fetch_add(&store->live, 1); }

/* Closes a store after its last holder let go. Meanwhile another thread may have opened it again, or even closed it: so
 * it is looked for by its address, and not read before it was found. */
static void close_unless_held(strata_store *store) {
    st_registry_lock();
    if (st_registry_has(store) && store->handles == 0 && atomic_load(&store->live) == 0) {
        st_registry_remove(store);
        st_store_destroy(store);
    }
    st_registry_unlock();
}

void st_store_let_go(strata_store *store) {
    /* From here on another thread may free the store. */
    if (atomic_fetch_sub(&store->live, 1) == 1) close_unless_held(store);
}

void strata_store_close(strata_store *store) {
    if (store == NULL) return;
    st_registry_lock();
    /* A forked child must not close the store: what LMDB holds belongs to the parent. */
    bool last = !st_forked(store) && store->handles > 0 && --store->handles == 0;
    if (last) st_worker_close(store->worker); /* with the lock held: who opens the store again comes after this */
    st_registry_unlock();
    if (!last) return;
    st_worker_wait(store->worker);
    st_store_let_go(store); /* if there are other holders, the last of them closes the store */
}
