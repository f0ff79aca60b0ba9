/* SPDX-License-Identifier: MIT
 *
 * index.h -- the keys that an index has for rows, and ranges of compound indexes.
 *
 * A compound index of the columns a, b, c is in the order of (a, b, c, object key). Equality on its first columns, with
 * a range, a prefix or the order of the column behind them, is therefore one range of the index.
 */
#ifndef ST_WRITE_INDEX_H
#define ST_WRITE_INDEX_H

#include "base/arena.h"
#include "base/buffer.h"
#include "table/view.h"
#include "value/tuple.h"

static inline st_posting_set st_index_set(const st_index *index) { return (st_posting_set){ ST_INDEX, index->id }; }

/** The columns of an index as the parts of its keys. `hash_key` is that of the file. */
st_tuple st_index_tuple(const st_hash_key *hash_key, const st_table *table, const st_index *index);

/** The key that an index has for a row. Overflow values are read into `scratch`. */
strata_status st_index_key(strata_view *view, const st_table *table, const st_index *index, const st_row_ref *row,
                           st_buffer *scratch, st_key *out, strata_error *error);

/* ---- Ranges of compound indexes --------------------------------------- */

/**
 * A probe of a compound index: its first columns are equal to values, and the next one, if there is one, is between
 * bounds or has a prefix. Values are of the type of their column; only equality may ask for null.
 */
typedef struct st_compound_probe {
    const strata_value *equal;   /**< of the first columns, in their order */
    uint32_t equal_count;        /**< 0 to the number of columns */
    const strata_value *low;     /**< of the column behind them; NULL: no bound */
    const strata_value *high;
    bool low_open, high_open;    /**< the bound itself is excluded */
    bool not_null;               /**< without a bound: nulls are excluded. With one they always are */
    const strata_bytes *prefix;  /**< of a string column: its value begins so; then there are no bounds */
} st_compound_probe;

/**
 * The range of the index with the objects of a probe, in the order of the columns behind the equal ones, then of object
 * keys. It may have others, too, where a string of the probe is longer than the key has room for: `*out_inexact` has a
 * bit for each such column, by its position in the index, and that column must be compared on the rows.
 *
 * Ownership: the bytes of the range are in `memory`. False if there is none.
 */
bool st_index_range(st_arena *memory, const st_hash_key *hash_key, const st_table *table, const st_index *index,
                    const st_compound_probe *probe, st_posting_range *out, uint32_t *out_inexact);

/** How many bytes of an entry of a compound index are those of its first `columns` values: entries with the same bytes
 * there have the same values. `*last_cut` tells whether the last of them is a string that was cut: strings that begin
 * alike and are cut are in no useful order. 0 if the entry is damaged. */
size_t st_index_entry_size(const st_table *table, const st_index *index, uint32_t columns, strata_bytes entry,
                           bool *last_cut);

#endif
