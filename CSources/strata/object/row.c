/* SPDX-License-Identifier: MIT
 * row.c -- the row of an object: where it is, and single values of it. */
#include "base/status.h"
#include "block/block_pending.h"
#include "table/cell_value.h"
#include "write/cell_release.h"
#include "write/cell_set.h"
#include "write/flush.h"
#include "write/link_check.h"
#include "write/links_log.h"
#include "write/row_find.h"
#include "write/value_check.h"
#include "write/write_set.h"

strata_status strata_row_bind(strata_view *view, uint32_t table, uint64_t key, strata_row *row, strata_error *error) {
    *row = (strata_row){ .head = view == NULL ? NULL : &view->head, .key = key, .table = table };
    strata_status status = st_view_readable(view, error);
    if (status != STRATA_OK) return status;
    if (st_view_table(view, table, error) == NULL) return STRATA_MISUSE;
    st_row_ref at = { NULL, 0, key };
    if (key >= 1 && key < ST_KEY_MAX) status = st_view_row(view, table, key, &at, error);
    else status = STRATA_NOT_FOUND;
    if (status >= 0) st_row_point(row, view, table, &at);
    return status;
}

/* ---- Reading ---------------------------------------------------------- */

/* May the row be read? STRATA_NOT_FOUND if it is gone. */
static strata_status check_readable(const strata_row *row, strata_error *error) {
    if (st_row_current(row)) return STRATA_OK;
    strata_status status = st_view_readable(st_row_view(row), error);
    if (status != STRATA_OK) return status;
    if (row->block == NULL || row->epoch == 0) return STRATA_NOT_FOUND;
    return st_fail(error, STRATA_MISUSE, 0, "object %llu is read through a row from before a change or a refresh; call "
                   "strata_row_ready() first", (unsigned long long)row->key);
}

strata_status strata_row_get(const strata_row *row, uint32_t column, strata_value *out, strata_error *error) {
    const strata_view *view = st_row_view(row);
    *out = strata_null();
    const st_column *found = st_view_column(view, row->table, column, error);
    if (found == NULL) return STRATA_MISUSE;
    strata_status status = check_readable(row, error);
    if (status != STRATA_OK) return status;
    if (found->collection != STRATA_SINGLE)
        return st_fail(error, STRATA_MISUSE, 0, "%s is a %s; read it by the functions for collections", found->name,
                       st_collection_name(found->collection));
    st_row_ref at = { row->block, row->slot, row->key };
    st_blob blob;
    return st_cell_read(view, &view->catalog->tables[row->table], column, &at, out, &blob, error);
}

strata_status strata_row_read(const strata_row *row, uint32_t column, size_t offset, void *buffer, size_t size,
                              size_t *out_size, strata_error *error) {
    strata_view *view = st_row_view(row);
    *out_size = 0;
    const st_column *found = st_view_column(view, row->table, column, error);
    if (found == NULL) return STRATA_MISUSE;
    bool bytes = found->type == STRATA_STRING || found->type == STRATA_DATA || found->type == STRATA_MIXED;
    if (found->collection != STRATA_SINGLE || !bytes)
        return st_fail(error, STRATA_MISUSE, 0, "%s holds neither a string nor data", found->name);
    strata_status status = check_readable(row, error);
    if (status != STRATA_OK) return status;
    st_row_ref at = { row->block, row->slot, row->key };
    strata_value value;
    st_blob blob;
    status = st_cell_read(view, &view->catalog->tables[row->table], column, &at, &value, &blob, error);
    if (status != STRATA_OK) return status;
    if (value.type != STRATA_STRING && value.type != STRATA_DATA && value.type != STRATA_NESTED) return STRATA_OK;
    if (offset >= value.as.bytes.size) return STRATA_OK;
    size_t left = value.as.bytes.size - offset;
    if (size > left) size = left;
    if (blob.identity != 0) status = st_blob_read(view->txn, blob, offset, buffer, size, error);
    else if (size != 0) memcpy(buffer, (const uint8_t *)value.as.bytes.data + offset, size);
    if (status == STRATA_OK) *out_size = size;
    return status;
}

/* ---- Changing --------------------------------------------------------- */

/* Logs the change of a single link. */
static strata_status relink(strata_view *view, const st_column *column, const st_pending *pending, uint32_t number,
                            const strata_value *value, strata_error *error) {
    uint64_t before = strata_block_link(pending->block, strata_block_entry(pending->block, number), 0);
    uint64_t after = value->type == STRATA_NULL ? 0 : value->as.link;
    if (before == after) return STRATA_OK;
    strata_status status = STRATA_OK;
    if (after != 0) status = st_links_log(view, column, after, pending->key, true, error);
    if (status == STRATA_OK && before != 0) status = st_links_log(view, column, before, pending->key, false, error);
    return status;
}

/* The number of a cell whose update can be deferred; false if the cell has no number, or an index needs other cells of
 * the row, too. */
static bool plain_number(const st_table *table, uint32_t column, const strata_value *value, uint64_t *out) {
    *out = 0;
    switch (value->type) {
    case STRATA_BOOL: *out = value->as.boolean; break;
    case STRATA_INT: *out = (uint64_t)value->as.integer; break;
    case STRATA_DOUBLE:
    case STRATA_DATE: memcpy(out, &value->as.real, 8); break;
    case STRATA_FLOAT: memcpy(out, &value->as.single, 4); break;
    default: return false;
    }
    for (uint32_t i = 0; i < table->index_count; i++) {
        const st_index *index = &table->indexes[i];
        for (uint32_t j = 0; index->column_count > 1 && j < index->column_count; j++)
            if (index->columns[j] == column) return false;
    }
    return table->columns[column].type != STRATA_MIXED;
}

/* Changes the cell in a pending copy of the row. */
static strata_status set_pending(strata_view *view, strata_row *row, const st_table *table, uint32_t number,
                                 const strata_value *value, strata_error *error) {
    const st_column *column = &table->columns[number];
    st_pending *pending;
    strata_status status = st_writes_edit(view, row->table, row->key, &pending, error);
    if (status != STRATA_OK) return status;
    st_row_ref at = { pending->block, 0, pending->key };
    if (column->type == STRATA_LINK) status = relink(view, column, pending, number, value, error);
    if (column->type == STRATA_MIXED) {
        status = st_mixed_release(view, table, &at, number, error);
        if (status == STRATA_OK) status = st_links_log_value(view, column, value, pending->key, true, error);
        /* The log no longer agrees with the row. */
        if (status != STRATA_OK) st_writes_fail(view->writes, status, error);
    }
    if (status == STRATA_OK) status = st_cell_set(view, table, pending, number, value, error);
    if (status != STRATA_OK) return status;
    st_layout layout = st_table_layout(table);
    if (view->writes->log.on) st_pending_open(&layout, number, pending->block);
    at.block = pending->block; /* it may have moved */
    st_row_point(row, view, row->table, &at);
    return STRATA_OK;
}

strata_status strata_row_set(strata_row *row, uint32_t column, const strata_value *value, strata_error *error) {
    strata_view *view = st_row_view(row);
    strata_status status = st_writes_ready(view, error);
    if (status != STRATA_OK) return status;
    const st_column *found = st_view_column(view, row->table, column, error);
    if (found == NULL) return STRATA_MISUSE;
    const st_table *table = &view->catalog->tables[row->table];
    status = st_value_check(table, found, value, error);
    if (status != STRATA_OK) return status;
    if (found->collection != STRATA_SINGLE)
        return st_fail(error, STRATA_MISUSE, 0, "%s.%s is a %s; it is changed by the functions for collections",
                       table->name, found->name, st_collection_name(found->collection));
    if ((found->flags & STRATA_COLUMN_PRIMARY) != 0)
        return st_fail(error, STRATA_MISUSE, 0, "%s.%s is the primary key and never changes; create another object",
                       table->name, found->name);
    status = st_link_targets_check(view, table, found, value, error);
    if (status != STRATA_OK) return status;
    uint64_t number;
    bool deferred = false;
    if (plain_number(table, column, value, &number))
        status = st_writes_defer(view, row, column, number, &deferred, error);
    if (status == STRATA_OK && !deferred) status = set_pending(view, row, table, column, value, error);
    if (status != STRATA_OK) return status;
    st_change_log_note(&view->writes->log, STRATA_DELTA_ASSIGN, row->table, row->key, column, 0, 0);
    return st_writes_trim(view, error);
}
