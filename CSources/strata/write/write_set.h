/* SPDX-License-Identifier: MIT
 *
 * write_set.h -- what a write transaction has changed and not yet stored.
 *
 * The first change of a row copies it into memory as a pending block; later changes are stores into that copy. Many
 * writes change one number of a row and never look at it again: that is noted at first, and the row only copied when
 * somebody does. Links are logged as they change, since a collection may be too long to compare, and so are primary
 * keys. A flush merges pending rows into their stored blocks in key order and derives index entries by comparing the
 * stored row with the pending one. Changes to indexes and links are collected beyond that, so that a large write
 * touches each block of an index only a few times; whoever reads an index has them applied first, or looks at them,
 * too.
 */
#ifndef ST_WRITE_WRITE_SET_H
#define ST_WRITE_WRITE_SET_H

#include "base/buffer.h"
#include "base/filter.h"
#include "posting/postings_batch.h"
#include "table/blob.h"
#include "table/view.h"

struct st_edit;

/** A row that was created, changed or deleted. */
typedef struct st_pending {
    uint64_t key;
    uint8_t *block;             /* NULL: deleted, or only noted */
    uint32_t end, capacity;     /* bytes of the block in use, and there */
    struct st_edit *edits;      /* collections of this row that were changed */
    uint64_t number;            /* noted: what it has now in this column */
    uint32_t column;
    bool noted;                 /* a single number of the stored row was changed, and nobody looked at it since */
    bool stored;                /* the tree holds an older state of it */
} st_pending;

/** Positions of rows by a hash, with open addressing. Most candidates are told apart without looking at their row. */
typedef struct st_probe {
    uint32_t position; /* + 1, 0 = free */
    uint32_t hash;
} st_probe;

typedef struct st_probe_table {
    st_probe *slots;
    size_t size;       /* a power of two, or 0 */
    size_t count;
} st_probe_table;

/** Makes room for one more. False if there is no memory. */
bool st_probe_reserve(st_probe_table *table);
/** Adds a position; there must be room. */
void st_probe_add(st_probe_table *table, uint32_t hash, size_t position);

typedef struct st_table_writes {
    st_pending *rows;
    size_t count, capacity;
    bool ascending;            /* `rows` is in the order of keys */
    uint8_t *empty;            /* a pending row without values; NULL: not yet made */
    uint32_t empty_size;
    st_probe_table by_key;
    st_probe_table by_primary; /* changes to the index of the primary key that add an entry, by the hash of its value */
    st_filter primaries;       /* of all that were applied, if that index was empty before; otherwise without stages */
    bool state_loaded, state_changed;
    uint64_t indexed_rows;     /* rows when changes to indexes were last applied: 0 means they are empty */
    st_table_state state;
} st_table_writes;

/** How the number of links to an object differs from the stored one. */
typedef struct st_link_count {
    uint64_t target; /* table << 48 | key; 0 = free */
    int64_t change;
} st_link_count;

typedef struct st_write_set {
    st_table_writes *tables;
    uint32_t table_count;
    st_posting_batch *indexes, *links; /* changes of each index and link index, by its id: not yet applied */
    uint32_t set_count;        /* ids of both */
    size_t applied;            /* bytes of those that were applied */
    size_t *links_counted;     /* how many of those of links are in `link_counts` */
    size_t links_logged;       /* since rows were last stored */
    st_link_count *link_counts;
    size_t counts_size, counts_used;
    st_arena memory;           /* pending blocks */
    size_t edited;             /* bytes of those that were copied from stored rows */
    size_t noted;              /* bytes of entries without a block: changes that were noted, and deletions */
    size_t edit_memory;        /* bytes of loaded collections */
    st_buffer scratch;         /* a value read from elsewhere */
    uint64_t *dropped_blobs;   /* values no pending row refers to any more; deleted by the flush */
    size_t dropped_blob_count, dropped_blob_capacity;
    uint64_t *dropped_collections;
    size_t dropped_collection_count, dropped_collection_capacity;
    uint64_t next_identity;    /* of a value or collection stored elsewhere; 0 = not loaded */
    bool identity_changed;
    bool dirty;                /* there is something to flush */
    bool failed;               /* an operation failed halfway: only cancelling is left */
} st_write_set;

st_write_set *st_write_set_make(const st_catalog *catalog);
void st_write_set_free(st_write_set *writes);

/** The view is writing, on its thread, and nothing has failed yet. */
strata_status st_writes_ready(strata_view *view, strata_error *error);
/** At the end of each change: stores the rows, as st_writes_store() does, if the set has grown large. Not before it,
 * since the values of a change may be bytes lent by the view. */
strata_status st_writes_trim(strata_view *view, strata_error *error);

/** What is known of a changed row, or NULL. If it is only noted, st_writes_edit() makes it a block. */
st_pending *st_writes_entry(const st_write_set *writes, uint32_t table, uint64_t key);
/** An empty pending block with room for so many bytes behind its `empty_size`. NULL if there is no memory. */
uint8_t *st_writes_block(st_write_set *writes, const st_layout *layout, uint32_t table, uint64_t key, size_t room);
/** Adds a row that is not in the set yet. NULL if there is no memory. Moves other rows' `st_pending`. */
st_pending *st_writes_add(st_write_set *writes, uint32_t table, uint64_t key);

/** The pending row, copied from the stored one if it is not there yet. Returns STRATA_OK or STRATA_NOT_FOUND. */
strata_status st_writes_edit(strata_view *view, uint32_t table, uint64_t key, st_pending **out, strata_error *error);

/** The row where it is stored, with every cell checked. Returns STRATA_OK or STRATA_NOT_FOUND. */
strata_status st_writes_stored(strata_view *view, uint32_t table, uint64_t key, st_row_ref *out, strata_error *error);
/** Marks a row as deleted that is not only noted. */
strata_status st_writes_remove(strata_view *view, uint32_t table, uint64_t key, strata_error *error);

/** Notes that a column of `row` is to become a number, as st_block_can_store() takes it. The row is not current then.
 * `*out_noted` is false if that cannot be noted: the row is to be edited, if it is there. */
strata_status st_writes_note(strata_view *view, const strata_row *row, uint32_t column, uint64_t number,
                             bool *out_noted, strata_error *error);

/** The counts of a table as this transaction sees them. */
strata_status st_writes_table(strata_view *view, uint32_t table, st_table_writes **out, strata_error *error);

/** Stores everything that is pending. On failure only cancelling is left. */
strata_status st_writes_flush(strata_view *view, strata_error *error);

/** The same before a commit: the write set is not asked for anything any more. */
strata_status st_writes_finish(strata_view *view, strata_error *error);

/** The same, but leaves changes to indexes and links for later unless there are many. For writes that go on. */
strata_status st_writes_store(strata_view *view, strata_error *error);

/** Merges the pending rows of one table into its blocks and derives changes to its indexes. Part of the flush. */
strata_status st_writes_merge_table(strata_view *view, uint32_t table, strata_error *error);

/* ---- Cells ------------------------------------------------------------ */

/** Puts bytes into a cell of a pending row; `large` says they are a reference. The value must be checked before.
 * Moves the block if it has no room: callers change the epoch after it. */
strata_status st_pending_set_bytes(strata_view *view, const st_table *table, st_pending *pending, uint32_t column,
                                   strata_bytes bytes, bool large, strata_error *error);

/** Changes a single cell of a pending row. The value was checked; a link has been logged. */
strata_status st_pending_set(strata_view *view, const st_table *table, st_pending *pending, uint32_t column,
                             const strata_value *value, strata_error *error);

/** If the cell refers to something stored elsewhere, has the flush delete that. */
strata_status st_cell_drop(strata_view *view, const st_table *table, const st_row_ref *row, uint32_t column,
                           strata_error *error);

/** Does `value` fit the column? Fails with STRATA_TYPE or STRATA_TOO_LARGE, naming both. */
strata_status st_value_check(const st_table *table, const st_column *column, const strata_value *value,
                             strata_error *error);
/** The same for an element, or a value of a map, if the column is a collection. */
strata_status st_element_check(const st_table *table, const st_column *column, const strata_value *value,
                               strata_error *error);

/** Stores large bytes in the tree of blobs, under an identity of their own. Moves trees. */
strata_status st_bytes_store(strata_view *view, strata_bytes bytes, st_blob *out, strata_error *error);

/** The value of a cell; bytes stored elsewhere are read into `scratch`. Not for collections. */
strata_status st_cell_value(strata_view *view, const st_table *table, uint32_t column, const st_row_ref *row,
                            st_buffer *scratch, strata_value *out, strata_error *error);

/* ---- Links ------------------------------------------------------------ */

/** The number under which the link index of a column has an object: its key, or of a column of any values the table in
 * the upper 16 bits, too. */
static inline uint64_t st_link_number(const st_column *column, uint32_t table, uint64_t key) {
    return column->type == STRATA_LINK ? key : (uint64_t)table << 48 | key;
}

/** Logs that `origin` now links to `target`, a number of st_link_number(), or no longer does, through a column. */
strata_status st_links_log(strata_view *view, const st_column *column, uint64_t target, uint64_t origin, bool added,
                           strata_error *error);
/** The same for every link of a value, of which a nested one may have many. */
strata_status st_links_log_value(strata_view *view, const st_column *column, const strata_value *value,
                                 uint64_t origin, bool added, strata_error *error);
/** Logs that the links of a mixed cell are about to go. */
strata_status st_mixed_release(strata_view *view, const st_table *table, const st_row_ref *row, uint32_t column,
                               strata_error *error);
/** Fails with STRATA_MISUSE if a link of the value leads to no object. */
strata_status st_link_targets_check(strata_view *view, const st_table *table, const st_column *column,
                                    const strata_value *value, strata_error *error);
/** Fails with STRATA_MISUSE if `key` is no object of the column's target table. */
strata_status st_link_target_check(strata_view *view, const st_table *table, const st_column *column, uint64_t key,
                                   strata_error *error);

/** How the pending changes alter the number of links to an object; `*touched` if any concerns it at all. */
strata_status st_links_pending(strata_view *view, uint32_t table, uint64_t key, int64_t *change, bool *touched,
                               strata_error *error);

/** The link index that answers who links through a column to an object, with nothing pending that it lacks. */
strata_status st_links_settle(strata_view *view, uint32_t table, uint64_t key, uint32_t origin_table,
                              uint32_t origin_column, st_posting_set *out, strata_error *error);

/** All stored links through a column to an object, a number of st_link_number(), as a range of its link index. */
st_posting_range st_links_range(uint8_t value[8], uint64_t key);

#endif
