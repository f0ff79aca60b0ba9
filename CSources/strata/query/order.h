/* SPDX-License-Identifier: MIT
 *
 * order.h -- sorting the rows of a result.
 *
 * What a row is sorted by is read once, when the row is added. With a limit, rows that can no longer be among the first
 * are not added, and from time to time all rows but the first are dropped.
 */
#ifndef ST_QUERY_ORDER_H
#define ST_QUERY_ORDER_H

#include "base/arena.h"
#include "base/sort.h"
#include "condition/key_reader.h"

/** One key of the order, for all rows. */
typedef struct st_order_column {
    st_key_reader reader;
    bool descending;
    uint64_t *numbers;     /* ascending in the order wanted, also if that is descending; not used for bytes */
    strata_bytes *bytes;   /* of bytes: in the block or in the memory of the order */
    uint8_t *ranks;        /* an st_key_read for each row, if a row may have no value */
} st_order_column;

typedef struct st_order {
    st_query *query;
    st_order_column *columns;
    uint32_t column_count;
    uint64_t *keys;        /* object keys, in the order in which rows were added */
    size_t count, capacity;
    size_t first;          /* 1: row 0 is a bookmark, and only rows that come behind it are added; otherwise 0 */
    size_t limit;          /* how many rows are wanted, at least 1; SIZE_MAX: all */
    bool bounded;          /* only rows that come before the row `worst` are added */
    size_t worst;
    st_arena memory;
} st_order;

/** Begins an order. `limit` is how many rows are wanted, at least 1, or UINT64_MAX. False, with the query's status set,
 * if there is no memory or a path is refused. */
bool st_order_begin(st_order *order, st_query *query, const strata_sort *keys, uint32_t key_count, uint64_t limit);
/** Leaves out whatever does not come behind the bookmark, whose values have been checked. To be called before the first
 * row is added. */
bool st_order_after(st_order *order, const strata_bookmark *bookmark);
void st_order_free(st_order *order);
/** Forgets the rows, but not the bookmark. */
void st_order_reset(st_order *order);
/** Adds a row. Rows that are equal in all keys stay in the order in which they were added. */
void st_order_add(st_order *order, const st_stored_row *row, uint64_t key);
/** Adds the rows of a block that a selection mask keeps. */
void st_order_add_block(st_order *order, const uint8_t *block, size_t size, const uint8_t *keep);
/** Whether row `a` comes before row `b` (-1), behind it (1), or is equal to it in all keys (0); both are numbers of rows,
 * in the order in which they were added. */
int st_order_compare(const st_order *order, size_t a, size_t b);
/** A number for a row: a row with a smaller one comes before. Of rows with equal ones nothing is known. */
uint64_t st_order_word(const st_order *order, size_t row);
/** Sorts, and copies the first `limit` keys to `out`, which has room for `count`; returns how many. `words`, unless it is
 * NULL, has room for as many, and gets the word of each. */
size_t st_order_finish(st_order *order, uint64_t *out, uint64_t *words);

#endif
