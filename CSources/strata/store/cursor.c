/* SPDX-License-Identifier: MIT
 * cursor.c -- walking a tree. */
#define _GNU_SOURCE 1
#include "store/cursor.h"

#include <stdlib.h>

#include "base/status.h"
#include "store/advice.h"
#include "store/tree_txn.h"

struct st_cursor {
    st_txn *txn;
    st_tree tree;
    MDB_cursor *mdb;          /* in a writer; NULL in a snapshot */
    const st_page_tree *root; /* in a snapshot */
    st_walk walk;
};

strata_status st_cursor_open(st_txn *txn, st_tree tree, st_cursor **out, strata_error *error) {
    *out = NULL;
    strata_status status = st_tree_check_read(txn, error);
    if (status != STRATA_OK) return status;
    st_cursor *cursor = malloc(sizeof *cursor);
    if (cursor == NULL) return st_no_memory(error, "opening a cursor");
    cursor->txn = txn;
    cursor->tree = tree;
    cursor->mdb = NULL;
    cursor->walk.depth = 0;
    if (!txn->writing) {
        status = st_tree_root(txn, tree, &cursor->root, error);
    } else {
        int code = st_called(mdb_cursor_open(txn->mdb, txn->store->trees[tree], &cursor->mdb));
        if (code != 0) status = st_tree_failed(txn, code, error);
    }
    if (status == STRATA_OK) *out = cursor;
    else free(cursor);
    return status;
}

void st_cursor_close(st_cursor *cursor) {
    if (cursor == NULL) return;
    /* If the thread of a writer ended first, LMDB has freed its cursors along with its transaction. */
    if (cursor->mdb != NULL && !st_forked(cursor->txn->store) && cursor->txn->mdb != NULL)
        mdb_cursor_close(cursor->mdb);
    free(cursor);
}

/* Moves the cursor of a writer. */
static strata_status move(st_cursor *cursor, MDB_cursor_op how, MDB_val found_key, strata_bytes *key,
                          strata_bytes *value, strata_error *error) {
    MDB_val found = { 0, NULL };
    int code = st_called(mdb_cursor_get(cursor->mdb, &found_key, &found, how));
    if (code != 0) return st_tree_failed(cursor->txn, code, error);
    return st_tree_found(cursor->tree, found_key, found, key, value);
}

static strata_status walked(st_cursor *cursor, strata_status status, strata_bytes *key, strata_bytes *value,
                            strata_error *error) {
    return st_tree_walked(cursor->txn, cursor->tree, &cursor->walk, status, key, value, error);
}

static strata_status prepare(const st_cursor *cursor, strata_bytes *key, strata_bytes *value, strata_error *error) {
    *key = *value = (strata_bytes){ NULL, 0 };
    return st_tree_check_read(cursor->txn, error);
}

static const MDB_val no_key = { 0, NULL };

strata_status st_cursor_seek(st_cursor *cursor, strata_bytes from, strata_bytes *key, strata_bytes *value,
                             strata_error *error) {
    strata_status status = prepare(cursor, key, value, error);
    if (status != STRATA_OK) return status;
    st_advice_note_search(cursor->txn->store);
    if (cursor->mdb != NULL)
        return move(cursor, from.size == 0 ? MDB_FIRST : MDB_SET_RANGE, st_tree_val(from), key, value, error);
    status = st_walk_seek(&cursor->txn->file, cursor->root, &cursor->walk, from, error);
    return walked(cursor, status, key, value, error);
}

/* In the main tree, the last entry that is not the name of a tree comes before the first key that begins with a one. */
static const uint8_t behind_records[1] = { 1 };

static strata_status last_of_writer(st_cursor *cursor, strata_bytes *key, strata_bytes *value, strata_error *error) {
    if (cursor->tree != ST_META) return move(cursor, MDB_LAST, no_key, key, value, error);
    MDB_val found_key = { sizeof behind_records, (void *)(uintptr_t)behind_records }, found = no_key;
    int code = st_called(mdb_cursor_get(cursor->mdb, &found_key, &found, MDB_SET_RANGE));
    if (code != 0 && code != MDB_NOTFOUND) return st_tree_failed(cursor->txn, code, error);
    return move(cursor, code == 0 ? MDB_PREV : MDB_LAST, no_key, key, value, error);
}

strata_status st_cursor_last(st_cursor *cursor, strata_bytes *key, strata_bytes *value, strata_error *error) {
    strata_status status = prepare(cursor, key, value, error);
    if (status != STRATA_OK) return status;
    if (cursor->mdb != NULL) return last_of_writer(cursor, key, value, error);
    const st_page_file *file = &cursor->txn->file;
    const strata_bytes behind = { behind_records, sizeof behind_records };
    status = cursor->tree != ST_META ? STRATA_NOT_FOUND
                                     : st_walk_seek(file, cursor->root, &cursor->walk, behind, error);
    if (status == STRATA_OK) status = st_walk_previous(file, &cursor->walk, error);
    else if (status == STRATA_NOT_FOUND) status = st_walk_last(file, cursor->root, &cursor->walk, error);
    return walked(cursor, status, key, value, error);
}

strata_status st_cursor_next(st_cursor *cursor, strata_bytes *key, strata_bytes *value, strata_error *error) {
    strata_status status = prepare(cursor, key, value, error);
    if (status != STRATA_OK) return status;
    st_advice_note_step(cursor->txn->store);
    if (cursor->mdb != NULL) return move(cursor, MDB_NEXT, no_key, key, value, error);
    return walked(cursor, st_walk_next(&cursor->txn->file, &cursor->walk, error), key, value, error);
}

strata_status st_cursor_previous(st_cursor *cursor, strata_bytes *key, strata_bytes *value, strata_error *error) {
    strata_status status = prepare(cursor, key, value, error);
    if (status != STRATA_OK) return status;
    st_advice_note_step(cursor->txn->store);
    if (cursor->mdb != NULL) return move(cursor, MDB_PREV, no_key, key, value, error);
    return walked(cursor, st_walk_previous(&cursor->txn->file, &cursor->walk, error), key, value, error);
}

const void *st_cursor_ahead(const st_cursor *cursor, uint32_t steps) {
    return cursor->mdb != NULL ? NULL : st_walk_ahead(&cursor->txn->file, &cursor->walk, steps);
}
