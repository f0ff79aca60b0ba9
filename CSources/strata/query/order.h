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
#include "query/query.h"

/** One key of the order, of all rows. */
typedef struct st_order_column {
    const strata_sort *sort;
    st_kind kind;          /* BYTES also of decimals and mixed values, by bytes that have their order */
    strata_type type;
    st_field field;        /* of the last column of the path */
    bool may_be_null;
    uint64_t *numbers;     /* in the order wanted, also if that is descending; unused for bytes */
    strata_bytes *bytes;   /* of bytes: in the block or in the query's memory */
    uint8_t *nulls;        /* a byte per row */
} st_order_column;

typedef struct st_order {
    st_query *query;
    st_order_column *columns;
    uint32_t column_count;
    uint64_t *keys;        /* object keys, in the order of the source */
    size_t count, capacity;
    size_t limit;          /* 0: none */
    bool bounded;          /* rows whose first number is over `bound`, or equal to it, are out */
    bool bound_included;   /* equal ones are not */
    uint64_t bound;
} st_order;

/** Begins the order of a query. False, with the query's status set, if there is no memory. */
bool st_order_begin(st_order *order, st_query *query, uint64_t limit);
void st_order_free(st_order *order);
/** Adds a row behind the others. */
void st_order_add(st_order *order, const st_place *place, uint64_t key);
/** Adds the rows of a block whose byte in the mask is 1. */
void st_order_add_block(st_order *order, const uint8_t *block, size_t size, const uint8_t *mask);
/** Sorts, and moves the first `limit` keys to `out`, which has room for `count`; returns how many. */
size_t st_order_finish(st_order *order, uint64_t *out);

#endif
