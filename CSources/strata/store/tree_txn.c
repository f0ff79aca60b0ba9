/* SPDX-License-Identifier: MIT
 * tree_txn.c -- how a transaction gets at the entries of a tree. */
#define _GNU_SOURCE 1
#include "store/tree_txn.h"

#include <string.h>

#include "base/status.h"

/* For some codes LMDB accepts nothing but an abort after a failed change; we do so for all. */
strata_status st_tree_failed(st_txn *txn, int code, strata_error *error) {
    if (txn->writing) code = st_lmdb_write_code(code);
    strata_status status = st_lmdb_fail(error, code, txn->store, txn->writing ? "writing to" : "reading");
    if (!txn->writing || status >= 0) return status;
    txn->failure = status;
    /* LMDB writes pages before the commit when they are too many for its memory. That can fail as a commit can. */
    if (status == STRATA_IO) st_store_poison(txn->store, "pages could not be written");
    return status;
}

/* Finds the root of a tree, which is an entry of the main tree under the name of the tree. */
static strata_status find_root(st_txn *snapshot, st_tree tree, st_page_tree *out, strata_error *error) {
    const st_page_file *file = &snapshot->file;
    if (tree == ST_META) {
        *out = file->main_tree;
        return STRATA_OK;
    }
    strata_bytes name = { st_tree_names[tree], strlen(st_tree_names[tree]) }, key, value;
    st_walk walk;
    walk.depth = 0;
    strata_status status = st_walk_seek(file, &file->main_tree, &walk, name, error);
    if (status == STRATA_OK) status = st_walk_entry(file, &walk, &key, &value, error);
    if (status == STRATA_NOT_FOUND || (status == STRATA_OK && st_compare(key, name) != 0))
        return st_fail(error, STRATA_CORRUPT, 0, "reading '%s': a tree of the store is missing; restore a backup",
                       file->path);
    return status == STRATA_OK ? st_walk_tree(file, &walk, out, error) : status;
}

strata_status st_tree_look_up(st_txn *snapshot, st_tree tree, strata_error *error) {
    strata_status status = find_root(snapshot, tree, &snapshot->trees[tree], error);
    snapshot->walks[tree].depth = 0; /* its position was in an earlier commit */
    if (status == STRATA_OK) snapshot->trees_known |= UINT32_C(1) << tree;
    return status;
}
