/* SPDX-License-Identifier: MIT
 * tree.c -- single entries of the trees. */
#define _GNU_SOURCE 1
#include "store/tree.h"

#include <string.h>

#include "base/status.h"
#include "store/advice.h"
#include "store/soundness.h"
#include "store/tree_txn.h"

static strata_status seek_in_snapshot(st_txn *snapshot, st_tree tree, strata_bytes from, strata_bytes *key,
                                      strata_bytes *value, strata_error *error) {
    const st_page_tree *root;
    st_walk *walk = &snapshot->walks[tree];
    strata_status status = st_tree_root(snapshot, tree, &root, error);
    if (status == STRATA_OK) status = st_walk_seek(&snapshot->file, root, walk, from, error);
    return st_tree_walked(snapshot, tree, walk, status, key, value, error);
}

/* ---- Reading ---------------------------------------------------------- */

strata_status st_tree_get(st_txn *txn, st_tree tree, strata_bytes key, strata_bytes *out, strata_error *error) {
    *out = (strata_bytes){ NULL, 0 };
    strata_status status = st_tree_check_read(txn, error);
    if (status != STRATA_OK) return status;
    st_advice_note_search(txn->store);
    if (!txn->writing) {
        strata_bytes found;
        status = seek_in_snapshot(txn, tree, key, &found, out, error);
        if (status != STRATA_OK || st_compare(found, key) == 0) return status;
        *out = (strata_bytes){ NULL, 0 };
        return STRATA_NOT_FOUND;
    }
    MDB_val wanted = st_tree_val(key), value = { 0, NULL };
    int code = st_called(mdb_get(txn->mdb, txn->store->trees[tree], &wanted, &value));
    if (code != 0) return st_tree_failed(txn, code, error);
    *out = (strata_bytes){ value.mv_data, value.mv_size };
    return STRATA_OK;
}

strata_status st_tree_seek(st_txn *txn, st_tree tree, strata_bytes from, strata_bytes *key, strata_bytes *value,
                           strata_error *error) {
    *key = *value = (strata_bytes){ NULL, 0 };
    strata_status status = st_tree_check_read(txn, error);
    if (status != STRATA_OK) return status;
    st_advice_note_search(txn->store);
    if (!txn->writing) return seek_in_snapshot(txn, tree, from, key, value, error);
    MDB_cursor **seeker = &txn->seekers[tree];
    MDB_val found_key = st_tree_val(from), found = { 0, NULL };
    int code = *seeker != NULL ? 0 : st_called(mdb_cursor_open(txn->mdb, txn->store->trees[tree], seeker));
    if (code == 0)
        code = st_called(mdb_cursor_get(*seeker, &found_key, &found, from.size == 0 ? MDB_FIRST : MDB_SET_RANGE));
    if (code != 0) return st_tree_failed(txn, code, error);
    return st_tree_found(tree, found_key, found, key, value);
}

strata_status st_tree_next(st_txn *txn, st_tree tree, strata_bytes *key, strata_bytes *value, strata_error *error) {
    *key = *value = (strata_bytes){ NULL, 0 };
    strata_status status = st_tree_check_read(txn, error);
    if (status != STRATA_OK) return status;
    st_advice_note_step(txn->store);
    if (!txn->writing) {
        st_walk *walk = &txn->walks[tree];
        return st_tree_walked(txn, tree, walk, st_walk_next(&txn->file, walk, error), key, value, error);
    }
    MDB_val found_key = { 0, NULL }, found = { 0, NULL };
    int code = st_called(mdb_cursor_get(txn->seekers[tree], &found_key, &found, MDB_NEXT));
    if (code != 0) return st_tree_failed(txn, code, error);
    return st_tree_found(tree, found_key, found, key, value);
}

strata_status st_tree_next_values(st_txn *txn, st_tree tree, strata_bytes before, strata_bytes *out, uint32_t capacity,
                                  uint32_t *out_count, strata_error *error) {
    *out_count = 0;
    strata_status status = st_tree_check_read(txn, error);
    if (status != STRATA_OK || txn->writing) return status;
    st_advice_note_pages(txn->store, capacity);
    return st_walk_values(&txn->file, &txn->walks[tree], before, out, capacity, out_count, error);
}

void st_tree_put_back(st_txn *txn, st_tree tree, uint32_t count) { st_walk_back(&txn->walks[tree], count); }

/* ---- Changing --------------------------------------------------------- */

/* May an entry with this key be stored or deleted? */
static strata_status check_write(const st_txn *txn, st_tree tree, strata_bytes key, strata_error *error) {
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

/* Before LMDB frees the pages of a value, what they say of themselves is checked. */
static strata_status check_old_value(st_txn *txn, st_tree tree, MDB_val key, strata_error *error) {
    if (!st_soundness_is_partial(txn->store)) return STRATA_OK;
    MDB_val old = { 0, NULL };
    MDB_cursor *seeker = txn->seekers[tree];
    int code = seeker != NULL ? st_called(mdb_cursor_get(seeker, &key, &old, MDB_SET))
                              : st_called(mdb_get(txn->mdb, txn->store->trees[tree], &key, &old));
    if (code == MDB_NOTFOUND) return STRATA_OK;
    if (code != 0) return st_tree_failed(txn, code, error);
    strata_status status = st_soundness_check_value(txn, old, error);
    if (status != STRATA_OK) txn->failure = status;
    return status;
}

/* Before the change, which may move the bytes that it is made of. */
static void note_change(st_txn *txn, const st_redo_change *change) {
    st_advice_note_pages(txn->store, 2); /* LMDB looks for it, and at what was there */
    txn->touched |= UINT32_C(1) << change->tree;
    if (txn->redo != NULL) st_redo_add(txn->redo, change);
}

/* Remembers how far the file grows for a value on pages of its own. The header of the first one stands before it. */
static void note_last_page(st_txn *txn, const uint8_t *value, size_t size) {
    uint64_t last = strata_load64(value - ST_PAGE_HEADER) + (size + ST_PAGE_HEADER - 1) / txn->store->page_size;
    if (last > txn->last_page) txn->last_page = last;
}

/* LMDB lends the place of a large value, which is then on pages of its own. Returns LMDB's code. */
static int put(st_txn *txn, st_tree tree, strata_bytes key, strata_bytes value) {
    const bool apart = value.size >= txn->store->page_size / 2;
    MDB_val wanted = st_tree_val(key), content = st_tree_val(value);
    MDB_cursor *seeker = txn->seekers[tree];
    unsigned flags = apart ? MDB_RESERVE : 0;
    /* An entry was often looked up just before it is stored; then the cursor of st_tree_seek() is on its page. */
    int code = seeker != NULL ? st_called(mdb_cursor_put(seeker, &wanted, &content, flags))
                              : st_called(mdb_put(txn->mdb, txn->store->trees[tree], &wanted, &content, flags));
    if (code != 0 || !apart) return code;
    memcpy(content.mv_data, value.data, value.size);
    note_last_page(txn, content.mv_data, value.size);
    return 0;
}

strata_status st_tree_put(st_txn *txn, st_tree tree, strata_bytes key, strata_bytes value, strata_error *error) {
    strata_status status = check_write(txn, tree, key, error);
    if (status != STRATA_OK) return status;
    status = check_old_value(txn, tree, st_tree_val(key), error);
    if (status != STRATA_OK) return status;
    note_change(txn, &(st_redo_change){ tree, false, key, value });
    txn->put += value.size;
    int code = put(txn, tree, key, value);
    return code == 0 ? STRATA_OK : st_tree_failed(txn, code, error);
}

strata_status st_tree_delete(st_txn *txn, st_tree tree, strata_bytes key, strata_error *error) {
    strata_status status = check_write(txn, tree, key, error);
    if (status != STRATA_OK) return status;
    MDB_val wanted = st_tree_val(key);
    status = check_old_value(txn, tree, wanted, error);
    if (status != STRATA_OK) return status;
    note_change(txn, &(st_redo_change){ tree, true, key, { NULL, 0 } });
    int code = st_called(mdb_del(txn->mdb, txn->store->trees[tree], &wanted, NULL));
    txn->deleted += code == 0;
    return code == 0 ? STRATA_OK : st_tree_failed(txn, code, error);
}

strata_status st_tree_count(st_txn *txn, st_tree tree, uint64_t *out, strata_error *error) {
    *out = 0;
    strata_status status = st_tree_check_read(txn, error);
    if (status != STRATA_OK) return status;
    if (!txn->writing) {
        const st_page_tree *root;
        status = st_tree_root(txn, tree, &root, error);
        if (status != STRATA_OK) return status;
        *out = root->entries;
    } else {
        MDB_stat figures;
        int code = st_called(mdb_stat(txn->mdb, txn->store->trees[tree], &figures));
        if (code != 0) return st_tree_failed(txn, code, error);
        *out = figures.ms_entries;
    }
    if (tree == ST_META) *out -= ST_TREES - 1; /* the names of the other trees */
    return STRATA_OK;
}
