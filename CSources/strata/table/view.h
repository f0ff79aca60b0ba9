/* SPDX-License-Identifier: MIT
 *
 * view.h -- what a view is made of, for the files of this folder and above.
 *
 * Invariant of pointers: blocks of the trees stay where they are while `tree_epoch` stays the same. A row moves
 * when its tree block does, or when the write set takes it over; both change `head.epoch`.
 */
#ifndef ST_TABLE_VIEW_H
#define ST_TABLE_VIEW_H

#include "base/bits.h"
#include "catalog/catalog.h"
#include "block/block.h"
#include "posting/postings_read.h"
#include "store/fork.h"

struct st_write_set;
struct st_directory;
struct st_recent;
struct st_block_cache;
struct strata_cursor;

/** A block of the row tree. */
typedef struct st_stored_block {
    const uint8_t *data;
    size_t size;
    uint64_t bound; /* the largest object key that belongs here; ST_KEY_MAX in the last block of a table */
} st_stored_block;

struct strata_view {
    strata_view_head head; /* first: live rows point to it */
    strata_store *store;
    st_txn *txn;                 /* a snapshot, or the writer */
    const st_catalog *catalog;
    struct st_write_set *writes; /* not NULL while writing */
    struct strata_cursor *cursors; /* open on this view */
    uint64_t tree_epoch;
    st_fork_watch watch;
    char label[STRATA_MAX_LABEL + 1];
    struct {
        st_stored_block block;
        uint64_t epoch;          /* tree epoch it was found in; 0 = none */
        uint64_t low;            /* least key known to belong to it */
        uint32_t table;
    } last;                      /* the block looked at last: neighbours need no search */
    st_postings_position links;     /* where links to an object were counted last */
    struct st_block_cache *blocks;  /* those looked at before; see block_cache.h */
    struct st_directory *directory; /* of the long collection looked at last; see collection_blocks.h */
    struct st_recent *recent;       /* the stored collection opened last; see collection_read.h */
};

/** Fails with STRATA_WRONG_THREAD or STRATA_AFTER_FORK. */
strata_status st_view_check(const strata_view *view, strata_error *error);
/** The same, and STRATA_CLOSED if the view has no transaction to read through. */
strata_status st_view_readable(const strata_view *view, strata_error *error);

/** The table of that number, or NULL with `error` set to STRATA_MISUSE. */
const st_table *st_view_table(const strata_view *view, uint32_t table, strata_error *error);
/** The live column of that number, or NULL with `error` set to STRATA_MISUSE. */
const st_column *st_view_column(const strata_view *view, uint32_t table, uint32_t column, strata_error *error);

/** After trees were changed: stored blocks, and so all rows, may have moved. */
void st_view_trees_moved(strata_view *view);

/** Has the cursors of the view let go of its transaction, which is about to end; they find their place again. */
void st_view_detach_cursors(strata_view *view);

/** The stored block that holds `key`, if any does. Returns STRATA_OK or STRATA_NOT_FOUND. */
strata_status st_view_block(strata_view *view, uint32_t table, uint64_t key, st_stored_block *out, strata_error *error);

/** The block that an entry of the tree of rows is, if it is of that table: STRATA_OK, or STRATA_NOT_FOUND. Fails with
 * STRATA_CORRUPT unless it is plausible and has no keys beyond its bound. */
strata_status st_view_entry(uint32_t table, strata_bytes key, strata_bytes value, st_stored_block *out,
                            strata_error *error);

/** Where the row is: in the write set, or else stored. Returns STRATA_OK or STRATA_NOT_FOUND. */
strata_status st_view_row(strata_view *view, uint32_t table, uint64_t key, st_row_ref *out, strata_error *error);

/** Fills `row` from where its object was found. */
static inline void st_row_point(strata_row *row, strata_view *view, uint32_t table, const st_row_ref *at) {
    row->block = at->block;
    row->slot = at->slot;
    row->key = at->key;
    row->table = table;
    row->head = &view->head;
    row->epoch = at->block == NULL ? 0 : view->head.epoch;
}

static inline strata_view *st_row_view(const strata_row *row) { return (strata_view *)(uintptr_t)row->head; }

/** Keys in the tree of rows: table (2 bytes), object key (6 bytes), big-endian. */
static inline strata_bytes st_row_tree_key(uint8_t out[8], uint32_t table, uint64_t key) {
    st_store_big16(out, (uint16_t)table);
    st_store_key(out + 2, key);
    return (strata_bytes){ out, 8 };
}

/** What is counted for a table; kept in the main tree under 00 "cnt" table:4 as u64 rows, u64 next key. */
typedef struct st_table_state {
    uint64_t rows;
    uint64_t next_key; /* the key of the next new object, at least 1 */
} st_table_state;
strata_status st_table_state_load(st_txn *txn, uint32_t table, st_table_state *out, strata_error *error);
strata_status st_table_state_store(st_txn *writer, uint32_t table, const st_table_state *state, strata_error *error);

#endif
