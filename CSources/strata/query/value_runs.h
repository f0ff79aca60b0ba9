/* SPDX-License-Identifier: MIT
 *
 * value_runs.h -- the values of an indexed column, each but once.
 *
 * The entries of one value are a run. Where there are few runs, their first entries are found one after the other
 * without a look at those between them: which is all that a DISTINCT asks for, or a group whose objects are counted.
 */
#ifndef ST_QUERY_VALUE_RUNS_H
#define ST_QUERY_VALUE_RUNS_H

#include "plan/plan.h"

typedef struct st_value_run {
    uint64_t key;   /* the first object */
    uint64_t count; /* how many there are */
} st_value_run;

typedef struct st_value_runs {
    st_value_run *items; /* by ascending values */
    size_t count, capacity;
    st_access *access; /* that they are runs of */
} st_value_runs;

/** What the index of a column says of all objects that meet the condition of the query, and of no others. NULL if it
 * does not tell, or after a failure, which the query notes. */
st_access *st_value_runs_access(st_query *query, const st_column *column);

/** Finds the runs of a column among the objects that meet the condition; `counts` if their sizes are wanted, too.
 * `*done` is false if that would cost more than a look at the objects. Whatever it returns, `out` is freed. */
strata_status st_value_runs_find(st_query *query, const st_column *column, bool counts, st_value_runs *out, bool *done);
void st_value_runs_free(st_value_runs *runs);

/** How they were found, in words. */
void st_value_runs_explain(st_query *query, const st_value_runs *runs);
/** Puts them into the order of their first objects. */
void st_value_runs_sort(st_value_runs *runs);

#endif
