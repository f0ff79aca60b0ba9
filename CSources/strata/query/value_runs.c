/* SPDX-License-Identifier: MIT
 * value_runs.c -- the distinct values of an indexed column. */
#include "query/value_runs.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"
#include "base/status.h"
#include "plan/access_find.h"
#include "plan/explain.h"
#include "plan/explain_plan.h"
#include "posting/postings_read.h"
#include "value/key.h"

/* What a row costs that is looked at and added to a distinct set; and after how many runs it is estimated for the first
 * time how many there will be. */
enum { COST_TOLD_APART = 100, FIRST_ESTIMATE = 32 };

st_access *st_value_runs_access(st_query *query, const st_column *column) {
    st_test_set exact;
    uint32_t count = query->condition == NULL ? 0 : st_tests_count(query->condition, STRATA_AND);
    if (count > 63) return NULL;
    st_test **tests = st_access_alloc(query, count * sizeof *tests);
    if (tests == NULL) return NULL;
    if (count != 0) (void)st_tests_gather(query->condition, STRATA_AND, tests);
    st_access *access = st_access_by_column(query, column, tests, count, &exact);
    return access != NULL && exact == (UINT64_C(1) << count) - 1 ? access : NULL;
}

/* A walk from run to run. */
typedef struct runs_walk {
    st_query *query;
    const st_access *access;
    st_posting_cursor *cursor;
    bool counts, nullable;
    size_t most;           /* with more runs than these, looking at the rows is cheaper */
    size_t next_estimate;  /* after so many runs */
    st_value_runs *runs;
} runs_walk;

static strata_status no_memory(st_query *query) { return st_no_memory(query->error, "walking an index"); }

/* Estimates whether there will be too many runs. `at` is the value of the last one, in the range of that number. */
static strata_status estimate(runs_walk *w, size_t range, strata_bytes at, bool *too_many) {
    uint64_t passed = 0, count = 0;
    strata_status status = STRATA_OK;
    for (size_t i = 0; i <= range && status == STRATA_OK; i++) {
        st_posting_range before = w->access->ranges[i];
        if (i == range) before.high = at, before.high_key = UINT64_MAX;
        status = st_postings_count(w->query->view->txn, w->access->set, &before, &count, w->query->error);
        passed += count;
    }
    w->next_estimate *= 2;
    *too_many = passed == 0 || st_cost_times(w->runs->count, w->access->entries) / passed > w->most;
    return status;
}

static strata_status add_run(runs_walk *w, uint64_t key, strata_bytes value) {
    st_value_run run = { key, 0 };
    void *items = w->runs->items;
    bool grown = st_array_grow(&items, &w->runs->capacity, w->runs->count, sizeof run);
    w->runs->items = items;
    if (!grown) return no_memory(w->query);
    st_posting_range all = st_posting_range_of(value);
    strata_status status = STRATA_OK;
    if (w->counts) {
        status = st_postings_count(w->query->view->txn, w->access->set, &all, &run.count, w->query->error);
    }
    w->runs->items[w->runs->count++] = run;
    return status;
}

/* STRATA_END: looking at the rows is cheaper, or an entry does not have its whole value. */
static strata_status walk_range(runs_walk *w, size_t number) {
    st_query *query = w->query;
    st_posting_range left = w->access->ranges[number];
    strata_status status = st_posting_cursor_begin(query->view->txn, w->access->set, &left, false, &w->cursor,
                                                   query->error);
    while (status == STRATA_OK) {
        uint64_t key;
        strata_bytes value;
        status = st_posting_cursor_next(w->cursor, &key, &value, query->error);
        if (status == STRATA_END) return STRATA_OK;
        if (status != STRATA_OK) return status;
        query->stats.entries_visited++;
        if (!st_query_step(query, 1)) return query->status;
        bool truncated = st_key_is_truncated(w->access->column->type, w->nullable, value);
        bool too_many = truncated || w->runs->count == w->most;
        if (!too_many) status = add_run(w, key, value);
        if (status == STRATA_OK && w->runs->count == w->next_estimate) status = estimate(w, number, value, &too_many);
        if (status == STRATA_OK && too_many) return STRATA_END;
        left.low = value;
        left.low_key = UINT64_MAX;
        if (status == STRATA_OK) st_posting_cursor_restart(w->cursor, &left, false);
    }
    return status;
}

strata_status st_value_runs_find(st_query *query, const st_column *column, bool counts, size_t limit,
                                 st_value_runs *out, bool *done) {
    *out = (st_value_runs){ NULL, 0, 0, NULL };
    *done = false;
    bool plain = column->collection == STRATA_SINGLE && column->type != STRATA_MIXED;
    if (column->index_id == 0 || !plain) return STRATA_OK;
    st_access *access = out->access = st_value_runs_access(query, column);
    if (access == NULL || !st_access_count(query, access)) return query->status;
    uint64_t each = ST_COST_RANGE + ST_COST_SOUGHT + (counts ? ST_COST_RANGE : 0);
    uint64_t most = st_cost_times(access->entries, COST_TOLD_APART) / each;
    runs_walk w = { .query = query, .access = access, .counts = counts, .next_estimate = FIRST_ESTIMATE, .runs = out,
               .nullable = query->table->fields[column - query->table->columns].nullable,
               .most = most > UINT32_MAX ? UINT32_MAX : (size_t)most };
    if (limit < w.most) w.most = limit;
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < access->range_count && status == STRATA_OK; i++) status = walk_range(&w, i);
    st_posting_cursor_close(w.cursor);
    *done = status == STRATA_OK;
    return status == STRATA_END ? STRATA_OK : status;
}

void st_value_runs_free(st_value_runs *runs) { free(runs->items); }

void st_value_runs_explain(st_query *query, const st_value_runs *runs) {
    st_plan plan = { .method = ST_METHOD_INDEX, .access = runs->access };
    st_explain_plan(query, &plan);
    st_explain(query, ", each value once");
}

static int by_key(const void *a, const void *b) {
    uint64_t x = ((const st_value_run *)a)->key, y = ((const st_value_run *)b)->key;
    return x < y ? -1 : x > y;
}

void st_value_runs_sort(st_value_runs *runs) {
    st_sort_array(runs->items, runs->count, sizeof *runs->items, by_key);
}
