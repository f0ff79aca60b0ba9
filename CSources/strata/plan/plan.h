/* SPDX-License-Identifier: MIT
 *
 * plan.h -- how the rows of a query are reached.
 *
 * All rows are looked at, or those that an access by indexes leads to, or an index is walked because its order is the
 * one wanted; whichever is cheapest, as far as can be told from the sizes of tables and ranges. What the indexes do not
 * say exactly is tested on the rows.
 */
#ifndef ST_PLAN_PLAN_H
#define ST_PLAN_PLAN_H

#include "plan/access.h"
#include "plan/pipeline.h"

typedef enum st_access_method {
    ST_METHOD_SCAN,    /* all rows of the table */
    ST_METHOD_INDEX,   /* what an access leads to; rows then come in the order of their keys */
    ST_METHOD_IN_ORDER /* ranges of an index, in the order of the index, which is the one wanted */
} st_access_method;

typedef struct st_plan {
    st_access_method method;
    st_access *access;         /* of the index; also of the ranges in order */
    bool backward;             /* IN_ORDER: by descending values */
    uint32_t fixed;            /* IN_ORDER: so many columns of the index equal values, */
    uint32_t ordered;          /* ... and so many behind them are keys of the sort */
    bool partial;              /* IN_ORDER: runs that are alike in those have still to be sorted */
    uint64_t budget;           /* IN_ORDER: after so many rows it would have been cheaper to sort, ... */
    const struct st_plan *otherwise; /* ... this way */
    const st_test *rest;       /* what has to be tested on the rows; NULL: nothing */
} st_plan;

/** What rows are wanted for. */
typedef struct st_goal {
    bool counting;             /* the keys are not wanted */
    bool visits;               /* rows are looked at */
    bool visits_behind;        /* ... once they are sorted */
    uint64_t wanted;           /* at most so many, in the order of keys or of the sort */
    const st_pipeline *sorted;  /* the sort that comes next, or NULL */
} st_goal;

/** Chooses. Notes the choice in the stats. */
strata_status st_plan_make(st_query *query, const st_goal *goal, st_plan *out);

/** How many of so many rows are guessed to meet some tests. */
uint64_t st_plan_hits(uint64_t entries, uint32_t tests);
/** The tests that `exactly` has no bit for, as one. */
strata_status st_plan_rest(st_query *query, st_test **tests, uint32_t count, uint64_t exactly, const st_test **out,
                           uint32_t *out_count);

/* plan_order.c */

/** The cheapest way along an index that has the order of the sort, if that costs less than `*cost`. STRATA_OK or
 * STRATA_NOT_FOUND. */
strata_status st_plan_in_order(st_query *query, const st_goal *goal, st_test **tests, uint32_t count, st_plan *out,
                               uint64_t *cost);

/* explain.c */

/** Adds to the plan in the stats. */
void st_explain(st_query *query, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** Adds a comparison, such as "age >= 20". */
void st_explain_test(st_query *query, const st_test *test);
/** The same as a part of what an operator joins, AND or OR; in parentheses if it is joined by the other one. TRUE: of
 * nothing. */
void st_explain_part(st_query *query, const st_test *test, strata_operator around);
/** Adds ", filter " or the like and the test, cut short if it is long; nothing for a test that is NULL. */
void st_explain_filter(st_query *query, const char *before, const st_test *test);

/* explain_plan.c */

void st_explain_plan(st_query *query, const st_plan *plan);

#endif
