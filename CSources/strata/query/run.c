/* SPDX-License-Identifier: MIT
 * run.c -- runs queries: from the plan to the keys, or their number. */
#include <stdlib.h>

#include "base/status.h"
#include "query/result.h"

/* ---- Taking rows ------------------------------------------------------ */

static void take_block(st_result *r, const uint8_t *block, size_t size, const uint8_t *mask) {
    uint32_t rows = strata_block_rows(block);
    if (r->sorting) {
        st_order_add_block(&r->order, block, size, mask);
        return;
    }
    if (r->counting) {
        size_t count = 0;
        for (uint32_t i = 0; i < rows; i++) count += mask[i];
        r->count += count;
        return;
    }
    if (!st_result_room(r, rows)) return;
    uint64_t *out = r->keys + r->count;
    size_t taken = 0;
    for (uint32_t i = 0; i < rows; i++) { /* always stored, kept if the mask says so */
        out[taken] = strata_block_key(block, i);
        taken += mask[i];
    }
    r->count += taken;
}

/* ---- Scans ------------------------------------------------------------ */

static strata_status scan(st_result *r) {
    st_query *query = r->query;
    st_cursor *cursor = NULL;
    uint8_t from[8];
    strata_bytes key, value;
    strata_status status = st_cursor_open(query->view->txn, ST_ROWS, &cursor, query->error);
    if (status != STRATA_OK) return status;
    bool visits = query->condition != NULL || r->sorting;
    strata_bytes start = st_row_tree_key(from, query->spec->table, 0);
    status = st_cursor_seek(cursor, start, &key, &value, query->error);
    while (status == STRATA_OK && key.size == 8 && memcmp(key.data, from, 2) == 0) {
        if (!st_block_plausible(value)) {
            status = st_fail(query->error, STRATA_CORRUPT, 0, "a block of %s is damaged", query->table->name);
            break;
        }
        const uint8_t *mask = st_query_mask(query, value.data, value.size);
        if (mask != NULL) take_block(r, value.data, value.size, mask);
        if (visits) query->stats.rows_visited += strata_block_rows(value.data);
        if (st_result_is_full(r)) break;
        status = st_cursor_next(cursor, &key, &value, query->error);
    }
    st_cursor_close(cursor);
    return status < 0 ? status : STRATA_OK;
}

/* ---- Sources ---------------------------------------------------------- */

static strata_status run_table(st_result *r) {
    st_query *query = r->query;
    st_plan plan;
    if (query->condition == NULL && r->counting) {
        st_table_state state;
        strata_status status = st_table_state_load(query->view->txn, query->spec->table, &state, query->error);
        r->count = (size_t)state.rows;
        st_explain(query, "size of %s", query->table->name);
        return status;
    }
    strata_status status = st_plan_make(query, r->counting, &plan);
    if (status == STRATA_OK && plan.way == ST_WAY_IN_ORDER) {
        bool useless = false;
        r->sorting = false;
        status = st_walk_values(r, &plan, &useless);
        if (status != STRATA_OK || !useless) return status;
        r->sorting = true;
        r->count = 0;
        query->stats.plan[0] = 0;
        st_explain(query, "scan %s%s", query->table->name, query->condition == NULL ? "" : ", filter");
        plan = (st_plan){ .way = ST_WAY_SCAN, .rest = query->condition };
    }
    if (status == STRATA_OK) status = plan.way == ST_WAY_SCAN ? scan(r) : st_walk_index(r, &plan);
    return status;
}

static strata_status run_list(st_result *r) {
    st_query *query = r->query;
    const strata_query *spec = query->spec;
    const st_table *owner = &query->view->catalog->tables[spec->origin_table];
    st_place place;
    st_vector vector;
    st_source list;
    uint64_t keys[ST_SOURCE_BATCH];
    st_explain(query, "list %s of %s%s", owner->columns[spec->origin_column].name, owner->name,
               query->condition == NULL ? "" : ", filter");
    strata_status status = st_query_find(query, spec->origin_table, spec->key, &place);
    if (status == STRATA_NOT_FOUND) return STRATA_OK; /* nothing is in a list that is gone */
    if (status != STRATA_OK) return status;
    if (!st_query_vector(query, place.block, place.size, owner->fields[spec->origin_column], spec->origin_column,
                         &vector) ||
        !st_query_collection(query, owner, &place, &vector, spec->origin_column, &list)) {
        return query->status;
    }
    bool has_nulls = owner->columns[spec->origin_column].collection == STRATA_MAP;
    if (r->counting && query->condition == NULL && !has_nulls) {
        r->count = (size_t)list.count;
        return STRATA_OK;
    }
    for (uint64_t from = 0; from < list.count && status == STRATA_OK && !st_result_is_full(r); from += ST_SOURCE_BATCH) {
        uint64_t count = list.count - from < ST_SOURCE_BATCH ? list.count - from : ST_SOURCE_BATCH;
        status = st_source_links(&list, from, count, keys, query->error);
        size_t found = 0;
        for (uint64_t i = 0; i < count && status == STRATA_OK; i++) {
            if (keys[i] != 0) keys[found++] = keys[i];
        }
        st_result_take(r, query->condition, keys, found);
    }
    return status;
}

static strata_status run_backlinks(st_result *r) {
    st_query *query = r->query;
    const strata_query *spec = query->spec;
    const st_column *column = &query->table->columns[spec->origin_column];
    uint8_t value[8];
    st_posting_range range = st_links_range(value, spec->key); /* of a mixed column, with the table in it */
    st_plan plan = { .set = { ST_LINKS, column->link_id }, .ranges = &range, .range_count = 1,
                     .rest = query->condition };
    st_explain(query, "links to object %llu by %s of %s%s", (unsigned long long)spec->key, column->name,
               query->table->name, query->condition == NULL ? "" : ", filter");
    if (!r->counting || query->condition != NULL) return st_walk_one(r, &plan);
    uint64_t count;
    strata_status status = st_postings_count(query->view->txn, plan.set, &range, &count, query->error);
    r->count = (size_t)count;
    return status;
}

/* ---- Queries ---------------------------------------------------------- */

/* Nothing may be pending, and the view must be usable. */
static strata_status settle(strata_view *view, strata_error *error) {
    strata_status status = st_view_check(view, error);
    if (status != STRATA_OK) return status;
    if (view->txn == NULL) return st_fail(error, STRATA_CLOSED, 0, "the view has no snapshot; open a new one");
    if (view->writes == NULL) return STRATA_OK;
    status = st_writes_ready(view, error);
    return status == STRATA_OK ? st_writes_flush(view, error) : status;
}

static strata_status run_source(st_result *r) {
    st_query *query = r->query;
    const strata_query *spec = query->spec;
    r->sorting = !r->counting && query->sort_count != 0;
    r->limit = query->limit;
    if (r->sorting && !st_order_begin(&r->order, query, r->limit)) return query->status;
    strata_status status = spec->source == STRATA_SOURCE_TABLE ? run_table(r)
                           : spec->source == STRATA_SOURCE_LIST ? run_list(r) : run_backlinks(r);
    if (status == STRATA_OK) status = query->status;
    if (status == STRATA_OK && r->sorting) {
        if (r->limit == UINT64_MAX) st_explain(query, ", sort");
        else st_explain(query, ", first %llu of the order", (unsigned long long)r->limit);
        if (st_result_room(r, r->order.count)) r->count = st_order_finish(&r->order, r->keys);
        status = query->status;
    }
    if (r->count > r->limit) r->count = (size_t)r->limit;
    return status;
}

static strata_status run(strata_view *view, const strata_query *spec, st_result *r, strata_query_stats *stats,
                         strata_error *error) {
    st_query query = { .view = view, .spec = spec, .error = error, .explained = stats != NULL };
    r->query = &query;
    strata_status status = settle(view, error);
    if (status == STRATA_OK) status = st_query_compile(&query);
    if (status == STRATA_OK) status = run_source(r);
    query.stats.rows_returned = status == STRATA_OK && !r->counting ? r->count : 0;
    if (stats != NULL) *stats = query.stats;
    st_order_free(&r->order);
    st_query_free(&query);
    return status;
}

strata_status strata_query_run(strata_view *view, const strata_query *query, strata_keys *out,
                               strata_query_stats *stats, strata_error *error) {
    st_result r = { 0 };
    *out = (strata_keys){ NULL, 0 };
    strata_status status = run(view, query, &r, stats, error);
    if (status == STRATA_OK && r.count != 0) *out = (strata_keys){ r.keys, r.count };
    else free(r.keys);
    return status;
}

void strata_keys_free(strata_keys *keys) {
    if (keys == NULL) return;
    free(keys->data);
    *keys = (strata_keys){ NULL, 0 };
}

strata_status strata_query_count(strata_view *view, const strata_query *query, uint64_t *out,
                                 strata_query_stats *stats, strata_error *error) {
    st_result r = { .counting = true };
    strata_status status = run(view, query, &r, stats, error);
    *out = status == STRATA_OK ? r.count : 0;
    free(r.keys);
    return status;
}

strata_status strata_query_check(strata_view *view, const strata_query *query, strata_error *error) {
    st_query compiled = { .view = view, .spec = query, .error = error };
    strata_status status = st_view_check(view, error);
    if (status == STRATA_OK) status = st_query_compile(&compiled);
    st_query_free(&compiled);
    return status;
}
