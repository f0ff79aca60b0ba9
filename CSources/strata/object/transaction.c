/* SPDX-License-Identifier: MIT
 *
 * transaction.c -- the life of a view: the snapshot it shows, and the write transaction on it.
 *
 * A view shows one state of the store until it is refreshed. While it writes, it shows that state with its changes; a
 * commit or a cancel leaves it with a snapshot of the newest state. */
#include <stdlib.h>

#include "base/status.h"
#include "base/utf8.h"
#include "catalog/catalog_share.h"
#include "changes/feed.h"
#include "collection/directory.h"
#include "object/cursor.h"
#include "store/close.h"
#include "store/queue.h"
#include "store/snapshot.h"
#include "store/writer.h"
#include "write/flush.h"
#include "strata_queue.h"
#include "write/write_set.h"

/* ---- Opening and closing ---------------------------------------------- */

/* A view of the calling thread on a snapshot, which is ended if that fails. */
static strata_status make_view(strata_store *store, st_txn *snapshot, strata_view **out, strata_error *error) {
    strata_view *view = calloc(1, sizeof *view);
    if (view != NULL && st_store_is_bounded(store)) view->blocks = st_block_cache_make_small();
    if (view == NULL || (st_store_is_bounded(store) && view->blocks == NULL)) {
        free(view);
        st_snapshot_end(snapshot);
        return st_no_memory(error, "opening a view");
    }
    st_store_hold(store);
    view->store = store;
    view->head.owner = strata_thread();
    view->head.epoch = 1;
    view->tree_epoch = 1;
    view->txn = snapshot;
    strata_status status = st_catalog_acquire(snapshot, &view->catalog, error);
    if (status != STRATA_OK) {
        st_snapshot_end(view->txn);
        st_store_let_go(store);
        st_block_cache_free(view->blocks);
        free(view);
        return status;
    }
    view->hash_key = st_txn_header(view->txn)->hash_key;
    view->watch.epoch = &view->head.epoch;
    st_fork_watch_add(&view->watch);
    *out = view;
    return STRATA_OK;
}

strata_status strata_view_open(strata_store *store, strata_view **out, strata_error *error) {
    st_txn *snapshot;
    *out = NULL;
    strata_status status = st_store_check(store, error);
    if (status == STRATA_OK) status = st_snapshot_begin(store, &snapshot, error);
    return status == STRATA_OK ? make_view(store, snapshot, out, error) : status;
}

/* ---- Frozen views ----------------------------------------------------- */

/* A snapshot of what the view shows; of what it showed before its write, while it writes. */
static strata_status shared_snapshot(strata_view *view, st_txn **out, strata_error *error) {
    if (view->writes == NULL) return st_snapshot_share(view->txn, out, error);
    if (st_writer_is_borrowed(view->txn))
        return st_fail(error, STRATA_WRITING, 0,
                       "nothing can be frozen in a queued write, which may share its transaction with others; freeze "
                       "it before the write or after it");
    st_txn *begun;
    strata_status status = st_snapshot_begin(view->store, &begun, error);
    if (status != STRATA_OK) return status;
    status = st_snapshot_share(begun, out, error);
    st_snapshot_end(begun);
    return status;
}

strata_status strata_view_freeze(strata_view *view, strata_view **out, strata_error *error) {
    st_txn *snapshot;
    *out = NULL;
    strata_status status = st_view_readable(view, error);
    if (status == STRATA_OK) status = shared_snapshot(view, &snapshot, error);
    if (status == STRATA_OK) status = make_view(view->store, snapshot, out, error);
    if (status != STRATA_OK) return status;
    (*out)->frozen = true;
    (*out)->head.owner = STRATA_EVERY_THREAD;
    return STRATA_OK;
}

strata_status strata_view_open_frozen(const strata_view *frozen, strata_view **out, strata_error *error) {
    st_txn *snapshot;
    *out = NULL;
    if (frozen == NULL || !frozen->frozen)
        return st_fail(error, STRATA_MISUSE, 0, "strata_view_open_frozen() needs a view of strata_view_freeze()");
    strata_status status = st_snapshot_share(frozen->txn, &snapshot, error);
    if (status == STRATA_OK) status = make_view(frozen->store, snapshot, out, error);
    if (status == STRATA_OK) (*out)->frozen = true;
    return status;
}

/* ---- Threads, refreshes ----------------------------------------------- */

/* A catalog that the write has changed is shown no longer, even if somebody else's gets the same version. */
static void forget_writes(strata_view *view) {
    if (view->writes->catalog_changed) ((st_catalog *)(uintptr_t)view->catalog)->version = UINT64_MAX;
    st_write_set_free(view->writes);
    view->writes = NULL;
}

/* Before the transaction ends that the view shows. */
static void let_cursors_leave(strata_view *view) {
    st_view_trees_will_move(view);
    st_view_detach_cursors(view);
}

/* Ends the write and forgets its changes. */
static void drop_write(strata_view *view) {
    let_cursors_leave(view);
    forget_writes(view);
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
    free(view->kept);
    st_directory_free(view->caches.directory);
    free(view->caches.recent);
    st_block_cache_free(view->blocks);
    free(view);
}

strata_status strata_view_adopt(strata_view *view, strata_error *error) {
    strata_status status = view == NULL ? st_view_check(view, error) : st_store_check(view->store, error);
    if (status != STRATA_OK || view->head.owner == strata_thread()) return status;
    if (view->head.owner == STRATA_EVERY_THREAD)
        return st_fail(error, STRATA_MISUSE, 0,
                       "a frozen view belongs to every thread; open a view of this thread on it");
    if (view->writes != NULL)
        return st_fail(error, STRATA_WRONG_THREAD, 0,
                       "a view cannot change its thread while it writes; end the write on the thread that began it");
    view->head.owner = strata_thread();
    return STRATA_OK;
}

void strata_view_rest(strata_view *view) {
    if (view == NULL || st_view_check(view, NULL) != STRATA_OK || view->writes != NULL) return;
    let_cursors_leave(view);
    st_view_trees_moved(view); /* rows are not read any more, and those that come later look themselves up */
    st_snapshot_end(view->txn);
    view->txn = NULL;
    view->head.owner = ST_NO_THREAD;
}

/* Lets the view show another transaction. On failure it has that, but its old catalog. */
static strata_status show(strata_view *view, st_txn *txn, strata_error *error) {
    view->txn = txn;
    st_view_trees_moved(view);
    if (view->catalog != NULL && view->catalog->version == st_txn_header(txn)->catalog_version) return STRATA_OK;
    const st_catalog *catalog;
    strata_status status = st_catalog_acquire(txn, &catalog, error);
    if (status != STRATA_OK) return status;
    bool changed_it = view->catalog != NULL && view->catalog->version == UINT64_MAX; /* the view itself, in a write */
    if (view->kept != NULL && !changed_it)
        status = st_kept_tables_check(view->kept, view->catalog, catalog, strata_store_path(view->store),
                                      st_txn_header(txn)->schema_version, error);
    if (status == STRATA_OK) {
        const st_catalog *before = view->catalog;
        view->catalog = catalog;
        catalog = before;
    }
    st_catalog_release(view->store, catalog);
    return status;
}

/* Gives a snapshot, or if that is NULL a new one, to a view whose transaction has ended. If it can get none, it is left
 * without: its rows must not be read any more, and every use reports STRATA_CLOSED until a refresh succeeds. */
static strata_status show_snapshot(strata_view *view, st_txn *snapshot, strata_error *error) {
    strata_status status = STRATA_OK;
    st_view_trees_moved(view);
    if (snapshot == NULL) status = st_snapshot_begin(view->store, &snapshot, error);
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

strata_status strata_view_log_changes(strata_view *view, bool on, strata_error *error) {
    strata_status status = st_view_check(view, error);
    if (status != STRATA_OK) return status;
    if (view->writes != NULL)
        return st_fail(error, STRATA_WRITING, 0, "whether changes are logged is said before the write begins");
    view->logs_changes = on;
    return STRATA_OK;
}

/* Moves to the newest commit. Ends the present snapshot first, whose place among the readers the next one takes. */
static strata_status take_newest(strata_view *view, strata_error *error) {
    let_cursors_leave(view);
    st_snapshot_end(view->txn);
    view->txn = NULL;
    return show_snapshot(view, NULL, error);
}

/* Moves to the newest commit without giving up the present one, which the view goes on to show if that fails. */
static strata_status try_newest(strata_view *view, strata_error *error) {
    st_txn *before = view->txn, *newest;
    strata_status status = st_snapshot_begin(view->store, &newest, error);
    if (status == STRATA_READERS_FULL) return take_newest(view, error);
    if (status != STRATA_OK) return status;
    if (view->label[0] != 0) st_snapshot_set_label(newest, view->label);
    st_view_trees_will_move(view);
    status = show(view, newest, error);
    if (status != STRATA_OK) view->txn = before;
    else st_view_detach_cursors(view);
    st_snapshot_end(status == STRATA_OK ? before : newest);
    return status;
}

strata_status strata_view_refresh(strata_view *view, bool *out_changed, strata_error *error) {
    bool changed = false;
    strata_status status = st_view_check(view, error);
    if (status == STRATA_OK && view->writes == NULL && !view->frozen &&
        (view->txn == NULL || st_snapshot_is_stale(view->txn))) {
        uint64_t before = view->txn == NULL ? 0 : st_txn_header(view->txn)->version;
        status = view->txn == NULL || view->kept == NULL ? take_newest(view, error) : try_newest(view, error);
        changed = status == STRATA_OK && st_txn_header(view->txn)->version != before;
    }
    if (out_changed != NULL) *out_changed = changed;
    return status;
}

strata_status strata_view_keep(strata_view *view, const uint32_t *tables, uint32_t count, strata_error *error) {
    return strata_view_keep_columns(view, tables, NULL, count, error);
}

strata_status strata_view_keep_columns(strata_view *view, const uint32_t *tables, const uint32_t *columns,
                                       uint32_t count, strata_error *error) {
    strata_status status = st_view_readable(view, error);
    if (status == STRATA_OK && count != 0 && tables == NULL)
        status = st_fail(error, STRATA_MISUSE, 0, "a view is to keep %u tables without an address", count);
    for (uint32_t i = 0; i < count && status == STRATA_OK; i++)
        if (st_view_table(view, tables[i], error) == NULL) status = STRATA_MISUSE;
    if (status != STRATA_OK) return status;
    st_kept_tables *kept = count == 0 ? NULL : st_kept_tables_make(view->catalog, tables, columns, count);
    if (count != 0 && kept == NULL) return st_no_memory(error, "keeping tables");
    free(view->kept);
    view->kept = kept;
    return STRATA_OK;
}

/* ---- Writing ---------------------------------------------------------- */

strata_status strata_view_begin(strata_view *view, strata_error *error) {
    return strata_view_begin_within(view, STRATA_STORE_WAIT, error);
}

/* Whether the view may begin to write. */
static strata_status check_begin(const strata_view *view, strata_error *error) {
    strata_status status = st_view_check(view, error);
    if (status != STRATA_OK) return status;
    if (view->frozen)
        return st_fail(error, STRATA_READ_ONLY, 0, "a frozen view cannot write; write with a live one");
    if (view->writes == NULL) return STRATA_OK;
    return st_fail(error, STRATA_WRITING, 0, "this view already has an open write transaction");
}

/* Lets the view write with `writer`, which is ended if that fails. */
static strata_status begin_with(strata_view *view, st_txn *writer, strata_error *error) {
    st_txn *snapshot = view->txn;
    st_view_trees_will_move(view);
    strata_status status = show(view, writer, error);
    if (status == STRATA_OK) {
        view->writes = st_write_set_make(view->catalog);
        if (view->writes == NULL) status = st_no_memory(error, "beginning a write transaction");
        else status = st_feed_begin(view, error);
    }
    if (status != STRATA_OK) {
        st_write_set_free(view->writes);
        view->writes = NULL;
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

strata_status strata_view_begin_within(strata_view *view, uint32_t milliseconds, strata_error *error) {
    st_txn *writer;
    strata_status status = check_begin(view, error);
    if (status == STRATA_OK) status = st_writer_begin_within(view->store, st_store_wait(view->store, milliseconds), &writer, error);
    return status == STRATA_OK ? begin_with(view, writer, error) : status;
}

strata_status strata_view_begin_granted(strata_view *view, strata_queued_write *queued, strata_error *error) {
    st_txn *writer;
    strata_status status = check_begin(view, error);
    if (status != STRATA_OK) return status;
    if (queued == NULL || !st_queue_had(view->store, queued))
        return st_fail(error, STRATA_MISUSE, 0, "a view can only begin a queued write of its own store");
    status = st_writer_borrow(queued, &writer, error);
    return status == STRATA_OK ? begin_with(view, writer, error) : status;
}

/* What a view that keeps its tables shows after a write that is dropped: once it has ended, another program may change
 * them. Otherwise NULL, for the newest commit. */
static st_txn *last_of_write(const strata_view *view) {
    st_txn *last = NULL;
    if (view->kept != NULL) (void)st_snapshot_begin(view->store, &last, NULL);
    return last;
}

strata_status strata_view_commit(strata_view *view, strata_error *error) {
    st_txn *seen = NULL;
    strata_status status = st_view_check(view, error);
    if (status != STRATA_OK) return status;
    if (view->writes == NULL) return st_fail(error, STRATA_NOT_WRITING, 0, "there is no write transaction to commit");
    if (view->writes->failed) status = st_writes_failure(view->writes, error);
    else if (view->writes->migration == ST_MIGRATION_OPEN)
        status = st_fail(error, STRATA_MISUSE, 0, "a migration is committed before strata_migration_finish()");
    if (status == STRATA_OK) status = st_writes_finish(view, error);
    if (status == STRATA_OK) status = st_feed_stage(view, error);
    if (status == STRATA_OK) {
        let_cursors_leave(view);
        status = st_writer_commit_seen(view->txn, &seen, error);
        view->txn = NULL; /* gone, whatever happened */
        forget_writes(view);
    } else {
        seen = last_of_write(view);
        drop_write(view);
    }
    (void)show_snapshot(view, seen, NULL); /* the commit counts even if the view cannot show it */
    return status;
}

void strata_view_cancel(strata_view *view) {
    if (view == NULL || view->writes == NULL || st_view_check(view, NULL) != STRATA_OK) return;
    st_txn *seen = last_of_write(view);
    drop_write(view);
    (void)show_snapshot(view, seen, NULL); /* if it fails, the next use reports STRATA_CLOSED */
}

bool strata_view_is_writing(const strata_view *view) { return view != NULL && view->writes != NULL; }

uint64_t strata_view_version(const strata_view *view) {
    return view == NULL || view->txn == NULL ? 0 : st_txn_header(view->txn)->version;
}

bool strata_view_is_newest(const strata_view *view) {
    return view != NULL && view->txn != NULL && view->writes == NULL && !st_snapshot_is_stale(view->txn);
}
