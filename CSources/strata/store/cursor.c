/* SPDX-License-Identifier: MIT
 * cursor.c -- walking a tree. */
#define _GNU_SOURCE 1
#include <stdlib.h>

#include "store/tree.h"

struct st_cursor {
    st_txn *txn;
    MDB_cursor *mdb;
    st_tree tree;
};

strata_status st_cursor_open(st_txn *txn, st_tree tree, st_cursor **out, strata_error *error) {
    *out = NULL;
    strata_status status = st_tree_check_read(txn, error);
    if (status != STRATA_OK) return status;
    st_cursor *cursor = malloc(sizeof *cursor);
    if (cursor == NULL) return st_no_memory(error, "opening a cursor");
    *cursor = (st_cursor){ .txn = txn, .tree = tree };
    int code = st_called(mdb_cursor_open(txn->mdb, txn->store->trees[tree], &cursor->mdb));
    if (code != 0) {
        free(cursor);
        return st_tree_failed(txn, code, error);
    }
    *out = cursor;
    return STRATA_OK;
}

void st_cursor_close(st_cursor *cursor) {
    if (cursor == NULL) return;
    /* LMDB frees the cursors of a writer with it, if its thread ended first. */
    if (!st_forked(cursor->txn->store) && cursor->txn->mdb != NULL) mdb_cursor_close(cursor->mdb);
    free(cursor);
}

static strata_status move(st_cursor *cursor, MDB_cursor_op how, MDB_val found_key, strata_bytes *key,
                          strata_bytes *value, strata_error *error) {
    *key = *value = (strata_bytes){ NULL, 0 };
    strata_status status = st_tree_check_read(cursor->txn, error);
    if (status != STRATA_OK) return status;
    MDB_val found = { 0, NULL };
    int code = st_called(mdb_cursor_get(cursor->mdb, &found_key, &found, how));
    if (code != 0) return st_tree_failed(cursor->txn, code, error);
    return st_tree_found(cursor->tree, found_key, found, key, value);
}

static const MDB_val no_key = { 0, NULL };

strata_status st_cursor_seek(st_cursor *cursor, strata_bytes from, strata_bytes *key, strata_bytes *value,
                             strata_error *error) {
    return move(cursor, from.size == 0 ? MDB_FIRST : MDB_SET_RANGE, st_tree_val(from), key, value, error);
}

strata_status st_cursor_last(st_cursor *cursor, strata_bytes *key, strata_bytes *value, strata_error *error) {
    if (cursor->tree != ST_META) return move(cursor, MDB_LAST, no_key, key, value, error);
    /* The last of the main tree that is not the name of a tree: before the first key that begins with a one. */
    static const uint8_t behind[1] = { 1 };
    strata_status status = st_tree_check_read(cursor->txn, error);
    if (status != STRATA_OK) return status;
    MDB_val found_key = { sizeof behind, (void *)(uintptr_t)behind }, found = no_key;
    int code = st_called(mdb_cursor_get(cursor->mdb, &found_key, &found, MDB_SET_RANGE));
    if (code != 0 && code != MDB_NOTFOUND) {
        *key = *value = (strata_bytes){ NULL, 0 };
        return st_tree_failed(cursor->txn, code, error);
    }
    return move(cursor, code == 0 ? MDB_PREV : MDB_LAST, no_key, key, value, error);
}

strata_status st_cursor_next(st_cursor *cursor, strata_bytes *key, strata_bytes *value, strata_error *error) {
    return move(cursor, MDB_NEXT, no_key, key, value, error);
}

strata_status st_cursor_previous(st_cursor *cursor, strata_bytes *key, strata_bytes *value, strata_error *error) {
    return move(cursor, MDB_PREV, no_key, key, value, error);
}
