/* SPDX-License-Identifier: MIT
 * execution.c -- runs a compiled query: from the plan to keys, groups, or a number. */
#include "query/execution.h"

#include <stdlib.h>

#include "base/sized.h"
#include "base/status.h"
#include "block/block_check.h"
#include "condition/compile.h"
#include "condition/selection.h"
#include "condition/value.h"
#include "plan/access_find.h"
#include "plan/choose.h"
#include "plan/explain.h"
#include "plan/explain_plan.h"
#include "query/groups_index.h"
#include "query/query_copy.h"
#include "query/value_runs.h"
#include "query/walk.h"
#include "store/cursor.h"
#include "table/link_index.h"
#include "table/table_state.h"

strata_status st_execution_compile(st_execution *run, const strata_query *given, strata_query *read) {
    st_query *query = run->query;
    strata_status status = st_query_read(given, read, query->error);
    query->spec = read;
    if (status == STRATA_OK) status = st_query_compile(query);
    return status == STRATA_OK ? st_pipelines_make(query, run->purpose, &run->pipelines) : status;
}

/* ---- Scans ------------------------------------------------------------ */

static strata_status scan(st_result *r) {
    st_query *query = r->query;
    st_cursor *cursor = NULL;
    uint8_t from[8];
    strata_bytes key, value;
    const strata_bookmark *after = r->sorting ? NULL : query->spec->after;
    strata_status status = st_cursor_open(query->view->txn, ST_ROWS, &cursor, query->error);
    if (status != STRATA_OK) return status;
    bool visits = query->condition != NULL || r->visits;
    st_layout layout = st_table_layout(query->table);
    strata_bytes start = st_row_tree_key(from, query->spec->table, after == NULL ? 0 : after->key + 1);
    if (st_result_is_full(r)) status = STRATA_END;
    else status = st_cursor_seek(cursor, start, &key, &value, query->error);
    while (status == STRATA_OK && key.size == 8 && memcmp(key.data, from, 2) == 0) {
        if (!st_block_plausible(value, &layout)) {
            status = st_fail(query->error, STRATA_CORRUPT, 0, "a block of %s is damaged", query->table->name);
            break;
        }
        uint32_t rows = strata_block_rows(value.data), before = 0;
        if (!st_query_step(query, rows + 1)) break;
        uint8_t *keep = st_query_select(query, value.data, value.size);
        if (keep != NULL && after != NULL) { /* the first block may begin before the bookmark */
            while (before < rows && strata_block_key(value.data, before) <= after->key) keep[before++] = 0;
            after = NULL;
        }
        if (keep != NULL) st_result_add_block(r, value.data, value.size, keep);
        if (visits) query->stats.rows_visited += rows - before;
        if (st_result_is_full(r)) break;
        status = st_cursor_next(cursor, &key, &value, query->error);
    }
    st_cursor_close(cursor);
    return status < 0 ? status : STRATA_OK;
}

/* ---- Sources ---------------------------------------------------------- */

/* Is the size of the table all that is wanted? */
static bool is_size(const st_execution *run) {
    const st_result *r = &run->result;
    return run->query->condition == NULL && (r->counting || r->groups != NULL) && !r->visits &&
           run->query->spec->after == NULL;
}

/* Are rows looked at behind the first sort? */
static bool visits_behind(const st_execution *run) {
    const st_pipeline *pipeline = &run->pipelines.items[1];
    for (uint32_t i = 0; i < pipeline->filter_count; i++) {
        if (pipeline->filters[i].distinct) return true;
    }
    return pipeline->sort_count != 0 || (run->groups != NULL && st_groups_visits(run->groups));
}

static strata_status begin_pipeline(st_execution *run, uint32_t at) {
    const st_pipeline *items = run->pipelines.items;
    uint64_t wanted = at + 1 < run->pipelines.count ? st_pipeline_wants(&items[at + 1]) : UINT64_MAX;
    st_result_free(&run->result);
    run->at = at;
    return st_result_begin(&run->result, run->query, &items[at], at + 1 == run->pipelines.count, run->purpose,
                           run->groups, wanted);
}

/* The rows are found in the order of the first sort, so that the pipeline behind it is run at once. */
static strata_status run_in_order(st_execution *run, const st_plan *plan, bool *given_up) {
    const st_pipeline *sorted = &run->pipelines.items[0];
    strata_status status = begin_pipeline(run, 1);
    *given_up = false;
    return status == STRATA_OK ? st_walk_order(&run->result, plan, sorted, given_up) : status;
}

/* The column of the first stage, if that is a DISTINCT by one column of the objects themselves; otherwise NULL. */
static const st_column *distinct_column(const st_execution *run) {
    const st_pipeline *first = &run->pipelines.items[0];
    const strata_stage *stage = first->filter_count == 0 ? NULL : first->filters[0].stage;
    if (stage == NULL || !first->filters[0].distinct || stage->key_count != 1) return NULL;
    if (stage->keys->path_length != 1) return NULL;
    return &run->query->table->columns[stage->keys->path->column];
}

/* Adds the first object of each value of an index, in the order of object keys. */
static strata_status add_runs(st_execution *run, const st_column *column, bool *done) {
    st_value_runs runs;
    strata_status status = st_value_runs_find(run->query, column, false, SIZE_MAX, &runs, done);
    if (status == STRATA_OK && *done) {
        st_value_runs_explain(run->query, &runs);
        st_value_runs_sort(&runs);
        for (size_t i = 0; i < runs.count; i++) st_result_add_keys(&run->result, NULL, &runs.items[i].key, 1, false);
    }
    st_value_runs_free(&runs);
    return status;
}

static strata_status run_table(st_execution *run) {
    st_query *query = run->query;
    st_result *r = &run->result;
    const st_pipeline *first = &run->pipelines.items[0];
    st_plan plan;
    if (is_size(run)) {
        st_table_state state;
        strata_status status = st_table_state_load(query->view->txn, query->spec->table, &state, query->error);
        if (status == STRATA_OK) st_result_add_count(r, state.rows);
        st_explain(query, "size of %s", query->table->name);
        return status;
    }
    const st_column *distinct = distinct_column(run);
    bool done = false;
    strata_status status = distinct == NULL ? STRATA_OK : add_runs(run, distinct, &done);
    if (status != STRATA_OK || done) return status;
    bool sorted = first->sort_count != 0 && first->filter_count == 0;
    st_goal goal = { .counting = r->counting, .visits = r->visits, .sorted = sorted ? first : NULL };
    goal.wanted = st_pipeline_wants(sorted ? &run->pipelines.items[1] : first);
    goal.visits_behind = sorted && visits_behind(run);
    status = st_plan_make(query, &goal, &plan);
    if (status == STRATA_OK && plan.method == ST_METHOD_IN_ORDER) {
        bool given_up;
        if (run->groups != NULL) plan.budget = UINT64_MAX; /* what was added to groups cannot be forgotten */
        status = run_in_order(run, &plan, &given_up);
        if (status != STRATA_OK || !given_up) return status;
        status = begin_pipeline(run, 0);
        query->stats.plan[0] = 0;
        plan = *plan.otherwise;
        st_explain_plan(query, &plan);
        if (status == STRATA_OK && query->spec->after != NULL) {
            (void)st_order_after(&r->order, query->spec->after);
        }
    }
    if (status == STRATA_OK) status = plan.method == ST_METHOD_SCAN ? scan(r) : st_walk_index(r, &plan);
    return status;
}

static strata_status run_list(st_result *r) {
    st_query *query = r->query;
    const strata_query *spec = query->spec;
    const st_table *owner = &query->view->catalog->tables[spec->origin_table];
    st_stored_row row;
    st_vector vector;
    st_source list;
    uint64_t keys[ST_SOURCE_BATCH];
    st_explain(query, "list %s of %s", owner->columns[spec->origin_column].name, owner->name);
    st_explain_filter(query, ", filter", query->condition);
    strata_status status = st_query_find(query, spec->origin_table, spec->key, &row);
    if (status == STRATA_NOT_FOUND) return STRATA_OK; /* a list whose object is gone is empty */
    if (status != STRATA_OK) return status;
    if (!st_query_vector(query, row.block, row.size, &owner->columns[spec->origin_column], &vector) ||
        !st_query_collection(query, owner, &row, &vector, spec->origin_column, &list)) {
        return query->status;
    }
    bool has_nulls = owner->columns[spec->origin_column].collection == STRATA_MAP;
    if (r->counting && !r->visits && query->condition == NULL && !has_nulls) {
        st_result_add_count(r, list.count);
        return STRATA_OK;
    }
    for (uint64_t from = 0; from < list.count && status == STRATA_OK; from += ST_SOURCE_BATCH) {
        if (st_result_is_full(r)) break;
        uint64_t count = list.count - from < ST_SOURCE_BATCH ? list.count - from : ST_SOURCE_BATCH;
        status = st_source_links(&list, from, count, keys, query->error);
        if (status == STRATA_OK && !st_query_step(query, (uint32_t)count)) status = query->status;
        size_t found = 0;
        for (uint64_t i = 0; i < count && status == STRATA_OK; i++) {
            if (keys[i] != 0) keys[found++] = keys[i];
        }
        if (status == STRATA_OK) st_result_add_keys(r, query->condition, keys, found, false);
    }
    return status;
}

static strata_status run_backlinks(st_result *r) {
    st_query *query = r->query;
    const strata_query *spec = query->spec;
    const st_column *column = &query->table->columns[spec->origin_column];
    uint8_t value[8];
    st_posting_range range = st_links_range(value, spec->key); /* for a mixed column the key has the table in it */
    st_posting_set set = { ST_LINKS, column->link_id };
    st_explain(query, "links to object %llu by %s of %s", (unsigned long long)spec->key, column->name,
               query->table->name);
    st_explain_filter(query, ", filter", query->condition);
    if (!r->counting || r->visits || query->condition != NULL) return st_walk_one(r, query->condition, set, &range);
    uint64_t count;
    strata_status status = st_postings_count(query->view->txn, set, &range, &count, query->error);
    if (status == STRATA_OK) st_result_add_count(r, count);
    return status;
}

static strata_status run_keys(st_result *r) {
    st_query *query = r->query;
    const strata_query *spec = query->spec;
    st_explain(query, "%llu keys of %s", (unsigned long long)spec->key_count, query->table->name);
    st_explain_filter(query, ", filter", query->condition);
    st_result_add_keys(r, query->condition, spec->keys, (size_t)spec->key_count, true);
    return query->status;
}

/* ---- Pipelines -------------------------------------------------------- */

static strata_status run_source(st_execution *run) {
    st_query *query = run->query;
    strata_status status = begin_pipeline(run, 0);
    st_result *r = &run->result;
    if (status == STRATA_OK && r->sorting && query->spec->after != NULL) {
        (void)st_order_after(&r->order, query->spec->after);
        status = query->status;
    }
    if (status != STRATA_OK) return status;
    switch (query->spec->source) {
    case STRATA_SOURCE_LIST: status = run_list(r); break;
    case STRATA_SOURCE_BACKLINKS: status = run_backlinks(r); break;
    case STRATA_SOURCE_KEYS: status = run_keys(r); break;
    default: status = run_table(run); break;
    }
    return status == STRATA_OK ? query->status : status;
}

static void explain_filters(st_query *query, const st_pipeline *pipeline) {
    for (uint32_t i = 0; i < pipeline->filter_count; i++) {
        if (pipeline->filters[i].distinct) st_explain(query, ", distinct");
    }
}

/* Sorts what a pipeline has found, and gives it to the next one. */
static strata_status sort_pipeline(st_execution *run) {
    st_query *query = run->query;
    st_result *r = &run->result;
    size_t limit = r->order.limit, count = 0;
    if (limit == SIZE_MAX) st_explain(query, ", sort");
    else st_explain(query, ", first %llu of the order", (unsigned long long)limit);
    uint64_t *words = run->wants_words ? malloc((r->order.count + 1) * sizeof *words) : NULL;
    if (st_result_room(r, r->order.count + 1)) count = st_order_finish(&r->order, r->keys, words);
    uint64_t *keys = r->keys;
    r->keys = NULL;
    strata_status status = query->status;
    if (status == STRATA_OK) status = begin_pipeline(run, run->at + 1);
    if (status == STRATA_OK) {
        if (run->at + 1 == run->pipelines.count && run->result.filter_count == 0 && run->purpose == ST_FOR_KEYS) {
            run->words = words;
            run->result.keys = keys; /* they are the result */
            run->result.count = run->result.capacity = count;
            return STRATA_OK;
        }
        if (!run->result.full) st_result_add_keys(&run->result, NULL, keys, count, false);
        status = query->status;
    }
    free(keys);
    free(words);
    return status;
}

/* Is all that is wanted a number of objects that meet one comparison? */
static bool counts_one_comparison(const st_execution *run) {
    const st_query *query = run->query;
    return run->purpose == ST_FOR_COUNT && !query->explained && query->spec->source == STRATA_SOURCE_TABLE &&
           query->spec->after == NULL && run->pipelines.count == 1 && run->pipelines.items[0].filter_count == 0 &&
           query->condition != NULL && query->condition->op <= STRATA_BETWEEN;
}

/* Then an index that knows it exactly is all it takes: neither a plan nor room for rows. */
static bool count_at_once(st_execution *run) {
    st_query *query = run->query;
    st_access *access = st_access_of(query, query->condition);
    if (access == NULL || access->kind != ST_ACCESS_RANGES || !access->exact || access->copies) return false;
    if (st_access_count(query, access)) run->result.count = (size_t)access->entries;
    return true;
}

strata_status st_execution_run(st_execution *run) {
    if (counts_one_comparison(run) && count_at_once(run)) return run->query->status;
    if (run->query->status != STRATA_OK) return run->query->status;
    strata_status status = run_source(run);
    explain_filters(run->query, &run->pipelines.items[0]);
    for (uint32_t i = 1; i < run->pipelines.count && status == STRATA_OK; i++) {
        if (run->at + 1 == run->pipelines.count) break;
        status = sort_pipeline(run);
        explain_filters(run->query, &run->pipelines.items[run->at]);
    }
    return status;
}

/* ---- The end ---------------------------------------------------------- */

void st_execution_take_keys(st_execution *run, strata_keys *out) {
    if (run->result.count == 0) return;
    *out = (strata_keys){ run->result.keys, run->result.count };
    run->result.keys = NULL;
}

strata_status st_execution_end(st_execution *run, strata_status status, strata_query_stats *stats, size_t stats_size) {
    st_query *query = run->query;
    const st_result *r = &run->result;
    query->stats.rows_returned = status == STRATA_OK && run->purpose == ST_FOR_KEYS ? r->count : 0;
    if (stats != NULL) st_sized_write(stats, stats_size, &query->stats, sizeof query->stats);
    st_result_free(&run->result);
    free(run->words);
    st_query_free(query);
    return status;
}
