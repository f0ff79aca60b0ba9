/* SPDX-License-Identifier: MIT
 * prepared_support.c -- what a prepared query answers is what the query answers. */
#include "support/prepared_support.h"

#include <stdlib.h>
#include <string.h>

#include "support/strata_support.h"

static bool has_constants(const strata_node *node) {
    return node->op >= STRATA_EQUAL && node->op < STRATA_WITHIN && node->right == NULL && node->value_count != 0;
}

open_query open_query_of(const strata_query *query) {
    open_query open = { .query = *query };
    uint32_t at = 0;
    for (uint32_t i = 0; i < query->node_count; i++)
        if (has_constants(&query->nodes[i])) open.count += query->nodes[i].value_count;
    open.nodes = malloc((query->node_count + 1) * sizeof *open.nodes);
    open.arguments = malloc((open.count + 1) * sizeof *open.arguments);
    for (uint32_t i = 0; i < query->node_count; i++) {
        strata_node *node = &open.nodes[i];
        *node = query->nodes[i];
        if (!has_constants(node)) continue;
        memcpy(open.arguments + at, node->values, node->value_count * sizeof *node->values);
        at += node->value_count;
        node->options |= STRATA_PARAMETERS;
        node->values = NULL;
    }
    if (query->node_count != 0) open.query.nodes = open.nodes;
    return open;
}

void open_query_free(open_query *open) {
    free(open->nodes);
    free(open->arguments);
}

/* The keys that a cursor reads. */
static void check_cursor(strata_query_cursor *cursor, const strata_keys *expected) {
    strata_error error;
    strata_row rows[64];
    size_t count = 0;
    uint64_t at = 0;
    strata_status status;
    while ((status = strata_query_next_rows(cursor, rows, 64, &count, &error)) == STRATA_OK) {
        for (size_t i = 0; i < count; i++, at++) CHECK(at < expected->count && rows[i].key == expected->data[at]);
    }
    CHECK_EQ(status, STRATA_END);
    CHECK_EQ(at, expected->count);
    strata_query_close(cursor);
}

static bool same_keys(const strata_keys *a, const strata_keys *b) {
    return a->count == b->count && (a->count == 0 || memcmp(a->data, b->data, a->count * sizeof *a->data) == 0);
}

static void check_run(strata_prepared *prepared, strata_view *view, const open_query *open,
                      const strata_value *arguments, const strata_keys *expected) {
    strata_error error;
    strata_keys keys;
    strata_query_cursor *cursor;
    strata_query_stats stats;
    uint64_t count;
    CHECK_EQ(strata_prepared_count(prepared, view, arguments, open->count, &count, NULL, &error), STRATA_OK);
    CHECK_EQ(count, expected->count);
    CHECK_EQ(strata_prepared_run(prepared, view, arguments, open->count, &keys, &stats, &error), STRATA_OK);
    CHECK(same_keys(&keys, expected));
    CHECK_EQ(stats.rows_returned, keys.count);
    CHECK(stats.plan[0] != 0);
    strata_keys_free(&keys);
    CHECK_EQ(strata_prepared_open(prepared, view, arguments, open->count, &cursor, &error), STRATA_OK);
    check_cursor(cursor, expected);
}

/* A query finds the same through a cache. */
static void check_cached(strata_query_cache *cache, strata_view *view, const strata_query *query,
                         strata_status expected_status, const strata_keys *expected, const char *message) {
    strata_error error = { 0 };
    strata_keys keys;
    uint64_t count;
    CHECK_EQ(strata_query_cache_run(cache, view, query, &keys, NULL, &error), expected_status);
    if (expected_status != STRATA_OK) CHECK_TEXT(error.message, message);
    CHECK(same_keys(&keys, expected));
    strata_keys_free(&keys);
    CHECK_EQ(strata_query_cache_count(cache, view, query, &count, NULL, &error), expected_status);
    CHECK_EQ(count, expected->count);
    CHECK(strata_query_cache_prepared(cache) <= 1);
}

/* The arguments in the opposite order, which may not fit: the prepared query, a cache and a plain one say the same. */
static void check_others(strata_prepared *prepared, strata_query_cache *cache, strata_view *view,
                         const open_query *open) {
    strata_query plain = open->query;
    strata_node *nodes = malloc((plain.node_count + 1) * sizeof *nodes);
    strata_value *others = malloc((open->count + 1) * sizeof *others);
    strata_error expected_error = { 0 }, error = { 0 };
    strata_keys expected, keys;
    uint32_t at = 0;
    for (uint32_t i = 0; i < open->count; i++) others[i] = open->arguments[open->count - 1 - i];
    for (uint32_t i = 0; i < plain.node_count; i++) {
        nodes[i] = open->nodes[i];
        if ((nodes[i].options & STRATA_PARAMETERS) == 0) continue;
        nodes[i].options &= ~(uint32_t)STRATA_PARAMETERS;
        nodes[i].values = others + at;
        at += nodes[i].value_count;
    }
    if (plain.node_count != 0) plain.nodes = nodes;
    strata_status status = strata_query_run(view, &plain, &expected, NULL, &expected_error);
    CHECK_EQ(strata_prepared_run(prepared, view, others, open->count, &keys, NULL, &error), status);
    if (status != STRATA_OK) CHECK_TEXT(error.message, expected_error.message);
    CHECK(same_keys(&keys, &expected));
    check_cached(cache, view, &plain, status, &expected, expected_error.message);
    strata_keys_free(&keys);
    strata_keys_free(&expected);
    free(nodes);
    free(others);
}

void check_prepared(strata_view *view, const strata_query *query, const strata_keys *expected) {
    open_query open = open_query_of(query);
    strata_prepared *prepared;
    strata_query_cache *cache;
    strata_error error;
    CHECK_EQ(strata_query_cache_make(&cache, &error), STRATA_OK);
    strata_status status = strata_query_prepare(view, &open.query, &prepared, &error);
    CHECK_EQ(status, STRATA_OK);
    if (status == STRATA_OK) {
        CHECK_EQ(strata_prepared_parameters(prepared), open.count);
        for (int i = 0; i < 2; i++) {
            check_cached(cache, view, query, STRATA_OK, expected, "");
            check_others(prepared, cache, view, &open);
            check_run(prepared, view, &open, open.arguments, expected);
        }
        check_cached(cache, view, query, STRATA_OK, expected, "");
        strata_prepared_free(prepared);
    }
    strata_query_cache_free(cache);
    open_query_free(&open);
}
