/* SPDX-License-Identifier: MIT
 * tree.h -- what single entries and cursors share. */
#ifndef ST_STORE_TREE_H
#define ST_STORE_TREE_H

#include "store/handle.h"

/** May `txn` be changed by this thread, now? (writer.c) */
strata_status st_writer_check(const st_txn *txn, strata_error *error);

strata_status st_tree_check_read(const st_txn *txn, strata_error *error);
/** The same, and may an entry with this key be stored or deleted? */
strata_status st_tree_check_write(const st_txn *txn, st_tree tree, strata_bytes key, strata_error *error);
/** Translates a failed call; marks a writer as failed. */
strata_status st_tree_failed(st_txn *txn, int code, strata_error *error);

static inline MDB_val st_tree_val(strata_bytes bytes) {
    return (MDB_val){ bytes.size, (void *)(uintptr_t)bytes.data };
}

/** The main tree ends, for the layers above, where the names of the other trees begin. No key is empty but in a damaged
 * file, where it may end with the last page. */
static inline bool st_tree_shows(st_tree tree, strata_bytes key) {
    return tree != ST_META || (key.size != 0 && *(const uint8_t *)key.data == 0);
}

/** Hands out an entry of a writer. */
static inline strata_status st_tree_found(st_tree tree, MDB_val found_key, MDB_val found, strata_bytes *key,
                                          strata_bytes *value) {
    strata_bytes name = { found_key.mv_data, found_key.mv_size };
    if (!st_tree_shows(tree, name)) return STRATA_NOT_FOUND;
    *key = name;
    *value = (strata_bytes){ found.mv_data, found.mv_size };
    return STRATA_OK;
}

/** Where the root of a tree is that a snapshot sees. (tree.c) */
strata_status st_tree_root(st_txn *snapshot, st_tree tree, const st_page_tree **out, strata_error *error);

/** Hands out the entry that a walk of a snapshot came to, if it did. (tree.c) */
strata_status st_tree_walked(const st_txn *snapshot, st_tree tree, st_walk *walk, strata_status status,
                             strata_bytes *key, strata_bytes *value, strata_error *error);

#endif
