/* SPDX-License-Identifier: MIT
 * query_cursor.c -- a result that is found piece by piece, while it is read. */
#include "query/query_cursor.h"

#include <stdlib.h>

#include "base/status.h"
#include "table/table_state.h"
#include "write/write_set.h"

/* ---- Pieces ----------------------------------------------------------- */

/* Can the result be found in pieces? It is in the order of keys, and at most its beginning and its length are cut. */
static bool is_divisible(const strata_query *query) {
    bool ordered = query->stage_count > 1 || (query->stage_count == 1 && query->stages[0].kind != STRATA_STAGE_LIMIT);
    bool behind_values = query->after != NULL && query->after->value_count != 0;
    return query->source == STRATA_SOURCE_TABLE && !ordered && !behind_values;
}

static void plan_pieces(strata_query_cursor *c) {
    const strata_query *query = &c->query;
    c->whole = !is_divisible(query);
    c->left = UINT64_MAX;
    c->piece = ST_FIRST_PIECE;
    if (c->whole) return;
    c->limit.kind = STRATA_STAGE_LIMIT;
    if (query->stage_count == 1) {
        c->limit.skip = query->stages[0].skip;
        c->left = query->stages[0].limit;
    }
    if (query->after != NULL) c->after.key = query->after->key;
    c->query.stages = &c->limit;
    c->query.stage_count = 1;
}

/* Finds the next piece, which has no keys if there is none. */
static strata_status find_piece(strata_query_cursor *c, strata_error *error) {
    strata_keys_free(&c->keys);
    c->at = 0;
    if (c->last || c->left == 0) return STRATA_OK;
    if (!c->whole) c->limit.limit = c->left < c->piece ? c->left : c->piece;
    if (!c->whole) c->query.after = c->after.key == 0 ? NULL : &c->after;
    strata_status status = strata_query_run(c->view, &c->query, &c->keys, NULL, error);
    if (status != STRATA_OK) return status;
    c->last = c->whole || c->keys.count < c->limit.limit;
    if (c->whole || c->keys.count == 0) return STRATA_OK;
    c->after.key = c->keys.data[c->keys.count - 1];
    c->limit.skip = 0;
    if (c->left != UINT64_MAX) c->left -= c->keys.count;
    if (c->piece < ST_LARGEST_PIECE) c->piece *= 2;
    if (c->after.key >= c->end) c->last = true;
    return STRATA_OK;
}

/* ---- Opening ---------------------------------------------------------- */

/* The key that the next new object of the table will get. */
static strata_status find_end(strata_view *view, uint32_t table, uint64_t *out, strata_error *error) {
    st_table_state state;
    st_table_writes *writes;
    if (st_view_table(view, table, error) == NULL) return STRATA_MISUSE;
    strata_status status = STRATA_OK;
    if (view->writes == NULL) {
        status = st_table_state_load(view->txn, table, &state, error);
        if (status == STRATA_OK) *out = state.next_key;
    } else {
        status = st_writes_table(view, table, &writes, error);
        if (status == STRATA_OK) *out = writes->state.next_key;
    }
    return status;
}

strata_status strata_query_open(strata_view *view, const strata_query *query, strata_query_cursor **out,
                                strata_error *error) {
    *out = NULL;
    strata_status status = strata_query_check(view, query, error);
    if (status == STRATA_OK) status = st_view_readable(view, error);
    if (status != STRATA_OK) return status;
    strata_query_cursor *c = calloc(1, sizeof *c);
    if (c == NULL) return st_no_memory(error, "opening a query");
    c->view = view;
    memcpy(&c->query, query, query->size < sizeof c->query ? query->size : sizeof c->query);
    c->query.size = sizeof c->query;
    plan_pieces(c);
    status = find_end(view, c->query.table, &c->end, error);
    if (status == STRATA_OK) *out = c;
    else free(c);
    return status;
}

void strata_query_close(strata_query_cursor *cursor) {
    if (cursor == NULL) return;
    strata_keys_free(&cursor->keys);
    st_arena_free(&cursor->memory);
    free(cursor);
}

/* ---- Reading ---------------------------------------------------------- */

/* Moves those that are there to the front. */
static size_t drop_gone(strata_row *rows, size_t count, uint64_t end) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (rows[i].block != NULL && rows[i].key < end) rows[kept++] = rows[i];
    return kept;
}

strata_status strata_query_next_rows(strata_query_cursor *cursor, strata_row *rows, size_t capacity, size_t *out_count,
                                     strata_error *error) {
    *out_count = 0;
    if (cursor == NULL) return st_fail(error, STRATA_MISUSE, 0, "the query is NULL: opening it failed");
    if (capacity == 0) return st_fail(error, STRATA_MISUSE, 0, "a query is asked for the next 0 rows");
    strata_status status = st_view_readable(cursor->view, error);
    while (status == STRATA_OK && *out_count == 0) {
        if (cursor->at == cursor->keys.count) status = find_piece(cursor, error);
        uint64_t left = cursor->keys.count - cursor->at;
        if (status != STRATA_OK) break;
        if (left == 0) return STRATA_END;
        size_t count = left < capacity ? (size_t)left : capacity;
        status = strata_rows_bind(cursor->view, cursor->query.table, cursor->keys.data + cursor->at, count, rows,
                                  error);
        if (status != STRATA_OK) break;
        cursor->at += count;
        *out_count = drop_gone(rows, count, cursor->end);
    }
    return status;
}
