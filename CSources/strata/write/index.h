/* SPDX-License-Identifier: MIT
 *
 * index.h -- what indexes have of rows, and what they can be asked.
 *
 * A compound index of the columns a, b, c is in the order of (a, b, c, object key). Equality on its first columns, and
 * with it a range, a prefix or the order of the column behind them, is therefore one range of it.
 */
#ifndef ST_WRITE_INDEX_H
#define ST_WRITE_INDEX_H

#include "base/arena.h"
#include "base/buffer.h"
#include "table/view.h"
#include "value/tuple.h"

static inline st_posting_set st_index_set(const st_index *index) { return (st_posting_set){ ST_INDEX, index->id }; }

/** The columns of an index as parts of its keys. */
st_tuple st_index_tuple(const st_table *table, const st_index *index);

/** What the index has of a row. `scratch` holds values that are stored elsewhere. */
strata_status st_index_key(strata_view *view, const st_table *table, const st_index *index, const st_row_ref *row,
                           st_buffer *scratch, st_key *out, strata_error *error);

/* ---- Ranges of compound indexes --------------------------------------- */

/**
 * What is asked of a compound index: its first columns are equal to values, and of the next one, if there is one more,
 * those between bounds or with a prefix. Values are of the type of their column; only equality may ask for null.
 */
typedef struct st_index_demand {
    const strata_value *equal;   /**< of the first columns, in their order */
    uint32_t equal_count;        /**< 0 to the number of columns */
    const strata_value *low;     /**< of the column behind them; NULL: no bound */
    const strata_value *high;
    bool low_open, high_open;    /**< the bound itself is not meant */
    bool not_null;               /**< without any bound: nulls are not meant. With one they never are */
    const strata_bytes *prefix;  /**< of a string column: it begins so; then there are no other bounds */
} st_index_demand;

/**
 * The range of the index that has the objects asked for, in the order of the columns behind the equal ones, then of
 * object keys. It may have others where a string of the demand, be it of an equality, a bound or a prefix, is longer
 * than the key has room for: `*out_inexact` has a bit for each such column, by its position in the index, and what is
 * demanded of that column must be tested on the rows.
 *
 * Ownership: the bytes of the range are in `memory`. False if there is none.
 */
bool st_index_range(st_arena *memory, const st_table *table, const st_index *index, const st_index_demand *demand,
                    st_posting_range *out, uint32_t *out_inexact);

/** How many bytes of an entry of a compound index are those of its first `columns` values: entries with the same bytes
 * there have the same values. `*last_cut` if the last of them is a string that was cut: those are in no particular
 * order among others that begin alike. 0 if the entry is damaged. */
size_t st_index_entry_size(const st_table *table, const st_index *index, uint32_t columns, strata_bytes entry,
                           bool *last_cut);

#endif
