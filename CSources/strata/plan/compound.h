/* SPDX-License-Identifier: MIT
 *
 * compound.h -- what a compound index can say about comparisons that all have to hold, and about an order.
 *
 * Of an index of the columns a, b, c: comparisons for equality on a, or on a and b, or on all; IN counts as equality
 * with each of its values, which makes as many ranges. Where they end, comparisons for a range or a prefix of the next
 * column are taken with them. Among objects with the same values in the columns of equalities, the index has the order
 * of those that follow.
 */
#ifndef ST_PLAN_COMPOUND_H
#define ST_PLAN_COMPOUND_H

#include "condition/query.h"
#include "condition/test.h"

/** What became of a comparison. */
typedef enum st_taken {
    ST_NOT_TAKEN = 0, /* it must be tested on the rows */
    ST_TAKEN = 1,     /* the ranges are made of it, but have others, too: it must be tested, too */
    ST_TAKEN_EXACTLY = 2
} st_taken;

typedef struct st_compound {
    const st_index *index;
    uint32_t equal;            /* columns that have one value in all ranges: these first ones, */
    strata_value values[STRATA_MAX_INDEX_COLUMNS]; /* and those values */
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

#endif
