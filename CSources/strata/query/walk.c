/* SPDX-License-Identifier: MIT
 * walk.c -- rows by way of an index. */
#include <stdlib.h>

#include "base/status.h"
#include "query/result.h"

/* ---- Taking rows ------------------------------------------------------ */

bool st_result_room(st_result *r, size_t more) {
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

void st_result_take(st_result *r, const st_test *rest, const uint64_t *keys, size_t count) {
    st_query *query = r->query;
    if (rest == NULL && !r->sorting) {
        if (r->count + count > r->limit) count = (size_t)(r->limit - r->count);
        if (!r->counting && count != 0) {
            if (!st_result_room(r, count)) return;
            memcpy(r->keys + r->count, keys, count * sizeof *keys);
        }
        r->count += count;
        return;
    }
    for (size_t i = 0; i < count && !st_result_is_full(r); i++) {
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
        } else if (r->counting || st_result_room(r, 1)) {
            if (!r->counting) r->keys[r->count] = keys[i];
            r->count++;
        }
    }
}

/* ---- Indexes ---------------------------------------------------------- */

/* Appends all keys of the plan's ranges to the array; they are not in order. */
static strata_status gather(st_result *r, const st_plan *plan, uint64_t **out, size_t *out_count) {
    st_query *query = r->query;
    size_t capacity = (size_t)plan->entries + ST_RESULT_BATCH, count = 0, got;
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
strata_status st_walk_one(st_result *r, const st_plan *plan) {
    st_query *query = r->query;
    st_posting_cursor *cursor;
    uint64_t keys[ST_RESULT_BATCH];
    size_t got = ST_RESULT_BATCH, wanted = ST_RESULT_BATCH;
    if (r->limit < wanted && plan->rest == NULL && !r->sorting) wanted = (size_t)r->limit;
    strata_status status =
        st_posting_cursor_open(query->view->txn, plan->set, plan->ranges, false, &cursor, query->error);
    if (status != STRATA_OK) return status;
    while (got != 0 && status == STRATA_OK && !st_result_is_full(r)) {
        status = st_posting_cursor_keys(cursor, keys, wanted, &got, query->error);
        query->stats.entries_visited += got;
        if (status == STRATA_OK) st_result_take(r, plan->rest, keys, got);
    }
    st_posting_cursor_close(cursor);
    return status;
}

strata_status st_walk_index(st_result *r, const st_plan *plan) {
    bool one_value = plan->range_count == 1 && !plan->copies && plan->ranges[0].high.data != NULL &&
                     plan->ranges[0].low_key == 0 && plan->ranges[0].high_key == UINT64_MAX &&
                     st_compare(plan->ranges[0].low, plan->ranges[0].high) == 0;
    if (r->counting && plan->rest == NULL && !plan->copies) {
        r->count = (size_t)plan->entries;
        return STRATA_OK;
    }
    if (plan->range_count == 0) return STRATA_OK;
    if (one_value) return st_walk_one(r, plan);
    uint64_t *keys;
    size_t count;
    strata_status status = gather(r, plan, &keys, &count);
    if (status == STRATA_OK) status = put_in_order(r->query, keys, &count);
    if (status == STRATA_OK) st_result_take(r, plan->rest, keys, count);
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
static strata_status walk_range(st_result *r, const st_plan *plan, const st_posting_range *range, bool backward,
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
        if (!st_result_room(r, 1)) break;
        r->keys[r->count++] = key;
    }
    if (backward && r->keys != NULL) reverse(r->keys + run, r->count - run);
    st_posting_cursor_close(cursor);
    return status < 0 ? status : query->status;
}

strata_status st_walk_values(st_result *r, const st_plan *plan, bool *useless) {
    bool backward = r->query->sorts->descending;
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < plan->range_count && status == STRATA_OK && !*useless && r->count < r->limit; i++) {
        const st_posting_range *range = &plan->ranges[backward ? plan->range_count - 1 - i : i];
        status = walk_range(r, plan, range, backward, useless);
    }
    return status;
}
