/* SPDX-License-Identifier: MIT
 *
 * value_runs.h -- the distinct values of an indexed column.
 *
 * The entries of one value are a run. Where there are few runs, the first entry of each is found without a look at the
 * others. That is all that a DISTINCT needs, or a group whose objects are counted.
 */
#ifndef ST_QUERY_VALUE_RUNS_H
#define ST_QUERY_VALUE_RUNS_H

#include "plan/access.h"

typedef struct st_value_run {
    uint64_t key;   /* the first object of the run */
    uint64_t count; /* its entries */
} st_value_run;

typedef struct st_value_runs {
    st_value_run *items; /* by ascending values */
    size_t count, capacity;
    st_access *access; /* whose runs they are */
} st_value_runs;

/** The ranges of the index of a column that have all objects which meet the condition of the query, and no others. NULL
 * if the index does not know that, or after a failure, which the query notes. */
st_access *st_value_runs_access(st_query *query, const st_column *column);

/** Finds the runs of a column among the objects that meet the condition; `counts` if their sizes are wanted, too.
 * `*done` is false if that would cost more than a look at the objects, or there are more than `most`. Whatever it
 * returns, `out` is freed. */
strata_status st_value_runs_find(st_query *query, const st_column *column, bool counts, size_t most,
                                 st_value_runs *out, bool *done);
void st_value_runs_free(st_value_runs *runs);

/** Adds to the plan how they were found. */
void st_value_runs_explain(st_query *query, const st_value_runs *runs);
/** Puts them into the order of their first objects. */
void st_value_runs_sort(st_value_runs *runs);

#endif
