/* SPDX-License-Identifier: MIT
 *
 * compound.h -- comparisons that all have to hold, as ranges of a compound index.
 *
 * An index of the columns a, b, c matches equalities on a, or on a and b, or on all three. An IN counts as an equality
 * with each of its values, which makes as many ranges. Behind the columns of equalities, the index also matches bounds
 * or a prefix of the next column. Objects with the same values in the columns of equalities stand in the index in the
 * order of the columns that follow.
 */
#ifndef ST_PLAN_COMPOUND_H
#define ST_PLAN_COMPOUND_H

#include "condition/query.h"
#include "condition/test.h"

/** What became of a comparison. */
typedef enum st_test_use {
    ST_UNUSED = 0,      /* the index does not match it */
    ST_USED = 1,        /* the ranges are made of it, but have other objects, too: it must be tested */
    ST_USED_EXACTLY = 2 /* all objects in the ranges meet it */
} st_test_use;

typedef struct st_compound {
    const st_index *index;
    uint32_t equal;            /* number of leading columns that have one value in all ranges */
    strata_value values[STRATA_MAX_INDEX_COLUMNS]; /* those values */
    uint32_t columns;          /* number of leading columns in use */
    st_posting_range *ranges;  /* in order, apart from each other */
    size_t range_count;
    st_test_use *uses;         /* of each comparison */
    uint32_t use_count;
} st_compound;

/** Turns those comparisons that the index matches into ranges. False if it matches none; a failure is noted in the
 * query. */
bool st_compound_ranges(st_query *query, const st_index *index, st_test *const *tests, uint32_t count,
                        st_compound *out);

#endif
