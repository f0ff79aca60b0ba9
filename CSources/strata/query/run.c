/* SPDX-License-Identifier: MIT
 * run.c -- runs queries: from the plan to the keys, or their number. */
#include <stdlib.h>

#include "base/status.h"
#include "query/order.h"
#include "query/plan.h"

enum { BATCH = 1024 };

/* What becomes of the rows that meet the condition. */
typedef struct result {
    st_query *query;
    bool counting;
    bool sorting;
    uint64_t limit;        /* UINT64_MAX: none */
    uint64_t *keys;
    size_t count, capacity; /* of `keys`; `count` also when only counting */
    st_order order;
} result;

/* ---- Taking rows ------------------------------------------------------ */

static bool make_room(result *r, size_t more) {
    if (more <= r->capacity - r->count) return true;
    size_t wanted = r->count + more, capacity = r->capacity < 256 ? 256 : 2 * r->capacity;
    if (capacity < wanted) capacity = wanted;
    uint64_t *keys = capacity > SIZE_MAX / 16 ? NULL : realloc(r->keys, capacity * sizeof *keys);
    if (keys == NULL) {
        st_query_fail(r->query, st_no_memory(r->query->error, "collecting a result"));
        return false;
    }
    r->keys = keys;
    r->capacity = capacity;
    return true;
}

static bool is_full(const result *r) { return r->query->status != STRATA_OK || (!r->sorting && r->count >= r->limit); }

static void take_block(result *r, const uint8_t *block, size_t size, const uint8_t *mask) {
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
    if (!make_room(r, rows)) return;
    uint64_t *out = r->keys + r->count;
    size_t taken = 0;
    for (uint32_t i = 0; i < rows; i++) { /* always stored, kept if the mask says so */
        out[taken] = strata_block_key(block, i);
        taken += mask[i];
    }
    r->count += taken;
}

/* Tests rows one by one and takes those that meet the rest of the condition. */
static void take_keys(result *r, const st_test *rest, const uint64_t *keys, size_t count) {
    st_query *query = r->query;
    if (rest == NULL && !r->sorting) {
        if (r->count + count > r->limit) count = (size_t)(r->limit - r->count);
        if (!r->counting && make_room(r, count) && count != 0) memcpy(r->keys + r->count, keys, count * sizeof *keys);
        r->count += count;
        return;
    }
    for (size_t i = 0; i < count && !is_full(r); i++) {
        st_place place;
        strata_status status = st_query_find(query, query->spec->table, keys[i], &place);
        if (status == STRATA_NOT_FOUND) {
            status = st_fail(query->error, STRATA_CORRUPT, 0, "an index of %s has object %llu, which does not exist",
                             query->table->name, (unsigned long long)keys[i]);
        }
        if (status != STRATA_OK) {
            st_query_fail(query, status);
            return;
        }
        query->stats.rows_visited++;
        if (rest != NULL && !st_query_match(query, rest, &place)) continue;
        if (r->sorting) {
            st_order_add(&r->order, &place, keys[i]);
        } else if (r->counting || make_room(r, 1)) {
            if (!r->counting) r->keys[r->count] = keys[i];
            r->count++;
        }
    }
}

/* ---- Scans ------------------------------------------------------------ */

static strata_status scan(result *r) {
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
        if (is_full(r)) break;
        status = st_cursor_next(cursor, &key, &value, query->error);
    }
    st_cursor_close(cursor);
    return status < 0 ? status : STRATA_OK;
}

/* ---- Indexes ---------------------------------------------------------- */

/* Appends all keys of the plan's ranges to the array; they are not in order. */
static strata_status gather(result *r, const st_plan *plan, uint64_t **out, size_t *out_count) {
    st_query *query = r->query;
    size_t capacity = (size_t)plan->entries + BATCH, count = 0, got;
    uint64_t *keys = plan->entries > SIZE_MAX / 32 ? NULL : malloc(capacity * sizeof *keys);
    *out = keys;
    *out_count = 0;
    if (keys == NULL) return st_no_memory(query->error, "walking an index");
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < plan->range_count && status == STRATA_OK; i++) {
        st_posting_cursor *cursor;
        status = st_posting_cursor_open(query->view->txn, plan->set, &plan->ranges[i], false, &cursor, query->error);
        if (status != STRATA_OK) break;
        status = st_posting_cursor_keys(cursor, keys + count, capacity - count, &got, query->error);
        st_posting_cursor_close(cursor);
        count += got;
    }
    query->stats.entries_visited += count;
    *out_count = count;
    return status;
}

/* Sorts keys and drops repeated ones. */
static strata_status put_in_order(st_query *query, uint64_t *keys, size_t *count) {
    st_sort_item *items = malloc((2 * *count + 1) * sizeof *items);
    if (items == NULL) return st_no_memory(query->error, "sorting the keys of an index");
    for (size_t i = 0; i < *count; i++) items[i] = (st_sort_item){ keys[i], 0 };
    st_sort_items(items, items + *count, *count);
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        if (kept == 0 || keys[kept - 1] != items[i].order) keys[kept++] = items[i].order;
    }
    *count = kept;
    free(items);
    return STRATA_OK;
}

/* Walks one range whose keys come in order, only as far as needed. */
static strata_status walk_in_order(result *r, const st_plan *plan) {
    st_query *query = r->query;
    st_posting_cursor *cursor;
    uint64_t keys[BATCH];
    size_t got = BATCH, wanted = r->limit < BATCH && plan->rest == NULL && !r->sorting ? (size_t)r->limit : BATCH;
    strata_status status =
        st_posting_cursor_open(query->view->txn, plan->set, plan->ranges, false, &cursor, query->error);
    if (status != STRATA_OK) return status;
    while (got != 0 && status == STRATA_OK && !is_full(r)) {
        status = st_posting_cursor_keys(cursor, keys, wanted, &got, query->error);
        query->stats.entries_visited += got;
        if (status == STRATA_OK) take_keys(r, plan->rest, keys, got);
    }
    st_posting_cursor_close(cursor);
    return status;
}

static strata_status walk_index(result *r, const st_plan *plan) {
    bool one_value = plan->range_count == 1 && !plan->copies && plan->ranges[0].high.data != NULL &&
                     plan->ranges[0].low_key == 0 && plan->ranges[0].high_key == UINT64_MAX &&
                     st_compare(plan->ranges[0].low, plan->ranges[0].high) == 0;
    if (r->counting && plan->rest == NULL && !plan->copies) {
        r->count = (size_t)plan->entries;
        return STRATA_OK;
    }
    if (plan->range_count == 0) return STRATA_OK;
    if (one_value) return walk_in_order(r, plan);
    uint64_t *keys;
    size_t count;
    strata_status status = gather(r, plan, &keys, &count);
    if (status == STRATA_OK) status = put_in_order(r->query, keys, &count);
    if (status == STRATA_OK) take_keys(r, plan->rest, keys, count);
    free(keys);
    return status;
}

/* ---- In the order of an index ----------------------------------------- */

/* Long strings are in the index by their first bytes and a hash, which is not their order. */
static bool is_truncated(const st_plan *plan, strata_bytes value) {
    const st_column *column = plan->column;
    return st_key_is_truncated(column->type, (column->flags & STRATA_COLUMN_NULLABLE) != 0, value);
}

static void reverse(uint64_t *keys, size_t count) {
    for (size_t i = 0; i < count / 2; i++) {
        uint64_t swap = keys[i];
        keys[i] = keys[count - 1 - i];
        keys[count - 1 - i] = swap;
    }
}

/* Walks one range, taking keys by ascending or descending values; those of one value by ascending keys, always.
 * `*useless` if the index does not have the order. */
static strata_status walk_values(result *r, const st_plan *plan, const st_posting_range *range, bool backward,
                                 bool *useless) {
    st_query *query = r->query;
    st_posting_cursor *cursor;
    strata_bytes value;
    uint64_t key;
    uint8_t last[ST_MAX_KEY];
    size_t last_size = SIZE_MAX, run = r->count; /* where the keys of the value begin */
    strata_status status =
        st_posting_cursor_open(query->view->txn, plan->set, range, backward, &cursor, query->error);
    if (status != STRATA_OK) return status;
    while ((status = st_posting_cursor_next(cursor, &key, &value, query->error)) == STRATA_OK) {
        query->stats.entries_visited++;
        if (is_truncated(plan, value)) {
            *useless = true;
            break;
        }
        if (value.size != last_size || memcmp(value.data, last, last_size) != 0) {
            if (backward) reverse(r->keys + run, r->count - run);
            run = r->count;
            if (r->count >= r->limit) break;
            last_size = value.size < sizeof last ? value.size : sizeof last;
            memcpy(last, value.data, last_size);
        }
        if (!backward && r->count >= r->limit) break;
        if (!make_room(r, 1)) break;
        r->keys[r->count++] = key;
    }
    if (backward && r->keys != NULL) reverse(r->keys + run, r->count - run);
    st_posting_cursor_close(cursor);
    return status < 0 ? status : query->status;
}

static strata_status walk_ordered(result *r, const st_plan *plan, bool *useless) {
    bool backward = r->query->spec->sorts->descending;
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < plan->range_count && status == STRATA_OK && !*useless && r->count < r->limit; i++) {
        const st_posting_range *range = &plan->ranges[backward ? plan->range_count - 1 - i : i];
        status = walk_values(r, plan, range, backward, useless);
    }
    return status;
}

/* ---- Sources ---------------------------------------------------------- */

static strata_status run_table(result *r) {
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
        status = walk_ordered(r, &plan, &useless);
        if (status != STRATA_OK || !useless) return status;
        r->sorting = true;
        r->count = 0;
        query->stats.plan[0] = 0;
        st_explain(query, "scan %s%s", query->table->name, query->condition == NULL ? "" : ", filter");
        plan = (st_plan){ .way = ST_WAY_SCAN, .rest = query->condition };
    }
    if (status == STRATA_OK) status = plan.way == ST_WAY_SCAN ? scan(r) : walk_index(r, &plan);
    return status;
}

static strata_status run_list(result *r) {
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
    if (status != STRATA_OK) return status == STRATA_NOT_FOUND ? STRATA_OK : status; /* nothing is in a list that is gone */
    if (!st_query_vector(query, place.block, place.size, owner->fields[spec->origin_column], spec->origin_column,
                         &vector) ||
        !st_query_collection(query, owner, &place, &vector, spec->origin_column, &list)) {
        return query->status;
    }
    if (r->counting && query->condition == NULL) {
        r->count = (size_t)list.count;
        return STRATA_OK;
    }
    for (uint64_t from = 0; from < list.count && status == STRATA_OK && !is_full(r); from += ST_SOURCE_BATCH) {
        uint64_t count = list.count - from < ST_SOURCE_BATCH ? list.count - from : ST_SOURCE_BATCH;
        status = st_source_links(&list, from, count, keys, query->error);
        if (status == STRATA_OK) take_keys(r, query->condition, keys, (size_t)count);
    }
    return status;
}

static strata_status run_backlinks(result *r) {
    st_query *query = r->query;
    const strata_query *spec = query->spec;
    const st_column *column = &query->table->columns[spec->origin_column];
    uint8_t value[8];
    st_posting_range range = st_links_range(value, spec->key); /* of a mixed column, with the table in it */
    st_plan plan = { .set = { ST_LINKS, column->link_id }, .ranges = &range, .range_count = 1,
                     .rest = query->condition };
    st_explain(query, "links to object %llu by %s of %s%s", (unsigned long long)spec->key, column->name,
               query->table->name, query->condition == NULL ? "" : ", filter");
    if (!r->counting || query->condition != NULL) return walk_in_order(r, &plan);
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

static strata_status run_source(result *r) {
    st_query *query = r->query;
    const strata_query *spec = query->spec;
    r->sorting = !r->counting && spec->sort_count != 0;
    r->limit = spec->limit == 0 ? UINT64_MAX : spec->limit;
    if (r->sorting && !st_order_begin(&r->order, query, spec->limit)) return query->status;
    strata_status status = spec->source == STRATA_SOURCE_TABLE ? run_table(r)
                           : spec->source == STRATA_SOURCE_LIST ? run_list(r) : run_backlinks(r);
    if (status == STRATA_OK) status = query->status;
    if (status == STRATA_OK && r->sorting) {
        st_explain(query, spec->limit == 0 ? ", sort" : ", first %llu of the order", (unsigned long long)spec->limit);
        if (make_room(r, r->order.count)) r->count = st_order_finish(&r->order, r->keys);
        status = query->status;
    }
    if (r->count > r->limit) r->count = (size_t)r->limit;
    return status;
}

static strata_status run(strata_view *view, const strata_query *spec, result *r, strata_query_stats *stats,
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
    result r = { 0 };
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
    result r = { .counting = true };
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
