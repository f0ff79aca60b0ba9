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
    st_ranks *ranks;
    uint64_t rows;
} sorter;

/* Reads what an object is sorted by. False after a failure, which the query notes. */
static bool read(sorter *s, uint64_t key) {
    st_stored_row row;
    if (s->query->status != STRATA_OK) return false;
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

/* Reads another object behind the one that is looked for. */
static bool read_another(const wanted *w, uint64_t key) {
    w->sorter->order.count = 1;
    return read(w->sorter, key);
}

static bool stands_before(void *context, uint64_t key) {
    const wanted *w = context;
    if (!read_another(w, key)) return false;
    int order = st_order_compare(&w->sorter->order, 1, 0);
    return order < 0 || (order == 0 && key < w->key);
}

static bool word_of(void *context, uint64_t key, uint64_t *out) {
    const wanted *w = context;
    if (!read_another(w, key)) return false;
    *out = st_order_word(&w->sorter->order, 1);
    return true;
}

static uint64_t find_bound(sorter *s, uint64_t key, uint64_t *out_word) {
    wanted w = { s, key };
    st_order_reset(&s->order);
    if (!read(s, key)) return 0;
    *out_word = st_order_word(&s->order, 0);
    return st_ranks_search(s->ranks, &(st_rank_search){ stands_before, word_of, *out_word, &w });
}

/* Reads the words of all chunks; what is looked for is the first object of all. */
static void read_words(sorter *s) {
    wanted w = { s, st_ranks_key(s->ranks, 0) };
    st_order_reset(&s->order);
    if (read(s, w.key)) st_ranks_read_words(s->ranks, &(st_rank_search){ stands_before, word_of, 0, &w });
}

static strata_status begin(sorter *s) {
    st_pipelines pipelines;
    strata_status status = st_query_compile(s->query);
    if (status == STRATA_OK) status = st_pipelines_make(s->query, ST_FOR_KEYS, &pipelines);
    if (status != STRATA_OK) return status;
    const st_pipeline *first = &pipelines.items[0];
    (void)st_order_begin(&s->order, s->query, first->sorts, first->sort_count, UINT64_MAX);
    return s->query->status;
}

/* Which places are looked for. */
typedef struct places {
    const uint64_t *keys;
    size_t count;
    uint64_t *out; /* NULL: all words are read */
    uint64_t *words;
} places;

static strata_status run(strata_view *view, const strata_query *spec, st_ranks *ranks, const places *what,
                         uint64_t *rows, strata_error *error) {
    uint64_t words[384];
    strata_query sorts = *spec;
    sorts.nodes = NULL;
    sorts.node_count = 0;
    st_query query = { .view = view, .spec = &sorts, .error = error, .memory = st_arena_begin(words, sizeof words) };
    sorter s = { .query = &query, .ranks = ranks };
    strata_status status = st_query_ready(view, error);
    if (status == STRATA_OK) status = begin(&s);
    if (status == STRATA_OK && what->out == NULL) read_words(&s);
    for (size_t i = 0; i < what->count && status == STRATA_OK && query.status == STRATA_OK; i++)
        what->out[i] = find_bound(&s, what->keys[i], &what->words[i]);
    if (status == STRATA_OK) status = query.status;
    *rows += s.rows;
    st_order_free(&s.order);
    st_query_free(&query);
    return status;
}

strata_status st_sorter_find(strata_view *view, const strata_query *query, st_ranks *ranks, const uint64_t *keys,
                             size_t count, uint64_t *out, uint64_t *words, uint64_t *rows, strata_error *error) {
    return run(view, query, ranks, &(places){ keys, count, out, words }, rows, error);
}

strata_status st_sorter_read_words(strata_view *view, const strata_query *query, st_ranks *ranks, uint64_t *rows,
                                   strata_error *error) {
    if (ranks->chunk_count < 2 || ranks->chunks[0].has_word) return STRATA_OK; /* nothing to choose from, or all have */
    return run(view, query, ranks, &(places){ .out = NULL }, rows, error);
}
