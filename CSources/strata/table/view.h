/* SPDX-License-Identifier: MIT
 *
 * view.h -- a view: one consistent state of a store, as its thread sees it.
 *
 * A view shows its transaction: a snapshot, or the writer with what is pending in the write set. object/transaction.c
 * opens and closes it; every layer above this one works on it.
 *
 * Invariants of pointers: blocks of the trees stay where they are while `tree_epoch` stays the same. A row moves when
 * its block does, or when the write set takes it over; both change `head.epoch`.
 */
#ifndef ST_TABLE_VIEW_H
#define ST_TABLE_VIEW_H

#include "block/block.h"
#include "catalog/catalog.h"
#include "catalog/kept_tables.h"
#include "posting/postings_count.h"
#include "store/fork.h"
#include "strata_query.h"
#include "table/block_cache.h"

/* The owner of a view that rests: what no thread is called. */
#define ST_NO_THREAD UINTPTR_MAX

struct st_write_set;
struct st_directory;
struct st_recent;
struct strata_cursor;

/** What was found before, so that it need not be searched again. Each member belongs to one noun of a layer above,
 * which alone looks into it, and is freed with the view. */
typedef struct st_view_caches {
    struct st_directory *directory; /* of the long collection read last: collection/directory.h */
    struct st_recent *recent;       /* the collection opened last: write/collection_open.h */
    st_postings_position links;        /* where links to an object were counted last: object/backlinks.h */
} st_view_caches;

struct strata_view {
    strata_view_head head;         /* first: live rows point to it */
    strata_store *store;
    st_hash_key hash_key;          /* of the file, for keys of indexes */
    st_txn *txn;                   /* a snapshot, or the writer; NULL after a failure to get one */
    const st_catalog *catalog;
    st_kept_tables *kept;          /* that it does not let go of; or NULL */
    struct st_write_set *writes;   /* NULL unless the view is writing */
    struct strata_cursor *cursors; /* those open on this view */
    void (*keep_scans)(strata_view *view); /* of its cursors, before trees move; NULL: there was none so far */
    bool frozen;                   /* shows one commit for ever */
    bool logs_changes;             /* of its writes, for strata_view_changes() */
    uint64_t tree_epoch;
    st_fork_watch watch;
    char label[STRATA_MAX_LABEL + 1]; /* of its snapshots */
    strata_interrupt *interrupt; /* of its queries, or NULL */
    struct {
        st_stored_block block;
        uint64_t epoch; /* the tree epoch it was found in; 0 = none */
        uint64_t low;   /* the least key known to belong to it */
        uint32_t table;
    } last;                 /* the block looked at last: neighbours need no search */
    st_block_cache *blocks; /* those looked at before */
    st_view_caches caches;
};

/** Whether the caller may use the view. Fails: STRATA_WRONG_THREAD, STRATA_AFTER_FORK. */
strata_status st_view_check(const strata_view *view, strata_error *error);
/** The same, and whether there is a transaction to read. Fails also: STRATA_CLOSED. */
strata_status st_view_readable(const strata_view *view, strata_error *error);

/** The table of that number, or NULL with `error` set to STRATA_MISUSE. */
const st_table *st_view_table(const strata_view *view, uint32_t table, strata_error *error);
/** The column of that number, unless it was dropped, or NULL with `error` set to STRATA_MISUSE. */
const st_column *st_view_column(const strata_view *view, uint32_t table, uint32_t column, strata_error *error);

/** To be called before trees are changed, or another transaction is shown: index scans keep what is left of them. */
static inline void st_view_trees_will_move(strata_view *view) {
    if (view->keep_scans != NULL) view->keep_scans(view);
}
/** Tells the view that trees were changed: stored blocks, and so all rows, may have moved. */
void st_view_trees_moved(strata_view *view);

/** The stored block into which `key` belongs, whether it has a row of that key or not. STRATA_OK, or STRATA_NOT_FOUND
 * if the table has no block for such a key. */
strata_status st_view_block(strata_view *view, uint32_t table, uint64_t key, st_stored_block *out, strata_error *error);

/** Makes `row` point to where its object was found; it is not current if that is nowhere. */
static inline void st_row_point(strata_row *row, strata_view *view, uint32_t table, const st_row_ref *at) {
    row->block = at->block;
    row->slot = at->slot;
    row->key = at->key;
    row->table = table;
    row->head = &view->head;
    row->epoch = at->block == NULL ? 0 : view->head.epoch;
}

/** Whether the row is where it was, and the caller on the thread of its view. Rows of a frozen view are of no thread:
 * the engine does not read them, only the readers that are compiled into programs do. */
static inline bool st_row_current(const strata_row *row) {
    return row->epoch == row->head->epoch && row->head->owner == strata_thread();
}

/** The view of a row: its head is its first member. */
static inline strata_view *st_row_view(const strata_row *row) { return (strata_view *)(uintptr_t)row->head; }

#endif
