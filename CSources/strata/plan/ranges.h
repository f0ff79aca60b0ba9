/* SPDX-License-Identifier: MIT
 *
 * ranges.h -- comparisons as ranges of an index, and lists of ranges.
 *
 * The ranges of a list are in order and apart from each other. Bounds lie in the memory of the query.
 */
#ifndef ST_PLAN_RANGES_H
#define ST_PLAN_RANGES_H

#include "condition/comparison.h"
#include "condition/query.h"

/** A comparison that an index is asked about. */
typedef struct st_index_probe {
    const strata_node *node;
    const st_comparison *comparison;
    const st_column *column;
    st_field field;
    bool opposite;             /* the comparison must not hold */
} st_index_probe;

/** What the index answers. */
typedef struct st_index_match {
    st_posting_set set;        /* the index */
    st_posting_range *ranges;  /* of all entries that may meet the comparison */
    size_t range_count;
    bool exact;                /* all entries in the ranges meet it */
    bool points;               /* every range is of one value */
    bool copies;               /* an object may have several entries */
} st_index_match;

/** False if the index of the column knows nothing about the comparison; a failure is noted in the query. */
bool st_ranges_of(st_query *query, const st_index_probe *probe, st_index_match *out);

/** What two lists of ranges have in common; `out` has room for both. Returns how many there are. */
size_t st_ranges_intersect(const st_posting_range *a, size_t a_count, const st_posting_range *b, size_t b_count,
                           st_posting_range *out);
/** Makes a list of ranges that are equal or apart from each other: puts them in order and drops those that are there
 * twice. Returns how many are left. */
size_t st_ranges_distinct(st_posting_range *ranges, size_t count);
/** Makes a list of any ranges: puts them in order and joins those that overlap. Returns how many are left. */
size_t st_ranges_union(st_posting_range *ranges, size_t count);

#endif
