/* SPDX-License-Identifier: MIT
 *
 * write_set.h -- what a write transaction has changed and not yet stored.
 *
 * The first change of a row copies it into memory as a pending block; later changes are stores into that copy. Many
 * writes change one number of a row and never look at it again: such an update is deferred, and the row copied only
 * when somebody does. Links are logged as they change, since a collection may be too long to compare, and so are
 * primary keys. A flush merges pending rows into their stored blocks in key order and derives index entries by
 * comparing the stored row with the pending one. Changes to indexes and links are collected beyond that, so that a
 * large write touches each block of an index only a few times. A reader of an index either applies these changes first
 * or reads them as well.
 *
 * Invariant: a row has at most one entry. An entry without a block is a deferred update or a deletion.
 */
#ifndef ST_WRITE_WRITE_SET_H
#define ST_WRITE_WRITE_SET_H

#include "base/buffer.h"
#include "base/filter.h"
#include "collection/edit.h"
#include "posting/postings_batch.h"
#include "table/table_state.h"
#include "table/view.h"
#include "write/change_log.h"
#include "write/hash_table.h"
#include "write/identity.h"
#include "write/link_counts.h"

/** A row that was created, changed or deleted. */
typedef struct st_pending {
    uint64_t key;
    uint8_t *block;             /* NULL: deleted, or its update is deferred */
    uint32_t end, capacity;     /* bytes of the block in use, and there */
    st_edit *edits;             /* collections of this row that were changed */
    uint64_t number;            /* of a deferred update */
    uint32_t column;
    bool deferred;              /* `number` in `column` is all that was changed, and nobody looked at the row since */
    bool stored;                /* the tree has an older state of the row */
} st_pending;

enum { ST_PENDING_SLACK = 48 /* bytes that a pending block has to spare */ };

typedef struct st_table_writes {
    st_pending *rows;
    size_t count, capacity;
    bool ascending;            /* `rows` is in the order of keys */
    uint8_t *empty;            /* a pending row without values; NULL: not yet made */
    uint32_t empty_size;
    st_hash_table by_key;      /* positions in `rows` */
    st_hash_table by_primary;  /* of new primary keys: positions of their changes to the index that has them */
    st_filter primaries;       /* primary keys in the index, if that was empty: others need no search */
    bool state_loaded, state_changed;
    uint64_t indexed_rows;     /* rows of the table when changes to its indexes were last applied; 0: they are empty */
    st_table_state state;
    uint64_t stored_rows;      /* `state.rows` as they are stored */
} st_table_writes;

/** Changes of indexes and link indexes that are not yet applied: a batch for each set of the catalog, by its number. */
typedef struct st_index_changes {
    st_posting_batch *batches;
    uint32_t count;
    size_t applied; /* bytes of those that were applied before */
    size_t logged;  /* changes of links since rows were last stored */
} st_index_changes;

/** What pending changes take. */
typedef struct st_pending_memory {
    st_arena arena; /* pending blocks, and bytes of elements of collections */
    size_t copied;  /* bytes of blocks that were copied from stored rows */
    size_t entries; /* bytes of entries without a block */
    size_t chunks;  /* bytes of collections that are being changed */
} st_pending_memory;

/** Whether the write migrates the file to another schema. */
typedef enum st_migration_state {
    ST_MIGRATION_NONE,
    ST_MIGRATION_OPEN,   /* the tables are laid out and not yet settled: the write must not be committed */
    ST_MIGRATION_SETTLED
} st_migration_state;

typedef struct st_write_set {
    st_table_writes *tables;
    uint32_t table_count;
    st_index_changes changes;
    st_link_counts link_counts;
    st_identities identities;
    st_pending_memory memory;
    st_change_log log; /* for whoever wants a record of the commit */
    st_buffer scratch; /* an overflow value that was read */
    st_migration_state migration;
    uint64_t migrates_to; /* the schema version of the migration */
    bool catalog_changed; /* the catalog of the view is its own */
    bool dirty;        /* there is something to flush */
    bool flushed;      /* there was something to flush before */
    bool failed;       /* an operation failed halfway: only cancelling is left */
    strata_error failure; /* the first one, if `failed` */
} st_write_set;

/** Whether the view may show something else than when the write began. */
static inline bool st_writes_changed(const st_write_set *writes) {
    return writes != NULL && (writes->dirty || writes->flushed);
}

st_write_set *st_write_set_make(const st_catalog *catalog);
void st_write_set_free(st_write_set *writes);

/** Notes that an operation failed halfway; `error` says why, and may be NULL. */
void st_writes_fail(st_write_set *writes, strata_status status, const strata_error *error);
/** Fails with the status of what failed first, and says what that was. */
strata_status st_writes_failure(const st_write_set *writes, strata_error *error);
/** Whether the view is writing, on its thread, and nothing has failed yet. Fails: STRATA_NOT_WRITING,
 * STRATA_WRONG_THREAD, STRATA_AFTER_FORK, what failed first. */
strata_status st_writes_ready(strata_view *view, strata_error *error);

/** The counts of a table as this transaction sees them. */
strata_status st_writes_table(strata_view *view, uint32_t table, st_table_writes **out, strata_error *error);

/* ---- Rows ------------------------------------------------------------- */

/** The entry of a row that was changed, or NULL. If its update is deferred, st_writes_edit() gives it a block. */
st_pending *st_writes_entry(const st_write_set *writes, uint32_t table, uint64_t key);
/** An empty pending block with room for so many bytes behind its `empty_size`. NULL if there is no memory. */
uint8_t *st_writes_block(st_write_set *writes, const st_layout *layout, uint32_t table, uint64_t key, size_t room);
/** Adds a row that is not in the set yet. NULL if there is no memory. Moves other rows' `st_pending`. */
st_pending *st_writes_add(st_write_set *writes, uint32_t table, uint64_t key);

/** The pending row, copied from the stored one if it is not there yet. Returns STRATA_OK or STRATA_NOT_FOUND. */
strata_status st_writes_edit(strata_view *view, uint32_t table, uint64_t key, st_pending **out, strata_error *error);

/** The row where it is stored, with every cell checked. Returns STRATA_OK or STRATA_NOT_FOUND. */
strata_status st_writes_stored(strata_view *view, uint32_t table, uint64_t key, st_row_ref *out, strata_error *error);
/** Deletes a row. Its update must not be deferred. */
strata_status st_writes_remove(strata_view *view, uint32_t table, uint64_t key, strata_error *error);

/** Defers the update of a column of `row` to a number; see st_block_can_store(). The row is not current afterwards.
 * `*out_deferred` is false if that cannot be done: the row is to be edited then, if there is one. */
strata_status st_writes_defer(strata_view *view, const strata_row *row, uint32_t column, uint64_t number,
                              bool *out_deferred, strata_error *error);

#endif
