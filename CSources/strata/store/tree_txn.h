/* SPDX-License-Identifier: MIT
 *
 * tree_txn.h -- how a transaction gets at the entries of a tree.
 *
 * A writer asks LMDB, which knows the pages that the writer changed in memory. A snapshot walks the pages in LMDB's map
 * (see walk.h), from the root of the tree, which it looks up once.
 */
#ifndef ST_STORE_TREE_TXN_H
#define ST_STORE_TREE_TXN_H

#include "store/handle.h"
#include "store/lmdb_status.h"
#include "store/state.h"

/** May this transaction read? */
static inline strata_status st_tree_check_read(const st_txn *txn, strata_error *error) {
    if (st_forked(txn->store)) return st_fork_fail(txn->store, error);
    if (txn->mdb != NULL || !txn->writing) return STRATA_OK; /* a snapshot may use the slot of another one */
    return st_writer_check(txn, error);                      /* a writer whose thread ended */
}

/** Translates a failed call; a writer is then marked as failed, unless nothing was found. */
strata_status st_tree_failed(st_txn *txn, int code, strata_error *error);

/* ---- Entries ---------------------------------------------------------- */

/** For the layers above, the main tree ends where the names of the other trees begin. No key is empty, except in a
 * damaged file, whose main tree may end with the last page. */
static inline bool st_tree_shows(st_tree tree, strata_bytes key) {
    return tree != ST_META || (key.size != 0 && *(const uint8_t *)key.data == 0);
}

static inline MDB_val st_tree_val(strata_bytes bytes) {
    return (MDB_val){ bytes.size, (void *)(uintptr_t)bytes.data };
}

/** Hands out an entry that LMDB found for a writer. */
static inline strata_status st_tree_found(st_tree tree, MDB_val found_key, MDB_val found, strata_bytes *key,
                                          strata_bytes *value) {
    strata_bytes name = { found_key.mv_data, found_key.mv_size };
    if (!st_tree_shows(tree, name)) return STRATA_NOT_FOUND;
    *key = name;
    *value = (strata_bytes){ found.mv_data, found.mv_size };
    return STRATA_OK;
}

/* ---- Snapshots -------------------------------------------------------- */

/** Looks up the root of a tree in the commit that the snapshot shows. */
strata_status st_tree_look_up(st_txn *snapshot, st_tree tree, strata_error *error);

/** The root of a tree in the commit that the snapshot shows. */
static inline strata_status st_tree_root(st_txn *snapshot, st_tree tree, const st_page_tree **out,
                                         strata_error *error) {
    *out = &snapshot->trees[tree];
    return (snapshot->trees_known >> tree & 1) != 0 ? STRATA_OK : st_tree_look_up(snapshot, tree, error);
}

/** Hands out the entry that a walk arrived at; `status` is what the walk returned. */
static inline strata_status st_tree_walked(const st_txn *snapshot, st_tree tree, st_walk *walk, strata_status status,
                                           strata_bytes *key, strata_bytes *value, strata_error *error) {
    strata_bytes found = { NULL, 0 };
    st_lmdb_calls++;
    *key = *value = found;
    if (status == STRATA_OK) status = st_walk_entry(&snapshot->file, walk, &found, value, error);
    if (status == STRATA_OK && !st_tree_shows(tree, found)) status = STRATA_NOT_FOUND;
    if (status == STRATA_OK) *key = found;
    else *value = (strata_bytes){ NULL, 0 };
    return status;
}

#endif
