/* SPDX-License-Identifier: MIT
 *
 * plan.h -- a plan: how the rows of a query are found.
 *
 * There are three access methods. All rows are scanned, or those that an access leads to are looked up, or an index is
 * walked because its order is the order wanted. What the indexes do not say exactly is tested on the rows. A plan lies
 * in the memory of its query.
 */
#ifndef ST_PLAN_PLAN_H
#define ST_PLAN_PLAN_H

#include "plan/access.h"
#include "plan/pipeline.h"

typedef enum st_access_method {
    ST_METHOD_SCAN,    /* all rows of the table */
    ST_METHOD_INDEX,   /* what an access leads to, in the order of object keys */
    ST_METHOD_IN_ORDER /* ranges of an index, in the order of the index */
} st_access_method;

typedef struct st_plan {
    st_access_method method;
    st_access *access;         /* INDEX and IN_ORDER; for IN_ORDER it is of RANGES */
    bool backward;             /* IN_ORDER: by descending values */
    uint32_t fixed;            /* IN_ORDER: the first `fixed` columns of the index each have one value */
    uint32_t ordered;          /* IN_ORDER: the next `ordered` columns are keys of the sort */
    bool partial;              /* IN_ORDER: rows that agree in those keys still have to be sorted */
    uint64_t budget;           /* IN_ORDER: when the walk passes so many rows, `otherwise` is cheaper from there */
    const struct st_plan *otherwise; /* the plan that sorts */
    const st_test *rest;       /* what has to be tested on the rows; NULL: nothing */
} st_plan;

/** What the rows are wanted for; the planner chooses what is cheapest for that. */
typedef struct st_goal {
    bool counting;             /* only their number is wanted */
    bool visits;               /* rows are looked at anyway */
    bool visits_behind;        /* rows are looked at behind the sort */
    uint64_t wanted;           /* at most so many, the first in the order of keys or of the sort */
    const st_pipeline *sorted; /* the pipeline whose sort comes first of all; NULL if there is none */
} st_goal;

/** Estimates how many of `entries` rows meet `tests` tests that no index covers. */
uint64_t st_plan_hits(uint64_t entries, uint32_t tests);
/** Some tests as one; NULL if there are none. */
strata_status st_plan_all(st_query *query, st_test **tests, uint32_t count, const st_test **out);
/** The tests that are not in `exact`, as one. */
strata_status st_plan_rest(st_query *query, st_test **tests, uint32_t count, st_test_set exact, const st_test **out,
                           uint32_t *out_count);

#endif
