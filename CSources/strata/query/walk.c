/* SPDX-License-Identifier: MIT
 * walk.c -- rows that an index leads to. */
#include "query/walk.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/status.h"
#include "condition/match.h"
#include "condition/value.h"
#include "plan/ranges.h"
#include "posting/postings_read.h"
#include "query/access_keys.h"
#include "write/index.h"

/* The least key that is wanted: if the order is that of keys, the first one behind the bookmark. */
static uint64_t first_key(const st_result *r) {
    const strata_bookmark *after = r->query->spec->after;
    return after == NULL || r->sorting ? 0 : after->key + 1;
}

/* Adds the first entry of a range, if there is one; that takes no cursor. */
static strata_status add_first(st_result *r, const st_test *rest, st_posting_set set, const st_posting_range *range) {
    st_query *query = r->query;
    uint64_t key;
    strata_status status = st_postings_first(query->view->txn, set, range, &key, query->error);
    if (status != STRATA_OK) return status == STRATA_NOT_FOUND ? STRATA_OK : status;
    query->stats.entries_visited++;
    st_result_add_keys(r, rest, &key, 1, false);
    return STRATA_OK;
}

strata_status st_walk_one(st_result *r, const st_test *rest, st_posting_set set, const st_posting_range *range) {
    st_query *query = r->query;
    st_posting_cursor *cursor;
    uint64_t keys[ST_RESULT_BATCH];
    size_t got = ST_RESULT_BATCH, wanted = ST_RESULT_BATCH;
    if (rest == NULL && r->filter_count == 1 && r->filters->keys == NULL) { /* a LIMIT: no more than it needs */
        uint64_t most = r->filters->left > UINT64_MAX - r->filters->skip ? UINT64_MAX
                                                                         : r->filters->left + r->filters->skip;
        if (most < wanted) wanted = (size_t)most;
    }
    if (wanted == 1 && !r->full) return add_first(r, rest, set, range);
    strata_status status = st_posting_cursor_open(query->view->txn, set, range, false, &cursor, query->error);
    while (status == STRATA_OK && got != 0 && !st_result_is_full(r)) {
        status = st_posting_cursor_keys(cursor, keys, wanted, &got, query->error);
        query->stats.entries_visited += got;
        if (status == STRATA_OK && !st_query_step(query, (uint32_t)got)) status = query->status;
        if (status == STRATA_OK) st_result_add_keys(r, rest, keys, got, false);
    }
    st_posting_cursor_close(cursor);
    return status;
}

static bool is_one_value(const st_access *access) {
    return access->kind == ST_ACCESS_RANGES && access->points && access->range_count == 1 && !access->copies;
}

strata_status st_walk_index(st_result *r, const st_plan *plan) {
    const st_access *access = plan->access;
    uint64_t first = first_key(r);
    bool counted = access->kind == ST_ACCESS_RANGES && !access->copies && first == 0;
    if ((r->counting || r->groups != NULL) && !r->visits && plan->rest == NULL && counted) {
        st_result_add_count(r, access->entries);
        return STRATA_OK;
    }
    if (is_one_value(access)) {
        st_posting_range range = access->ranges[0];
        if (access->entries == 0 || r->full) return STRATA_OK;
        if (range.low_key < first) range.low_key = first;
        if (access->entries == 1) return add_first(r, plan->rest, access->set, &range);
        return st_walk_one(r, plan->rest, access->set, &range);
    }
    st_key_list list;
    strata_status status = st_access_keys(r->query, access, &list);
    size_t from = 0;
    while (from < list.count && list.keys[from] < first) from++;
    if (status == STRATA_OK) st_result_add_keys(r, plan->rest, list.keys + from, list.count - from, false);
    free(list.keys);
    return status;
}

/* ---- In the order of an index ----------------------------------------- */

/* Entries that agree in what the index knows of the sort are a run. The run is put in the order of object keys and, if
 * the sort has more keys than the index, sorted by its rows. */
typedef struct order_walk {
    st_result *result;
    const st_plan *plan;
    bool several;          /* the object keys of a run are not in order */
    bool sorts;            /* the run is sorted by its rows */
    uint64_t *run;
    size_t count, capacity;
    uint64_t visited;      /* rows that were looked at */
    uint8_t alike[ST_MAX_KEY]; /* what all values of the run begin with */
    size_t alike_size;
    bool truncated;        /* the index has only the beginning of these values */
    st_order order;        /* begun if there are runs to be sorted */
} order_walk;

/* How many first bytes of an entry are the same in its whole run. `*truncated` if the index has only the beginning of
 * its value. */
static size_t run_size(const order_walk *w, strata_bytes value, bool *truncated) {
    enum { HASH = 8 };
    const st_access *access = w->plan->access;
    *truncated = false;
    if (access->index == NULL) {
        bool nullable = access->table->fields[access->column - access->table->columns].nullable;
        *truncated = st_key_is_truncated(access->column->type, nullable, value);
        return *truncated && value.size >= HASH ? value.size - HASH : value.size;
    }
    size_t size = 0;
    for (uint32_t i = 1; i <= w->plan->ordered && !*truncated; i++) {
        size = st_index_entry_size(access->table, access->index, w->plan->fixed + i, value, truncated);
    }
    return *truncated && size >= HASH ? size - HASH : size;
}

static void reverse(uint64_t *keys, size_t count) {
    for (size_t i = 0; i < count / 2; i++) {
        uint64_t swap = keys[i];
        keys[i] = keys[count - 1 - i];
        keys[count - 1 - i] = swap;
    }
}

static strata_status order_keys(order_walk *w) {
    st_query *query = w->result->query;
    st_sort_item *items = w->count > SIZE_MAX / 64 ? NULL : malloc((2 * w->count + 1) * sizeof *items);
    if (items == NULL) return st_no_memory(query->error, "walking an index");
    for (size_t i = 0; i < w->count; i++) items[i] = (st_sort_item){ w->run[i], 0 };
    st_sort_items(items, items + w->count, w->count);
    for (size_t i = 0; i < w->count; i++) w->run[i] = items[i].order;
    free(items);
    return STRATA_OK;
}

/* Sorts the run by its rows, and drops those that do not meet the rest of the condition. */
static strata_status sort_run(order_walk *w) {
    st_query *query = w->result->query;
    st_order_reset(&w->order);
    for (size_t i = 0; i < w->count && query->status == STRATA_OK; i++) {
        st_stored_row row;
        strata_status status = st_query_find_indexed(query, w->run[i], &row);
        if (status != STRATA_OK) return status;
        if (!st_query_step(query, 1)) break;
        query->stats.rows_visited++;
        w->visited++;
        if (w->plan->rest == NULL || st_query_match(query, w->plan->rest, &row)) {
            st_order_add(&w->order, &row, w->run[i]);
        }
    }
    if (query->status == STRATA_OK) w->count = st_order_finish(&w->order, w->run, NULL); /* never more than before */
    return query->status;
}

static strata_status end_run(order_walk *w) {
    st_result *r = w->result;
    strata_status status = STRATA_OK;
    const st_test *rest = w->plan->rest;
    if (w->count == 0) return STRATA_OK;
    bool sorts = w->sorts || w->truncated;
    if (w->several || w->truncated) status = order_keys(w);
    else if (w->plan->backward) reverse(w->run, w->count);
    if (status == STRATA_OK && sorts) status = sort_run(w);
    if (sorts) rest = NULL;
    uint64_t before = r->query->stats.rows_visited;
    if (status == STRATA_OK) st_result_add_keys(r, rest, w->run, w->count, false);
    if (rest != NULL) w->visited += r->query->stats.rows_visited - before;
    w->count = 0;
    return status == STRATA_OK ? r->query->status : status;
}

static strata_status add_entry(order_walk *w, uint64_t key, strata_bytes value) {
    bool truncated;
    size_t size = run_size(w, value, &truncated);
    if (size > sizeof w->alike) size = sizeof w->alike;
    if (size != w->alike_size || memcmp(value.data, w->alike, size) != 0) {
        strata_status status = end_run(w);
        if (status != STRATA_OK || st_result_is_full(w->result)) return status;
        w->alike_size = size;
        w->truncated = truncated;
        memcpy(w->alike, value.data, size);
    }
    if (w->count == w->capacity) {
        void *run = w->run;
        bool grown = st_array_grow(&run, &w->capacity, w->count, sizeof *w->run);
        w->run = run;
        if (!grown) return st_no_memory(w->result->query->error, "walking an index");
    }
    w->run[w->count++] = key;
    bool in_order = !w->plan->backward && !w->several && !w->sorts && !w->truncated;
    return in_order ? end_run(w) : STRATA_OK; /* each key can be added at once */
}

enum { LONG_RUN = 64 };

/* A walk backward meets a run at its greatest key, but the run is wanted from its least key on. */
static bool is_long(const order_walk *w, strata_bytes value) {
    return w->count == LONG_RUN && w->plan->backward && !w->several && !w->sorts && !w->truncated &&
           value.size == w->alike_size;
}

/* Adds a long run by a walk of its own, which ends when no more rows are wanted, and goes on with the values before
 * it. */
static strata_status add_long(order_walk *w, const st_posting_range *range, st_posting_cursor *cursor) {
    st_result *r = w->result;
    strata_bytes value = { w->alike, w->alike_size };
    st_posting_range run = st_posting_range_of(value), both[2], before = *range;
    uint64_t visited = r->query->stats.rows_visited;
    strata_status status = STRATA_OK;
    w->count = 0;
    if (st_ranges_intersect(&run, 1, range, 1, both) != 0) {
        status = st_walk_one(r, w->plan->rest, w->plan->access->set, both);
    }
    if (w->plan->rest != NULL) w->visited += r->query->stats.rows_visited - visited;
    before.high = value;
    before.high_key = 0;
    st_posting_cursor_restart(cursor, &before, true);
    return status == STRATA_OK ? r->query->status : status;
}

static strata_status walk_range(order_walk *w, const st_posting_range *range) {
    st_query *query = w->result->query;
    st_posting_cursor *cursor;
    uint64_t key;
    strata_bytes value;
    strata_status status = st_posting_cursor_open(query->view->txn, w->plan->access->set, range, w->plan->backward,
                                                  &cursor, query->error);
    while (status == STRATA_OK && !st_result_is_full(w->result) && w->visited <= w->plan->budget) {
        status = st_posting_cursor_next(cursor, &key, &value, query->error);
        if (status != STRATA_OK) break;
        query->stats.entries_visited++;
        status = st_query_step(query, 1) ? add_entry(w, key, value) : query->status;
        if (status == STRATA_OK && is_long(w, value)) status = add_long(w, range, cursor);
    }
    st_posting_cursor_close(cursor);
    return status == STRATA_END ? STRATA_OK : status;
}

strata_status st_walk_order(st_result *r, const st_plan *plan, const st_pipeline *sorted, bool *given_up) {
    st_query *query = r->query;
    const st_access *access = plan->access;
    order_walk w = { .result = r, .plan = plan, .sorts = plan->partial, .alike_size = SIZE_MAX };
    strata_status status = STRATA_OK;
    w.several = access->index != NULL && plan->fixed + plan->ordered < access->index->column_count;
    (void)st_order_begin(&w.order, query, sorted->sorts, sorted->sort_count, UINT64_MAX);
    if (query->status == STRATA_OK && query->spec->after != NULL) {
        (void)st_order_after(&w.order, query->spec->after);
    }
    for (size_t i = 0; i < access->range_count && status == STRATA_OK && query->status == STRATA_OK; i++) {
        if (st_result_is_full(r) || w.visited > plan->budget) break;
        status = walk_range(&w, &access->ranges[plan->backward ? access->range_count - 1 - i : i]);
    }
    *given_up = status == STRATA_OK && query->status == STRATA_OK && !st_result_is_full(r) && w.visited > plan->budget;
    if (status == STRATA_OK && query->status == STRATA_OK && !*given_up && !st_result_is_full(r)) status = end_run(&w);
    st_order_free(&w.order);
    free(w.run);
    return status == STRATA_OK ? query->status : status;
}
