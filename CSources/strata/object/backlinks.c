/* SPDX-License-Identifier: MIT
 *
 * backlinks.c -- links between objects, and the index that answers who links to an object.
 *
 * Invariant: for every link column, the set of its link index equals the (target, origin) pairs of the stored
 * rows; together with the logged changes it equals those of the pending rows.
 */
#include <stdlib.h>

#include "base/status.h"
#include "value/mixed.h"
#include "write/collection_edit.h"
#include "write/write_set.h"

st_posting_range st_links_range(uint8_t value[8], uint64_t key) {
    st_store_big64(value, key);
    return st_posting_range_of((strata_bytes){ value, 8 });
}

static st_posting_set link_set(const st_column *column) { return (st_posting_set){ ST_LINKS, column->link_id }; }

/* ---- Logging ---------------------------------------------------------- */

strata_status st_links_log(strata_view *view, const st_column *column, uint64_t target, uint64_t origin, bool added,
                           strata_error *error) {
    uint8_t value[8];
    st_store_big64(value, target);
    st_posting_batch *batch = &view->writes->links[column->link_id];
    if (!st_posting_batch_add(batch, (strata_bytes){ value, 8 }, origin, added)) {
        view->writes->failed = true;
        return st_no_memory(error, "changing a link");
    }
    view->writes->links_logged++;
    view->writes->dirty = true;
    return STRATA_OK;
}

/* Logs or checks the links of one value. */
typedef struct link_walk {
    strata_view *view;
    const st_table *table;
    const st_column *column;
    uint64_t origin;
    bool added;
} link_walk;

static strata_status log_link(void *context, uint32_t table, uint64_t key, strata_error *error) {
    const link_walk *w = context;
    return st_links_log(w->view, w->column, st_link_number(w->column, table, key), w->origin, w->added, error);
}

strata_status st_links_log_value(strata_view *view, const st_column *column, const strata_value *value,
                                 uint64_t origin, bool added, strata_error *error) {
    link_walk walk = { view, NULL, column, origin, added };
    if (column->link_id == 0) return STRATA_OK;
    return st_mixed_links(value, log_link, &walk, error);
}

static strata_status check_link(void *context, uint32_t table, uint64_t key, strata_error *error) {
    const link_walk *w = context;
    const st_catalog *catalog = w->view->catalog;
    if (w->column->type == STRATA_LINK) return st_link_target_check(w->view, w->table, w->column, key, error);
    st_row_ref row;
    strata_status status = STRATA_NOT_FOUND;
    if (table < catalog->table_count && (catalog->tables[table].flags & STRATA_TABLE_EMBEDDED) != 0)
        return st_fail(error, STRATA_MISUSE, 0,
                       "%s.%s cannot link to %s: its objects are embedded and belong to one column of their own type",
                       w->table->name, w->column->name, catalog->tables[table].name);
    if (table < catalog->table_count && key >= 1 && key < ST_KEY_MAX)
        status = st_view_row(w->view, table, key, &row, error);
    if (status != STRATA_NOT_FOUND) return status;
    return st_fail(error, STRATA_MISUSE, 0, "%s.%s cannot link to object %llu of %s: there is no such object",
                   w->table->name, w->column->name, (unsigned long long)key,
                   table < catalog->table_count ? catalog->tables[table].name : "a table that does not exist");
}

strata_status st_link_targets_check(strata_view *view, const st_table *table, const st_column *column,
                                    const strata_value *value, strata_error *error) {
    link_walk walk = { view, table, column, 0, false };
    if (column->link_id == 0) return STRATA_OK;
    return st_mixed_links(value, check_link, &walk, error);
}

strata_status st_link_target_check(strata_view *view, const st_table *table, const st_column *column, uint64_t key,
                                   strata_error *error) {
    st_row_ref row;
    strata_status status = STRATA_NOT_FOUND;
    if (key >= 1 && key < ST_KEY_MAX) status = st_view_row(view, column->target, key, &row, error);
    if (status != STRATA_NOT_FOUND) return status;
    return st_fail(error, STRATA_MISUSE, 0, "%s.%s cannot link to object %llu of %s: there is no such object",
                   table->name, column->name, (unsigned long long)key, view->catalog->tables[column->target].name);
}

/* ---- Pending counts --------------------------------------------------- *
 * Counted only when somebody asks, since most writes never do.
 */

static uint64_t mix(uint64_t key) {
    key *= UINT64_C(0x9E3779B97F4A7C15);
    return key ^ key >> 29;
}

static st_link_count *count_slot(st_link_count *counts, size_t size, uint64_t target) {
    size_t at = mix(target) & (size - 1);
    while (counts[at].target != 0 && counts[at].target != target) at = (at + 1) & (size - 1);
    return &counts[at];
}

static bool grow_counts(st_write_set *writes) {
    if ((writes->counts_used + 1) * 2 <= writes->counts_size) return true;
    size_t size = writes->counts_size == 0 ? 64 : 2 * writes->counts_size;
    st_link_count *counts = calloc(size, sizeof *counts);
    if (counts == NULL) return false;
    for (size_t i = 0; i < writes->counts_size; i++) {
        if (writes->link_counts[i].target != 0)
            *count_slot(counts, size, writes->link_counts[i].target) = writes->link_counts[i];
    }
    free(writes->link_counts);
    writes->link_counts = counts;
    writes->counts_size = size;
    return true;
}

static bool count_change(st_write_set *writes, uint64_t target, bool added) {
    if (!grow_counts(writes)) return false;
    st_link_count *slot = count_slot(writes->link_counts, writes->counts_size, target);
    if (slot->target == 0) writes->counts_used++;
    slot->target = target;
    slot->change += added ? 1 : -1;
    return true;
}

/* A target of any table as one number; 0 is no target since object keys start at 1. */
static uint64_t target_id(uint32_t table, uint64_t key) { return (uint64_t)table << 48 | key; }

static bool count_batch(st_write_set *writes, const st_column *column) {
    const st_posting_batch *batch = &writes->links[column->link_id];
    size_t *counted = &writes->links_counted[column->link_id];
    for (; *counted < batch->count; (*counted)++) {
        const st_posting_change *change = &batch->changes[*counted];
        uint64_t target = st_load_big64(st_posting_change_value(change).data);
        if (column->type == STRATA_LINK) target = target_id(column->target, target);
        if (!count_change(writes, target, st_posting_change_added(change))) return false;
    }
    return true;
}

strata_status st_links_pending(strata_view *view, uint32_t table, uint64_t key, int64_t *change, bool *touched,
                               strata_error *error) {
    st_write_set *writes = view->writes;
    const st_table *target = &view->catalog->tables[table];
    *change = 0;
    *touched = false;
    for (uint32_t i = 0; i < target->incoming_count; i++) {
        st_incoming from = target->incoming[i];
        if (!count_batch(writes, &view->catalog->tables[from.table].columns[from.column]))
            return st_no_memory(error, "counting links");
    }
    if (writes->counts_size == 0) return STRATA_OK;
    const st_link_count *slot = count_slot(writes->link_counts, writes->counts_size, target_id(table, key));
    *touched = slot->target != 0;
    *change = slot->change;
    return STRATA_OK;
}

/* ---- Backlinks -------------------------------------------------------- */

/* The origin column of a backlink question, checked against the target's table. */
static const st_column *origin_of(strata_view *view, uint32_t table, uint32_t origin_table, uint32_t origin_column,
                                  strata_error *error) {
    const st_column *column = st_view_column(view, origin_table, origin_column, error);
    if (column == NULL || st_view_table(view, table, error) == NULL) return NULL;
    if (column->link_id != 0 && (column->type == STRATA_MIXED || column->target == table)) return column;
    st_fail(error, STRATA_MISUSE, 0, "%s.%s does not link to %s", view->catalog->tables[origin_table].name,
            column->name, view->catalog->tables[table].name);
    return NULL;
}

/* Brings the link index up to date with what is pending for this object. */
static strata_status settle(strata_view *view, uint32_t table, uint64_t key, strata_error *error) {
    strata_status status = st_view_readable(view, error);
    if (status != STRATA_OK || view->writes == NULL) return status;
    status = st_writes_ready(view, error);
    if (status != STRATA_OK) return status;
    int64_t change;
    bool touched;
    status = st_links_pending(view, table, key, &change, &touched, error);
    return status == STRATA_OK && touched ? st_writes_flush(view, error) : status;
}

strata_status strata_backlinks_count(strata_view *view, uint32_t table, uint64_t key, uint32_t origin_table,
                                     uint32_t origin_column, uint64_t *out, strata_error *error) {
    *out = 0;
    const st_column *column = origin_of(view, table, origin_table, origin_column, error);
    if (column == NULL) return STRATA_MISUSE;
    strata_status status = settle(view, table, key, error);
    if (status != STRATA_OK) return status;
    uint8_t value[8];
    st_store_big64(value, st_link_number(column, table, key));
    return st_postings_count_value(view->txn, link_set(column), (strata_bytes){ value, sizeof value }, &view->links,
                                   view->tree_epoch, out, error);
}

strata_status st_links_settle(strata_view *view, uint32_t table, uint64_t key, uint32_t origin_table,
                              uint32_t origin_column, st_posting_set *out, strata_error *error) {
    const st_column *column = origin_of(view, table, origin_table, origin_column, error);
    if (column == NULL) return STRATA_MISUSE;
    *out = link_set(column);
    return settle(view, table, key, error);
}

/* ---- Unlinking -------------------------------------------------------- */

enum { UNLINK_BATCH = 1024 };

/* Takes the links to an object out of a mixed cell. */
static strata_status clear_mixed(strata_row *row, uint32_t number, uint32_t table, uint64_t target,
                                 strata_error *error) {
    strata_view *view = st_row_view(row);
    st_row_ref at = { row->block, row->slot, row->key };
    strata_value value, without;
    strata_nested *builder = strata_nested_make();
    if (builder == NULL) return st_no_memory(error, "unlinking an object");
    strata_status status = st_cell_value(view, &view->catalog->tables[row->table], number, &at,
                                         &view->writes->scratch, &value, error);
    const char *flaw = status == STRATA_OK ? st_mixed_flaw(&value, view->catalog->table_count) : NULL;
    if (flaw != NULL)
        status = st_fail(error, STRATA_CORRUPT, 0, "object %llu of %s has a value that %s",
                         (unsigned long long)row->key, view->catalog->tables[row->table].name, flaw);
    if (status == STRATA_OK && st_mixed_count_links(&value, table, target) != 0) {
        status = st_mixed_unlink(&value, table, target, builder, &without, error);
        if (status == STRATA_OK) status = strata_row_set(row, number, &without, error);
    }
    strata_nested_free(builder);
    return status;
}

static strata_status clear_link(strata_view *view, st_incoming from, uint64_t origin, uint32_t table,
                                uint64_t target, strata_error *error) {
    const st_column *column = &view->catalog->tables[from.table].columns[from.column];
    st_pending *pending; /* made pending first: that checks the block it is read from */
    strata_row row;
    strata_status status = st_writes_edit(view, from.table, origin, &pending, error);
    if (status == STRATA_OK) status = strata_row_bind(view, from.table, origin, &row, error);
    if (status != STRATA_OK) return status;
    if (column->collection == STRATA_SINGLE) {
        if (column->type == STRATA_MIXED) return clear_mixed(&row, from.column, table, target, error);
        if (strata_row_link(&row, from.column) != target) return STRATA_OK; /* a repeated entry */
        strata_value none = strata_null();
        return strata_row_set(&row, from.column, &none, error);
    }
    return st_collection_unlink(&row, from.column, table, target, error);
}

/* Clears the links through one column, some origins at a time. */
static strata_status unlink_column(strata_view *view, st_incoming from, uint32_t table, uint64_t target,
                                   strata_error *error) {
    const st_column *column = &view->catalog->tables[from.table].columns[from.column];
    uint64_t origins[UNLINK_BATCH], done = 0;
    uint8_t value[8];
    for (;;) {
        st_posting_range range = st_links_range(value, st_link_number(column, table, target));
        range.low_key = done;
        st_posting_cursor *cursor;
        size_t count = 0;
        strata_status status =
            st_posting_cursor_open(view->txn, link_set(column), &range, false, &cursor, error);
        if (status == STRATA_OK) status = st_posting_cursor_keys(cursor, origins, UNLINK_BATCH, &count, error);
        st_posting_cursor_close(cursor);
        if (status < 0) return status;
        if (count == 0) return STRATA_OK;
        uint64_t last = origins[count - 1];
        if (last < done || last >= ST_KEY_MAX) /* would go round for ever */
            return st_fail(error, STRATA_CORRUPT, 0, "the links of %s.%s are damaged",
                           view->catalog->tables[from.table].name, column->name);
        for (size_t i = 0; i < count; i++) {
            if (i > 0 && origins[i] == origins[i - 1]) continue;
            status = clear_link(view, from, origins[i], table, target, error);
            if (status < 0) return status;
        }
        done = last + 1;
    }
}

strata_status strata_object_unlink(strata_view *view, uint32_t table, uint64_t key, strata_error *error) {
    strata_status status = st_writes_ready(view, error);
    if (status != STRATA_OK) return status;
    const st_table *target = st_view_table(view, table, error);
    if (target == NULL) return STRATA_MISUSE;
    status = settle(view, table, key, error);
    if (status != STRATA_OK) return status;
    for (uint32_t i = 0; i < target->incoming_count && status == STRATA_OK; i++)
        status = unlink_column(view, target->incoming[i], table, key, error);
    if (status != STRATA_OK) view->writes->failed = true; /* some links may be gone already */
    return status;
}
