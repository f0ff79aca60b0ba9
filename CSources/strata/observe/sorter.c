/* SPDX-License-Identifier: MIT
 * sorter.c -- where an object belongs in the sorted result of a query. */
#include "observe/sorter.h"

#include "base/status.h"
#include "condition/compile.h"
#include "condition/value.h"
#include "plan/pipeline.h"
#include "query/order.h"

typedef struct sorter {
    st_query *query;
    st_order order;
    const st_ranks *ranks;
    uint64_t rows;
} sorter;

/* Reads what an object is sorted by. False after a failure, which the query notes. */
static bool read(sorter *s, uint64_t key) {
    st_stored_row row;
    strata_status status = st_query_find(s->query, s->query->spec->table, key, &row);
    s->rows++;
    if (status == STRATA_NOT_FOUND)
        status = st_fail(s->query->error, STRATA_CORRUPT, 0, "object %llu of %s is in a result, but is gone",
                         (unsigned long long)key, s->query->table->name);
    if (!st_query_note(s->query, status)) return false;
    st_order_add(&s->order, &row, key);
    return s->query->status == STRATA_OK;
}

/* What is looked for: an object whose values are read. */
typedef struct wanted {
    sorter *sorter;
    uint64_t key;
} wanted;

static bool stands_before(void *context, uint64_t key) {
    const wanted *w = context;
    sorter *s = w->sorter;
    s->order.count = 1; /* behind the object that is looked for */
    if (s->query->status != STRATA_OK || !read(s, key)) return false;
    int order = st_order_compare(&s->order, 1, 0);
    return order < 0 || (order == 0 && key < w->key);
}

static uint64_t find_bound(sorter *s, uint64_t key) {
    wanted w = { s, key };
    st_order_reset(&s->order);
    return read(s, key) ? st_ranks_search(s->ranks, stands_before, &w) : 0;
}

static strata_status find_bounds(sorter *s, const uint64_t *keys, size_t count, uint64_t *out) {
    st_pipelines pipelines;
    strata_status status = st_query_compile(s->query);
    if (status == STRATA_OK) status = st_pipelines_make(s->query, ST_FOR_KEYS, &pipelines);
    if (status != STRATA_OK) return status;
    const st_pipeline *first = &pipelines.items[0];
    if (!st_order_begin(&s->order, s->query, first->sorts, first->sort_count, UINT64_MAX)) return s->query->status;
    for (size_t i = 0; i < count && s->query->status == STRATA_OK; i++) out[i] = find_bound(s, keys[i]);
    return s->query->status;
}

strata_status st_sorter_find(strata_view *view, const strata_query *spec, const st_ranks *ranks,
                              const uint64_t *keys, size_t count, uint64_t *out, uint64_t *rows,
                              strata_error *error) {
    uint64_t words[384];
    strata_query sorts = *spec;
    sorts.nodes = NULL;
    sorts.node_count = 0;
    st_query query = { .view = view, .spec = &sorts, .error = error, .memory = st_arena_begin(words, sizeof words) };
    sorter s = { .query = &query, .ranks = ranks };
    strata_status status = st_query_ready(view, error);
    if (status == STRATA_OK) status = find_bounds(&s, keys, count, out);
    *rows += s.rows;
    st_order_free(&s.order);
    st_query_free(&query);
    return status;
}
