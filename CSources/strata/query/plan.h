/* SPDX-License-Identifier: MIT
 *
 * plan.h -- how the rows of a query are reached.
 *
 * Of the comparisons that all have to hold, those an index answers are turned into ranges of it; the index with the
 * fewest entries in its ranges is taken if that is cheaper than looking at all rows. What the ranges do not say
 * exactly is tested on the rows.
 */
#ifndef ST_QUERY_PLAN_H
#define ST_QUERY_PLAN_H

#include "query/query.h"

typedef enum st_way {
    ST_WAY_SCAN,    /* all rows of the table */
    ST_WAY_INDEX,   /* ranges of an index; rows then come in the order of their keys */
    ST_WAY_IN_ORDER /* ranges of an index, in the order of the index, which is the one wanted */
} st_way;

typedef struct st_plan {
    st_way way;
    st_posting_set set;
    const st_column *column;   /* whose index it is */
    st_posting_range *ranges;  /* in order, apart from each other */
    size_t range_count;
    uint64_t entries;          /* in all ranges */
    bool copies;               /* an object may stand there more than once */
    st_test *rest;             /* what has to be tested on the rows; NULL: nothing */
} st_plan;

/** Chooses. `counting`: the rows themselves are not wanted. Notes the choice in the stats. */
strata_status st_plan_make(st_query *query, bool counting, st_plan *out);

/* ranges.c */

/** What an index can say about a comparison. */
typedef struct st_served {
    st_posting_set set;
    st_posting_range *ranges;
    size_t range_count;
    bool exact;                /* all entries in the ranges meet the comparison */
    bool points;               /* of EQUAL and IN: every range is of one value */
    bool copies;
} st_served;

/** Turns a comparison into ranges of the index of its column. False if there is none for it; a failure is noted in the
 * query. */
bool st_ranges_of(st_query *query, const st_test *test, st_served *out);
/** Makes `range` what it has in common with `other`. */
void st_ranges_meet(st_posting_range *range, const st_posting_range *other);

/* explain.c */

/** Adds to the plan in the stats. */
void st_explain(st_query *query, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** Adds a comparison, such as "age >= 20". */
void st_explain_test(st_query *query, const st_test *test);

#endif
