/* SPDX-License-Identifier: MIT
 * hop.c -- from objects to those that they link to, and back. */
#include "observe/hop.h"

#include "base/status.h"

enum { BATCH = 64 };

static strata_status add(st_walker *w, st_key_set *out, uint64_t key) {
    return key == 0 || st_key_set_add(out, key, NULL) ? STRATA_OK : st_no_memory(w->error, "following links");
}

/* Who links to an object through a column. */
static strata_status add_origins(st_walker *w, uint32_t table, uint64_t key, uint32_t origin, uint32_t column,
                                 st_key_set *out) {
    strata_cursor *cursor;
    strata_row rows[BATCH];
    size_t count;
    strata_status status = strata_backlinks(w->view, table, key, origin, column, &cursor, w->error);
    if (status != STRATA_OK) return status;
    while (status == STRATA_OK) {
        status = strata_cursor_next_rows(cursor, rows, BATCH, &count, w->error);
        if (status != STRATA_OK) break;
        *w->rows_visited += count;
        for (size_t i = 0; i < count && status == STRATA_OK; i++) status = add(w, out, rows[i].key);
    }
    strata_cursor_close(cursor);
    return status < 0 ? status : STRATA_OK;
}

static strata_status add_link(st_walker *w, uint32_t target, const strata_value *value, st_key_set *out) {
    bool leads = value->type == STRATA_LINK && (value->table == target || value->table == 0);
    return leads ? add(w, out, value->as.link) : STRATA_OK;
}

/* To whom an object links through a column. */
static strata_status add_targets(st_walker *w, uint32_t table, uint64_t key, uint32_t column, uint32_t target,
                                 st_key_set *out) {
    strata_row row;
    strata_value values[BATCH];
    strata_status status = strata_row_bind(w->view, table, key, &row, w->error);
    if (status == STRATA_NOT_FOUND) return STRATA_OK;
    if (status != STRATA_OK) return status;
    ++*w->rows_visited;
    if (w->view->catalog->tables[table].columns[column].collection == STRATA_SINGLE) {
        status = strata_row_get(&row, column, values, w->error);
        return status == STRATA_OK ? add_link(w, target, values, out) : status;
    }
    uint64_t size = 0;
    status = strata_collection_size(&row, column, &size, w->error);
    for (uint64_t at = 0; at < size && status == STRATA_OK;) {
        uint64_t count = size - at < BATCH ? size - at : BATCH;
        status = strata_collection_get(&row, column, at, count, values, w->error);
        for (uint64_t i = 0; i < count && status == STRATA_OK; i++) status = add_link(w, target, &values[i], out);
        at += count;
    }
    return status;
}

strata_status st_hop_forward(st_walker *w, const st_hop *hop, uint64_t key, st_key_set *out) {
    if (hop->origin != ST_NONE) return add_origins(w, hop->table, key, hop->origin, hop->column, out);
    return add_targets(w, hop->table, key, hop->column, hop->target, out);
}

strata_status st_hop_backward(st_walker *w, const st_hop *hop, uint64_t key, st_key_set *out) {
    if (hop->origin != ST_NONE) return add_targets(w, hop->origin, key, hop->column, hop->table, out);
    return add_origins(w, hop->target, key, hop->table, hop->column, out);
}

bool st_hop_concerns(const st_hop *hop, const strata_delta *delta) {
    if (delta->table != hop->table || delta->kind < STRATA_DELTA_ASSIGN) return false;
    bool incoming = delta->kind == STRATA_DELTA_LINKED;
    if (hop->column == ST_NONE) return !incoming;
    if (delta->column != hop->column || incoming != (hop->origin != ST_NONE)) return false;
    return !incoming || delta->position == hop->origin;
}
