/* SPDX-License-Identifier: MIT
 * tree.c -- single entries of the trees. */
#define _GNU_SOURCE 1
#include "store/tree.h"

#include <string.h>

#include "store/header.h"

strata_status st_tree_check_read(const st_txn *txn, strata_error *error) {
    if (st_forked(txn->store)) return st_fork_fail(txn->store, error);
    return txn->mdb != NULL ? STRATA_OK : st_writer_check(txn, error); /* a writer whose thread ended */
}

strata_status st_tree_check_write(const st_txn *txn, st_tree tree, strata_bytes key, strata_error *error) {
    strata_status status = st_writer_check(txn, error);
    if (status != STRATA_OK) return status;
    bool fits = key.size != 0 && key.size <= ST_MAX_TREE_KEY;
    /* The main tree also holds the header record and, by their names, the other trees. */
    if (fits && tree == ST_META)
        fits = *(const uint8_t *)key.data == 0 &&
               (key.size != ST_HEADER_KEY_SIZE || memcmp(key.data, st_header_key, ST_HEADER_KEY_SIZE) != 0);
    if (fits) return STRATA_OK;
    return st_fail(error, STRATA_MISUSE, 0, "a key of %zu bytes cannot be stored in tree %d of '%s'", key.size,
                   (int)tree, st_store_name(txn->store));
}

/* After a failed change LMDB accepts nothing but abort for some codes; we do so for all. */
strata_status st_tree_failed(st_txn *txn, int code, strata_error *error) {
    if (txn->writing) code = st_lmdb_write_code(code);
    strata_status status = st_lmdb_fail(error, code, txn->store, txn->writing ? "writing to" : "reading");
    if (!txn->writing || status >= 0) return status;
    txn->failure = status;
    /* Pages that do not fit in memory are written early, and fail as a commit does. */
    if (status == STRATA_IO) atomic_store(&txn->store->poisoned, true);
    return status;
}

strata_status st_tree_get(st_txn *txn, st_tree tree, strata_bytes key, strata_bytes *out, strata_error *error) {
    *out = (strata_bytes){ NULL, 0 };
    strata_status status = st_tree_check_read(txn, error);
    if (status != STRATA_OK) return status;
    MDB_val wanted = st_tree_val(key), value = { 0, NULL };
    int code = st_called(mdb_get(txn->mdb, txn->store->trees[tree], &wanted, &value));
    if (code != 0) return st_tree_failed(txn, code, error);
    *out = (strata_bytes){ value.mv_data, value.mv_size };
    return STRATA_OK;
}

static int seeker_of(st_txn *txn, st_tree tree, MDB_cursor **out) {
    MDB_cursor **seeker = &txn->seekers[tree];
    uint32_t bit = UINT32_C(1) << tree;
    int code = 0;
    if (*seeker == NULL) code = st_called(mdb_cursor_open(txn->mdb, txn->store->trees[tree], seeker));
    else if ((txn->seekers_bound & bit) == 0) code = st_called(mdb_cursor_renew(txn->mdb, *seeker));
    if (code == 0) txn->seekers_bound |= bit;
    *out = *seeker;
    return code;
}

strata_status st_tree_seek(st_txn *txn, st_tree tree, strata_bytes from, strata_bytes *key, strata_bytes *value,
                           strata_error *error) {
    *key = *value = (strata_bytes){ NULL, 0 };
    strata_status status = st_tree_check_read(txn, error);
    if (status != STRATA_OK) return status;
    MDB_cursor *seeker = NULL;
    int code = seeker_of(txn, tree, &seeker);
    if (code != 0) return st_tree_failed(txn, code, error);
    MDB_val found_key = st_tree_val(from), found = { 0, NULL };
    code = st_called(mdb_cursor_get(seeker, &found_key, &found, from.size == 0 ? MDB_FIRST : MDB_SET_RANGE));
    if (code != 0) return st_tree_failed(txn, code, error);
    return st_tree_found(tree, found_key, found, key, value);
}

strata_status st_tree_next(st_txn *txn, st_tree tree, strata_bytes *key, strata_bytes *value, strata_error *error) {
    *key = *value = (strata_bytes){ NULL, 0 };
    strata_status status = st_tree_check_read(txn, error);
    if (status != STRATA_OK) return status;
    MDB_val found_key = { 0, NULL }, found = { 0, NULL };
    int code = st_called(mdb_cursor_get(txn->seekers[tree], &found_key, &found, MDB_NEXT));
    if (code != 0) return st_tree_failed(txn, code, error);
    return st_tree_found(tree, found_key, found, key, value);
}

strata_status st_tree_put(st_txn *txn, st_tree tree, strata_bytes key, strata_bytes value, strata_error *error) {
    strata_status status = st_tree_check_write(txn, tree, key, error);
    if (status != STRATA_OK) return status;
    txn->put += value.size;
    MDB_val wanted = st_tree_val(key), content = st_tree_val(value);
    int code = st_called(mdb_put(txn->mdb, txn->store->trees[tree], &wanted, &content, 0));
    return code == 0 ? STRATA_OK : st_tree_failed(txn, code, error);
}

strata_status st_tree_delete(st_txn *txn, st_tree tree, strata_bytes key, strata_error *error) {
    strata_status status = st_tree_check_write(txn, tree, key, error);
    if (status != STRATA_OK) return status;
    MDB_val wanted = st_tree_val(key);
    int code = st_called(mdb_del(txn->mdb, txn->store->trees[tree], &wanted, NULL));
    return code == 0 ? STRATA_OK : st_tree_failed(txn, code, error);
}

strata_status st_tree_count(st_txn *txn, st_tree tree, uint64_t *out, strata_error *error) {
    *out = 0;
    strata_status status = st_tree_check_read(txn, error);
    if (status != STRATA_OK) return status;
    MDB_stat figures;
    int code = st_called(mdb_stat(txn->mdb, txn->store->trees[tree], &figures));
    if (code != 0) return st_tree_failed(txn, code, error);
    *out = figures.ms_entries;
    if (tree == ST_META) *out -= ST_TREES - 1; /* the entries of the other trees */
    return STRATA_OK;
}
