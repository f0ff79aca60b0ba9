/* SPDX-License-Identifier: MIT
 *
 * compound.h -- what a compound index can say about comparisons that all have to hold, and about an order.
 *
 * Of an index of the columns a, b, c: comparisons for equality on a, or on a and b, or on all; IN counts as equality with
 * each of its values, which makes as many ranges. Where they end, comparisons for a range or a prefix of the next column
 * are taken with them. Among objects with the same values in the columns of equalities, the index has the order of
 * those that follow.
 */
#ifndef ST_QUERY_COMPOUND_H
#define ST_QUERY_COMPOUND_H

#include "query/query.h"
#include "table/index.h"

/** What became of a comparison. */
typedef enum st_taken {
    ST_NOT_TAKEN = 0, /* it must be tested on the rows */
    ST_TAKEN = 1,     /* the ranges are made of it, but have others, too: it must be tested, too */
    ST_TAKEN_EXACTLY = 2
} st_taken;

typedef struct st_compound {
    const st_index *index;
    uint32_t equal;            /* columns that have one value in all ranges: these first ones */
    uint32_t columns;          /* all that the ranges are made of: these first ones */
    st_posting_range *ranges;  /* in order, apart from each other */
    size_t range_count;
    st_taken *taken;           /* of each comparison */
    uint32_t taken_count;
} st_compound;

/** Turns those comparisons that the index can answer together into ranges of it. False if it can answer none; a failure
 * is noted in the query. */
bool st_compound_ranges(st_query *query, const st_index *index, st_test *const *tests, uint32_t count,
                        st_compound *out);

/** An order that an index has. */
typedef struct st_compound_order {
    const st_index *index;
    uint32_t first, end;  /* the columns that make it, by their positions in the index; those before have one value */
    bool backward;
} st_compound_order;

/** Is the order of the query that of the index, among objects that have the same values in its first `equal` columns? */
bool st_compound_has_order(const st_query *query, const st_index *index, uint32_t equal, st_compound_order *out);

/** Takes keys in an order; false to stop. */
typedef bool st_compound_taker(void *context, const uint64_t *keys, size_t count);

/**
 * Walks ranges that are in the order of the index, giving their keys in the order wanted, objects with the same values
 * in the order of their keys. `most` is how many are wanted at most, if all that are given are taken.
 *
 * `*useless` if it turned out that the index does not have the order, since a string is too long for its keys; what was
 * given until then is to be forgotten.
 */
strata_status st_compound_walk(st_query *query, const st_compound_order *order, const st_posting_range *ranges,
                               size_t range_count, uint64_t most, st_compound_taker *take, void *context,
                               bool *useless);

#endif
