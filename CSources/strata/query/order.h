/* SPDX-License-Identifier: MIT
 *
 * order.h -- sorting the rows of a result.
 *
 * What a row is sorted by is read once, when the row is added. With a limit, rows that can no longer be among the
 * first are not added, and the others are thinned out now and then.
 */
#ifndef ST_QUERY_ORDER_H
#define ST_QUERY_ORDER_H

#include "base/sort.h"
#include "condition/key_reader.h"

/** One key of the order, of all rows. */
typedef struct st_order_column {
    st_key_reader reader;
    bool descending;
    uint64_t *numbers;     /* in the order wanted, also if that is descending; unused for bytes */
    strata_bytes *bytes;   /* of bytes: in the block or in the memory of the order */
    uint8_t *ranks;        /* an st_key_read per row, if it may be null */
} st_order_column;

typedef struct st_order {
    st_query *query;
    st_order_column *columns;
    uint32_t column_count;
    uint64_t *keys;        /* object keys, in the order of the source */
    size_t count, capacity;
    size_t first;          /* 1: row 0 is a bookmark, and rows that do not come behind it are left out */
    size_t limit;          /* SIZE_MAX: none; at least 1 */
    bool bounded;          /* rows that do not come before the row `worst` are out */
    size_t worst;
    st_arena memory;
} st_order;

/** Begins an order. `limit` is how many rows are wanted, at least 1, or UINT64_MAX. False, with the query's status set,
 * if there is no memory or a path is refused. */
bool st_order_begin(st_order *order, st_query *query, const strata_sort *keys, uint32_t key_count, uint64_t limit);
/** Leaves out whatever does not come behind the bookmark, whose values have been checked. Before the first row. */
bool st_order_after(st_order *order, const strata_bookmark *bookmark);
void st_order_free(st_order *order);
/** Forgets the rows, but not the bookmark. */
void st_order_reset(st_order *order);
/** Adds a row behind the others. */
void st_order_add(st_order *order, const st_stored_row *row, uint64_t key);
/** Adds the rows of a block whose byte in the mask is 1. */
void st_order_add_block(st_order *order, const uint8_t *block, size_t size, const uint8_t *keep);
/** Sorts, and moves the first `limit` keys to `out`, which has room for `count`; returns how many. */
size_t st_order_finish(st_order *order, uint64_t *out);

#endif
