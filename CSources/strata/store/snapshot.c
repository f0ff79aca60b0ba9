/* SPDX-License-Identifier: MIT
 *
 * snapshot.c -- read transactions.
 *
 * LMDB gives a snapshot a slot in its table of readers, which holds the number of the commit that was the newest then.
 * All else is read without LMDB, by walking the pages in its map. While writers see the slot, they do not use pages of
 * that commit or of later ones again.
 *
 * The root is read from the meta page, after a memory fence that follows the setting of the slot. If two commits were
 * made in between, the meta page is already that of a later commit, but the pages of that one are kept, too. Which
 * commit it is can be told from the header record that is found from the root: each commit writes the record again,
 * with its own number, to new pages. A snapshot is handed out only if this number is the one in the slot. They may also
 * differ for good, when the lock file belongs to another data file. */
#define _GNU_SOURCE 1
#include "store/snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/utf8.h"
#include "store/close.h"
#include "store/lmdb_status.h"
#include "store/pool.h"
#include "store/preflight.h"
#include "store/slots.h"
#include "store/tree.h"

static int begin_once(st_txn *txn, uint32_t milliseconds) {
    if (txn->mdb != NULL) return st_called(mdb_txn_renew(txn->mdb));
    const st_deadline deadline = st_deadline_in(milliseconds);
    return st_slots_begin(txn->store, &deadline, &txn->mdb);
}

/* The slots of processes that were killed stay in use until somebody looks for them. */
static int begin_or_clean_up(st_txn *txn, uint32_t milliseconds) {
    int code = begin_once(txn, milliseconds);
    if (code != MDB_READERS_FULL) return code;
    st_slots_forget_dead(txn->store);
    return begin_once(txn, milliseconds);
}

/* Makes the snapshot show the commit with a number. It may turn out to show a later one, which its stamp then tells. */
static strata_status see(st_txn *txn, uint64_t number, strata_error *error) {
    const strata_bytes wanted = { st_header_key, ST_HEADER_KEY_SIZE };
    strata_bytes record;
    uint64_t before = txn->stamp;
    txn->stamp = 0;
    atomic_thread_fence(memory_order_seq_cst);
    strata_status status = st_page_file_see(&txn->file, number, error);
    txn->trees_known &= ~(UINT32_C(1) << ST_META);
    if (status == STRATA_OK) status = st_tree_get(txn, ST_META, wanted, &record, error);
    if (status == STRATA_NOT_FOUND)
        return st_fail(error, STRATA_CORRUPT, 0, "the header record of '%s' is missing: restore a backup",
                       st_store_name(txn->store));
    if (status == STRATA_OK) status = st_header_check(record, false, st_store_name(txn->store), error);
    if (status == STRATA_OK) st_header_read(record.data, &txn->header, &txn->stamp);
    /* If it is the same commit as before, the roots that were looked up are still right. */
    if (txn->stamp != before) txn->trees_known &= UINT32_C(1) << ST_META;
    return status;
}

/* Begins until the slot and the pages agree. The meta page may be written while it is read, so a failure counts only if
 * it happens twice at the same commit. */
static strata_status begin_agreeing(st_txn *txn, uint32_t milliseconds, strata_error *error) {
    enum { TRIES = 100 };
    uint64_t failed = 0;
    for (int attempt = 0; attempt < TRIES; attempt++) {
        int code = begin_or_clean_up(txn, milliseconds);
        if (code == ETIMEDOUT) return st_slots_fail(txn->store, "reading", error);
        if (code != 0) return st_lmdb_fail(error, code, txn->store, "reading");
        uint64_t number = mdb_txn_id(txn->mdb);
        strata_status status = see(txn, number, error);
        if (status == STRATA_OK && txn->stamp == number) return STRATA_OK;
        if (status != STRATA_OK && failed == number) return status;
        if (status != STRATA_OK) failed = number;
        mdb_txn_reset(txn->mdb);
    }
    return st_header_foreign(st_store_name(txn->store), error);
}

static st_txn *make_snapshot(strata_store *store) {
    st_txn *txn = calloc(1, sizeof *txn);
    if (txn == NULL) return NULL;
    txn->store = store;
    txn->file = (st_page_file){ .descriptor = store->file, .path = st_store_name(store), .map = store->map,
                                .map_pages = store->map_size / store->page_size, .page_size = store->page_size };
    return txn;
}

static strata_status begin_within(strata_store *store, uint32_t milliseconds, bool looks, st_txn **out,
                                  strata_error *error) {
    *out = NULL;
    if (st_forked(store)) return st_fork_fail(store, error);
    st_txn *txn = st_pool_pop(store);
    if (txn == NULL) txn = make_snapshot(store);
    if (txn == NULL) return st_no_memory(error, "beginning a snapshot");
    strata_status status = begin_agreeing(txn, milliseconds, error);
    if (status != STRATA_OK) {
        st_pool_free(txn);
        return status;
    }
    st_store_hold(store);
    atomic_store_explicit(&txn->holders, 1, memory_order_relaxed);
    memcpy(txn->shared_label, "frozen", sizeof "frozen");
    txn->is_left = false;
    txn->looks = looks;
    st_pool_enlist(store, txn);
    *out = txn;
    return STRATA_OK;
}

strata_status st_snapshot_begin(strata_store *store, st_txn **out, strata_error *error) {
    return begin_within(store, store->wait, false, out, error);
}

strata_status st_snapshot_try(strata_store *store, st_txn **out, strata_error *error) {
    return begin_within(store, 0, false, out, error);
}

strata_status st_snapshot_look(strata_store *store, uint32_t milliseconds, st_txn **out, strata_error *error) {
    return begin_within(store, milliseconds, true, out, error);
}

strata_status st_snapshot_newest(strata_store *store, st_header *out, bool *out_stale, strata_error *error) {
    st_txn *snapshot;
    strata_status status = st_snapshot_look(store, store->wait, &snapshot, error);
    if (status != STRATA_OK) return status;
    *out = *st_txn_header(snapshot);
    *out_stale = st_snapshot_is_stale(snapshot);
    st_snapshot_end(snapshot);
    return STRATA_OK;
}

strata_status st_snapshot_share(const st_txn *of, st_txn **out, strata_error *error) {
    *out = NULL;
    if (st_forked(of->store)) return st_fork_fail(of->store, error);
    st_txn *txn = make_snapshot(of->store);
    if (txn == NULL) return st_no_memory(error, "beginning a snapshot");
    txn->file = of->file;
    txn->trees_known = of->trees_known;
    memcpy(txn->trees, of->trees, sizeof txn->trees);
    txn->stamp = of->stamp;
    txn->header = of->header;
    txn->shared = of->shared != NULL ? of->shared : (st_txn *)(uintptr_t)of;
    atomic_fetch_add_explicit(&txn->shared->holders, 1, memory_order_relaxed);
    st_store_hold(of->store);
    *out = txn;
    return STRATA_OK;
}

void st_snapshot_set_label(st_txn *snapshot, const char *label) {
    size_t size = st_utf8_fit(label, strlen(label), STRATA_MAX_LABEL);
    st_txn *slot = snapshot->shared != NULL ? snapshot->shared : snapshot;
    pthread_mutex_lock(&snapshot->store->pool_lock);
    char *name = slot == snapshot || slot->is_left ? slot->label : slot->shared_label;
    memcpy(name, label, size);
    name[size] = 0;
    pthread_mutex_unlock(&snapshot->store->pool_lock);
}

bool st_snapshot_is_stale(const st_txn *snapshot) {
    return st_forked(snapshot->store) || st_page_file_newest(&snapshot->file) != snapshot->stamp;
}

strata_status st_snapshot_check_file(const st_txn *snapshot, strata_error *error) {
    const strata_store *store = snapshot->store;
    if (st_forked(store)) return st_fork_fail(store, error);
    return st_preflight(store->file, st_store_name(store), false, true, error);
}

/* The snapshot that began a slot ends: those who share the slot go on under their own label. */
static void leave_label(st_txn *slot) {
    pthread_mutex_lock(&slot->store->pool_lock);
    memcpy(slot->label, slot->shared_label, sizeof slot->label);
    slot->is_left = true;
    pthread_mutex_unlock(&slot->store->pool_lock);
}

void st_snapshot_end(st_txn *snapshot) {
    if (snapshot == NULL) return;
    strata_store *store = snapshot->store;
    if (st_forked(store)) {
        free(snapshot); /* what LMDB holds belongs to the parent */
        return;
    }
    st_txn *slot = snapshot->shared != NULL ? snapshot->shared : snapshot;
    if (slot == snapshot) leave_label(slot);
    else free(snapshot);
    if (atomic_fetch_sub_explicit(&slot->holders, 1, memory_order_acq_rel) != 1) {
        st_store_let_go(store);
        return;
    }
    snapshot = slot;
    st_lmdb_calls++;
    mdb_txn_reset(snapshot->mdb);
    if (!st_pool_push(store, snapshot)) st_pool_free(snapshot);
    st_store_let_go(store);
}
