/* SPDX-License-Identifier: MIT
 * view.c -- views: one consistent state of a store, and the write transaction on it. */
#include "table/view.h"

#include <stdlib.h>

#include "base/status.h"
#include "base/utf8.h"
#include "block/block_check.h"
#include "store/close.h"
#include "store/snapshot.h"
#include "store/tree.h"
#include "store/writer.h"
#include "table/block_cache.h"
#include "collection/source.h"
#include "write/write_set.h"

strata_status st_view_check(const strata_view *view, strata_error *error) {
    if (view->head.owner != strata_thread())
        return st_fail(error, STRATA_WRONG_THREAD, 0,
                       "a view is used on a thread that did not open it; open one view per thread");
    return st_store_check(view->store, error);
}

strata_status st_view_readable(const strata_view *view, strata_error *error) {
    strata_status status = st_view_check(view, error);
    if (status != STRATA_OK || view->txn != NULL) return status;
    return st_fail(error, STRATA_CLOSED, 0, "the view lost its snapshot after an earlier failure; refresh it first");
}

const st_table *st_view_table(const strata_view *view, uint32_t table, strata_error *error) {
    if (table < view->catalog->table_count) return &view->catalog->tables[table];
    st_fail(error, STRATA_MISUSE, 0, "there is no table %u; the store has %u", table, view->catalog->table_count);
    return NULL;
}

const st_column *st_view_column(const strata_view *view, uint32_t table, uint32_t column, strata_error *error) {
    const st_table *found = st_view_table(view, table, error);
    if (found == NULL) return NULL;
    if (column < found->column_count && found->columns[column].type != STRATA_NULL) return &found->columns[column];
    st_fail(error, STRATA_MISUSE, 0, "%s has no column %u", found->name, column);
    return NULL;
}

void st_view_trees_moved(strata_view *view) {
    view->tree_epoch++;
    view->head.epoch++;
}

/* ---- Opening and closing ---------------------------------------------- */

strata_status strata_view_open(strata_store *store, strata_view **out, strata_error *error) {
    *out = NULL;
    strata_status status = st_store_check(store, error);
    if (status != STRATA_OK) return status;
    strata_view *view = calloc(1, sizeof *view);
    if (view == NULL) return st_no_memory(error, "opening a view");
    st_store_hold(store);
    view->store = store;
    view->head.owner = strata_thread();
    view->head.epoch = 1;
    view->tree_epoch = 1;
    status = st_snapshot_begin(store, &view->txn, error);
    if (status == STRATA_OK) status = st_catalog_acquire(view->txn, &view->catalog, error);
    if (status != STRATA_OK) {
        st_snapshot_end(view->txn);
        st_store_let_go(store);
        free(view);
        return status;
    }
    view->watch.epoch = &view->head.epoch;
    st_fork_watch_add(&view->watch);
    *out = view;
    return STRATA_OK;
}

/* Ends the write without a word about its changes. */
static void drop_write(strata_view *view) {
    st_view_detach_cursors(view);
    st_write_set_free(view->writes);
    view->writes = NULL;
    st_writer_abort(view->txn);
    view->txn = NULL;
}

void strata_view_close(strata_view *view) {
    if (view == NULL) return;
    st_fork_watch_remove(&view->watch);
    if (st_store_check(view->store, NULL) == STRATA_OK) {
        if (view->writes != NULL) drop_write(view);
        else st_snapshot_end(view->txn);
        st_catalog_release(view->store, view->catalog);
        st_store_let_go(view->store);
    } else {
        st_write_set_free(view->writes); /* in a forked child nothing else is ours */
    }
    st_directory_free(view->directory);
    free(view->recent);
    st_block_cache_free(view->blocks);
    free(view);
}

/* Shows what `txn` shows. On failure the view keeps `txn` and its old catalog. */
static strata_status show(strata_view *view, st_txn *txn, strata_error *error) {
    view->txn = txn;
    st_view_trees_moved(view);
    if (view->catalog != NULL && view->catalog->version == st_txn_header(txn)->catalog_version) return STRATA_OK;
    const st_catalog *catalog;
    strata_status status = st_catalog_acquire(txn, &catalog, error);
    if (status != STRATA_OK) return status;
    st_catalog_release(view->store, view->catalog);
    view->catalog = catalog;
    return STRATA_OK;
}

/* For a view whose transaction has ended. If there is no snapshot to be had, the view is left without one: its rows
 * must not be read any more, and every use reports STRATA_CLOSED until a refresh succeeds. */
static strata_status show_newest(strata_view *view, strata_error *error) {
    st_txn *snapshot;
    st_view_trees_moved(view);
    strata_status status = st_snapshot_begin(view->store, &snapshot, error);
    if (status != STRATA_OK) return status;
    if (view->label[0] != 0) st_snapshot_set_label(snapshot, view->label);
    status = show(view, snapshot, error);
    if (status == STRATA_OK) return STRATA_OK;
    st_snapshot_end(snapshot);
    view->txn = NULL;
    return status;
}

void strata_view_set_label(strata_view *view, const char *label) {
    if (view == NULL || st_view_check(view, NULL) != STRATA_OK) return;
    if (label == NULL) label = "";
    size_t size = st_utf8_fit(label, strlen(label), STRATA_MAX_LABEL);
    memcpy(view->label, label, size);
    view->label[size] = 0;
    if (view->txn != NULL && view->writes == NULL) st_snapshot_set_label(view->txn, view->label);
}

strata_status strata_view_refresh(strata_view *view, bool *out_changed, strata_error *error) {
    bool changed = false;
    strata_status status = st_view_check(view, error);
    if (status == STRATA_OK && view->writes == NULL && (view->txn == NULL || st_snapshot_is_stale(view->txn))) {
        uint64_t before = view->txn == NULL ? 0 : st_txn_header(view->txn)->version;
        st_view_detach_cursors(view);
        st_snapshot_end(view->txn);
        view->txn = NULL;
        status = show_newest(view, error);
        changed = status == STRATA_OK && st_txn_header(view->txn)->version != before;
    }
    if (out_changed != NULL) *out_changed = changed;
    return status;
}

/* ---- Writing ---------------------------------------------------------- */

strata_status strata_view_begin(strata_view *view, strata_error *error) {
    strata_status status = st_view_check(view, error);
    if (status != STRATA_OK) return status;
    if (view->writes != NULL)
        return st_fail(error, STRATA_WRITING, 0, "this view already has an open write transaction");
    st_txn *writer;
    status = st_writer_begin(view->store, &writer, error);
    if (status != STRATA_OK) return status;

    st_txn *snapshot = view->txn;
    status = show(view, writer, error);
    if (status == STRATA_OK) {
        view->writes = st_write_set_make(view->catalog);
        if (view->writes == NULL) status = st_no_memory(error, "beginning a write transaction");
    }
    if (status != STRATA_OK) {
        st_writer_abort(writer);
        view->txn = NULL;
        if (snapshot == NULL || show(view, snapshot, NULL) == STRATA_OK) return status;
        st_view_detach_cursors(view);
        st_snapshot_end(snapshot);
        view->txn = NULL;
        return status;
    }
    st_view_detach_cursors(view);
    st_snapshot_end(snapshot);
    return STRATA_OK;
}

strata_status strata_view_commit(strata_view *view, strata_error *error) {
    strata_status status = st_view_check(view, error);
    if (status != STRATA_OK) return status;
    if (view->writes == NULL) return st_fail(error, STRATA_NOT_WRITING, 0, "there is no write transaction to commit");
    if (view->writes->failed)
        status = st_fail(error, STRATA_MISUSE, 0, "an earlier change of this write failed; it can only be cancelled");
    if (status == STRATA_OK) status = st_writes_finish(view, error);
    if (status == STRATA_OK) {
        st_view_detach_cursors(view);
        status = st_writer_commit(view->txn, error);
        view->txn = NULL; /* gone, whatever happened */
        st_write_set_free(view->writes);
        view->writes = NULL;
    } else {
        drop_write(view);
    }
    (void)show_newest(view, NULL); /* what was committed is, even if the view cannot show it */
    return status;
}

void strata_view_cancel(strata_view *view) {
    if (view == NULL || view->writes == NULL || st_view_check(view, NULL) != STRATA_OK) return;
    drop_write(view);
    (void)show_newest(view, NULL); /* if it fails, the next use reports STRATA_CLOSED */
}

bool strata_view_is_writing(const strata_view *view) { return view->writes != NULL; }

uint64_t strata_view_version(const strata_view *view) {
    return view->txn == NULL ? 0 : st_txn_header(view->txn)->version;
}

/* ---- Rows ------------------------------------------------------------- */

/* Keeps the block that was looked at last. All keys from `low` to its bound belong to it. */
static void keep_last(strata_view *view, uint32_t table, uint64_t low, const st_stored_block *block) {
    view->last.block = *block;
    view->last.epoch = view->tree_epoch;
    view->last.low = low;
    view->last.table = table;
}

strata_status st_view_entry(uint32_t table, strata_bytes key, strata_bytes value, st_stored_block *out,
                            strata_error *error) {
    if (key.size != 8) return st_fail(error, STRATA_CORRUPT, 0, "a key of %zu bytes in the tree of rows", key.size);
    if (st_load_big16(key.data) != table) return STRATA_NOT_FOUND;
    uint64_t bound = st_load_key((const uint8_t *)key.data + 2);
    if (!st_block_plausible(value) || strata_block_first(value.data) > bound)
        return st_fail(error, STRATA_CORRUPT, 0, "the block of table %u up to object %llu is damaged", table,
                       (unsigned long long)bound);
    *out = (st_stored_block){ value.data, value.size, bound };
    return STRATA_OK;
}

static strata_status search_block(strata_view *view, uint32_t table, uint64_t key, st_stored_block *out,
                                  strata_error *error) {
    uint8_t from[8];
    strata_bytes found, value;
    if (view->txn == NULL) return st_view_readable(view, error);
    strata_status status =
        st_tree_seek(view->txn, ST_ROWS, st_row_tree_key(from, table, key), &found, &value, error);
    return status == STRATA_OK ? st_view_entry(table, found, value, out, error) : status;
}

strata_status st_view_block(strata_view *view, uint32_t table, uint64_t key, st_stored_block *out,
                            strata_error *error) {
    if (view->last.epoch == view->tree_epoch && view->last.table == table && key >= view->last.low &&
        key <= view->last.block.bound) {
        *out = view->last.block;
        return STRATA_OK;
    }
    if (!st_block_cache_find(view, table, key, out)) {
        strata_status status = search_block(view, table, key, out, error);
        if (status != STRATA_OK) return status;
        st_block_cache_add(view, table, out, key);
    }
    uint64_t first = strata_block_first(out->data);
    keep_last(view, table, key < first ? key : first, out);
    return STRATA_OK;
}

strata_status st_view_row(strata_view *view, uint32_t table, uint64_t key, st_row_ref *out, strata_error *error) {
    *out = (st_row_ref){ NULL, 0, key };
    if (view->writes != NULL) {
        st_pending *pending = st_writes_entry(view->writes, table, key);
        if (pending != NULL) {
            strata_status status = STRATA_OK;
            if (pending->noted) status = st_writes_edit(view, table, key, &pending, error);
            out->block = pending->block;
            return status == STRATA_OK && pending->block == NULL ? STRATA_NOT_FOUND : status;
        }
    }
    st_stored_block block;
    strata_status status = st_view_block(view, table, key, &block, error);
    if (status != STRATA_OK) return status;
    if (!st_block_find(block.data, key, &out->slot)) return STRATA_NOT_FOUND;
    out->block = block.data;
    return STRATA_OK;
}

int strata_row_reload(strata_row *row) {
    strata_view *view = st_row_view(row);
    strata_status status = st_view_readable(view, NULL);
    if (status != STRATA_OK) return status;

    st_row_ref at;
    status = row->table < view->catalog->table_count ? st_view_row(view, row->table, row->key, &at, NULL)
                                                     : STRATA_NOT_FOUND;
    if (status < 0) {
        row->block = NULL;
        row->epoch = 0;
        return status;
    }
    st_row_point(row, view, row->table, &at);
    return status;
}

strata_status strata_row_bind(strata_view *view, uint32_t table, uint64_t key, strata_row *row, strata_error *error) {
    *row = (strata_row){ .head = &view->head, .key = key, .table = table };
    strata_status status = st_view_readable(view, error);
    if (status != STRATA_OK) return status;
    if (st_view_table(view, table, error) == NULL) return STRATA_MISUSE;
    st_row_ref at = { NULL, 0, key };
    if (key >= 1 && key < ST_KEY_MAX) status = st_view_row(view, table, key, &at, error);
    else status = STRATA_NOT_FOUND;
    if (status >= 0) st_row_point(row, view, table, &at);
    return status;
}

/* ---- Counts ----------------------------------------------------------- */

static strata_bytes state_key(uint8_t out[8], uint32_t table) {
    memcpy(out, "\0cnt", 4);
    st_store_big32(out + 4, table);
    return (strata_bytes){ out, 8 };
}

strata_status st_table_state_load(st_txn *txn, uint32_t table, st_table_state *out, strata_error *error) {
    uint8_t key[8];
    strata_bytes record;
    *out = (st_table_state){ 0, 1 };
    strata_status status = st_tree_get(txn, ST_META, state_key(key, table), &record, error);
    if (status == STRATA_NOT_FOUND) return STRATA_OK;
    if (status != STRATA_OK) return status;
    if (record.size != 16) return st_fail(error, STRATA_CORRUPT, 0, "the counts of table %u are damaged", table);
    out->rows = strata_load64(record.data);
    out->next_key = strata_load64((const uint8_t *)record.data + 8);
    if (out->next_key == 0 || out->next_key > ST_KEY_MAX)
        return st_fail(error, STRATA_CORRUPT, 0, "the counts of table %u are damaged", table);
    return STRATA_OK;
}

strata_status st_table_state_store(st_txn *writer, uint32_t table, const st_table_state *state, strata_error *error) {
    uint8_t key[8], record[16];
    st_store64(record, state->rows);
    st_store64(record + 8, state->next_key);
    return st_tree_put(writer, ST_META, state_key(key, table), (strata_bytes){ record, 16 }, error);
}

strata_status strata_table_size(strata_view *view, uint32_t table, uint64_t *out, strata_error *error) {
    *out = 0;
    strata_status status = st_view_readable(view, error);
    if (status != STRATA_OK) return status;
    if (st_view_table(view, table, error) == NULL) return STRATA_MISUSE;
    st_table_state state;
    if (view->writes != NULL) {
        st_table_writes *writes;
        status = st_writes_table(view, table, &writes, error);
        if (status == STRATA_OK) *out = writes->state.rows;
        return status;
    }
    status = st_table_state_load(view->txn, table, &state, error);
    if (status == STRATA_OK) *out = state.rows;
    return status;
}
