/* SPDX-License-Identifier: MIT
 * snapshot.c -- read transactions, and the pool they are kept in between uses.
 *
 * LMDB publishes a reader's number before it copies the roots, so a reader that was interrupted in between sees a
 * later commit than its number says, and a foreign lock table can name any number. The header record tells which
 * commit the content is; a snapshot is handed out only when both agree. */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "store/handle.h"
#include "store/header.h"

strata_store *st_txn_store(const st_txn *txn) { return txn->store; }
st_header *st_txn_header(st_txn *txn) { return &txn->header; }

void st_store_hold(strata_store *store) { atomic_fetch_add(&store->live, 1); }

void st_store_let_go(strata_store *store) {
    /* Counting out is the last look at the store; the sweep finds it by address, if it is still there. */
    if (atomic_fetch_sub(&store->live, 1) == 1) st_registry_sweep(store);
}

void st_txn_close_seekers(st_txn *txn) {
    for (int i = 0; i < ST_TREES; i++) {
        if (txn->seekers[i] != NULL) mdb_cursor_close(txn->seekers[i]);
        txn->seekers[i] = NULL;
    }
    txn->seekers_bound = 0;
}

static void free_snapshot(st_txn *txn) {
    if (txn == NULL) return;
    st_txn_close_seekers(txn);
    if (txn->mdb != NULL) mdb_txn_abort(txn->mdb);
    free(txn);
}

static st_txn *take_idle(strata_store *store) {
    pthread_mutex_lock(&store->pool_lock);
    st_txn *txn = store->idle;
    if (txn != NULL) {
        store->idle = txn->next;
        store->idle_count--;
    }
    pthread_mutex_unlock(&store->pool_lock);
    return txn;
}

double st_seconds_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Enters the snapshot into the list of those in use. */
static void enlist(strata_store *store, st_txn *txn) {
    txn->begun = st_seconds_now();
    txn->label[0] = 0;
    txn->previous = NULL;
    pthread_mutex_lock(&store->pool_lock);
    txn->next = store->open;
    if (txn->next != NULL) txn->next->previous = txn;
    store->open = txn;
    pthread_mutex_unlock(&store->pool_lock);
}

/* Leaves the list of those in use for that of the idle ones, if there is room. */
static bool put_idle(strata_store *store, st_txn *txn) {
    pthread_mutex_lock(&store->pool_lock);
    if (txn->next != NULL) txn->next->previous = txn->previous;
    if (txn->previous != NULL) txn->previous->next = txn->next;
    else store->open = txn->next;
    bool room = store->idle_count < ST_IDLE_SNAPSHOTS;
    if (room) {
        txn->next = store->idle;
        store->idle = txn;
        store->idle_count++;
    }
    pthread_mutex_unlock(&store->pool_lock);
    return room;
}

void st_pool_drain(strata_store *store) {
    for (st_txn *txn; (txn = take_idle(store)) != NULL;) free_snapshot(txn);
}

static int begin_once(st_txn *txn) {
    if (txn->mdb != NULL) return st_called(mdb_txn_renew(txn->mdb));
    int code = st_called(mdb_txn_begin(txn->store->env, NULL, MDB_RDONLY, &txn->mdb));
    if (code != 0) txn->mdb = NULL;
    return code;
}

/* The slots of processes that were killed stay taken until somebody looks. */
static int begin_or_clean_up(st_txn *txn) {
    int code = begin_once(txn);
    if (code != MDB_READERS_FULL) return code;
    int dead = 0;
    (void)st_called(mdb_reader_check(txn->store->env, &dead));
    return begin_once(txn);
}

static strata_status read_header(st_txn *txn, strata_error *error) {
    MDB_val key = { ST_HEADER_KEY_SIZE, (void *)(uintptr_t)st_header_key }, value = { 0, NULL };
    int code = st_called(mdb_get(txn->mdb, txn->store->trees[ST_META], &key, &value));
    if (code == MDB_NOTFOUND)
        return st_fail(error, STRATA_CORRUPT, 0, "the header record of '%s' is missing: restore a backup",
                       st_store_name(txn->store));
    if (code != 0) return st_lmdb_fail(error, code, txn->store, "reading");
    strata_status status =
        st_header_check((strata_bytes){ value.mv_data, value.mv_size }, false, st_store_name(txn->store), error);
    if (status == STRATA_OK) st_header_read(value.mv_data, &txn->header, &txn->stamp);
    return status;
}

static strata_status begin_agreeing(st_txn *txn, strata_error *error) {
    enum { TRIES = 100 };
    for (int attempt = 0; attempt < TRIES; attempt++) {
        int code = begin_or_clean_up(txn);
        if (code != 0) return st_lmdb_fail(error, code, txn->store, "reading");
        strata_status status = read_header(txn, error);
        if (status != STRATA_OK) return status;
        if (txn->stamp == mdb_txn_id(txn->mdb)) return STRATA_OK;
        mdb_txn_reset(txn->mdb);
    }
    return st_fail(error, STRATA_REPLACED_FILE, 0,
                   "'%s' and its lock file do not belong together: another process still uses a file of this name "
                   "that was deleted or replaced; end that process first", st_store_name(txn->store));
}

strata_status st_snapshot_begin(strata_store *store, st_txn **out, strata_error *error) {
    *out = NULL;
    if (st_forked(store)) return st_fork_fail(store, error);
    st_txn *txn = take_idle(store);
    if (txn == NULL) {
        txn = calloc(1, sizeof *txn);
        if (txn == NULL) return st_no_memory(error, "beginning a snapshot");
        txn->store = store;
    }
    strata_status status = begin_agreeing(txn, error);
    if (status != STRATA_OK) {
        free_snapshot(txn);
        return status;
    }
    st_store_hold(store);
    enlist(store, txn);
    *out = txn;
    return STRATA_OK;
}

void st_snapshot_set_label(st_txn *snapshot, const char *label) {
    size_t size = st_utf8_fit(label, strlen(label), STRATA_MAX_LABEL);
    pthread_mutex_lock(&snapshot->store->pool_lock);
    memcpy(snapshot->label, label, size);
    snapshot->label[size] = 0;
    pthread_mutex_unlock(&snapshot->store->pool_lock);
}

bool st_snapshot_is_stale(const st_txn *snapshot) {
    MDB_envinfo info;
    if (st_forked(snapshot->store)) return true;
    if (st_called(mdb_env_info(snapshot->store->env, &info)) != 0) return true;
    return (uint64_t)info.me_last_txnid != snapshot->stamp;
}

void st_snapshot_end(st_txn *snapshot) {
    if (snapshot == NULL) return;
    strata_store *store = snapshot->store;
    if (st_forked(store)) {
        free(snapshot); /* what LMDB holds belongs to the parent */
        return;
    }
    st_lmdb_calls++;
    mdb_txn_reset(snapshot->mdb);
    snapshot->seekers_bound = 0;
    if (!put_idle(store, snapshot)) free_snapshot(snapshot);
    st_store_let_go(store);
}
