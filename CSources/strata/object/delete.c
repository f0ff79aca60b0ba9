/* SPDX-License-Identifier: MIT
 * delete.c -- deleting objects. */
#include "base/status.h"
#include "collection/source_search.h"
#include "table/cell_value.h"
#include "table/link_index.h"
#include "value/mixed.h"
#include "write/cell_release.h"
#include "write/collection_open.h"
#include "write/flush.h"
#include "write/links_log.h"
#include "write/links_pending.h"
#include "write/primary.h"
#include "write/row_find.h"
#include "write/write_set.h"

/* ---- Links to the object ---------------------------------------------- */

static strata_status count_stored(strata_view *view, st_incoming from, uint32_t table, uint64_t key, uint64_t *out,
                                  strata_error *error) {
    const st_column *column = &view->catalog->tables[from.table].columns[from.column];
    uint8_t value[8];
    st_posting_range range = st_links_range(value, st_link_number(column, table, key));
    return st_postings_count(view->txn, st_link_set(column), &range, out, error);
}

/* How often a collection links to an object. */
static strata_status count_in_collection(strata_row *row, uint32_t column, uint32_t target, uint64_t key,
                                         uint64_t *out, strata_error *error) {
    st_source s;
    st_buffer scratch = { 0 };
    strata_value value;
    *out = 0;
    strata_status status = st_source_open(row, column, &s, error);
    for (uint64_t position = 0; status == STRATA_OK; position++) {
        status = st_source_find_link(&s, target, key, position, &scratch, &position, &value, error);
        if (status == STRATA_OK) *out += s.column->type == STRATA_LINK ? 1 : st_mixed_count_links(&value, target, key);
    }
    st_buffer_free(&scratch);
    return status == STRATA_NOT_FOUND ? STRATA_OK : status;
}

/* How many of the links through a column to an object are its own. */
static strata_status count_self(strata_view *view, st_incoming from, uint32_t table, uint64_t key, uint64_t *out,
                                strata_error *error) {
    st_pending *pending; /* making it pending first checks the block it is read from */
    strata_row row;
    *out = 0;
    if (from.table != table) return STRATA_OK;
    strata_status status = st_writes_edit(view, table, key, &pending, error);
    if (status == STRATA_OK) status = strata_row_bind(view, table, key, &row, error);
    if (status != STRATA_OK) return status;
    const st_column *column = &view->catalog->tables[table].columns[from.column];
    if (column->collection == STRATA_SINGLE && column->type == STRATA_MIXED) {
        st_row_ref at = { row.block, row.slot, key };
        strata_value value;
        status = st_cell_value(view, &view->catalog->tables[table], from.column, &at, &view->writes->scratch, &value,
                               error);
        if (status == STRATA_OK) *out = st_mixed_count_links(&value, table, key);
        return status;
    }
    if (column->collection != STRATA_SINGLE)
        return count_in_collection(&row, from.column, table, key, out, error);
    *out = strata_row_link(&row, from.column) == key;
    return STRATA_OK;
}

/* Reports that an object cannot be deleted since `links` others link to it, with one column as an example. */
static strata_status refuse(strata_view *view, uint32_t table, uint64_t key, int64_t links, strata_error *error) {
    const st_table *found = &view->catalog->tables[table];
    const char *origin = "", *property = "";
    strata_status status = st_writes_flush(view, error); /* the link indexes have every link then */
    for (uint32_t i = 0; i < found->incoming_count && status == STRATA_OK && origin[0] == 0; i++) {
        st_incoming from = found->incoming[i];
        uint64_t stored, self;
        status = count_stored(view, from, table, key, &stored, error);
        if (status == STRATA_OK) status = count_self(view, from, table, key, &self, error);
        if (status != STRATA_OK || stored <= self) continue;
        origin = view->catalog->tables[from.table].name;
        property = view->catalog->tables[from.table].columns[from.column].name;
    }
    if (status != STRATA_OK) return status;
    return st_fail(error, STRATA_REFERENCED, 0,
                   "object %llu of %s cannot be deleted: %lld links point to it, for example from %s.%s; unlink it "
                   "first",
                   (unsigned long long)key, found->name, (long long)links, origin, property);
}

static strata_status check_unreferenced(strata_view *view, uint32_t table, uint64_t key, strata_error *error) {
    const st_table *found = &view->catalog->tables[table];
    int64_t links;
    bool touched;
    if (found->incoming_count == 0) return STRATA_OK;
    st_row_ref row;
    strata_status status = st_view_row(view, table, key, &row, error);
    if (status == STRATA_OK) status = st_links_pending(view, table, key, &links, &touched, error);
    for (uint32_t i = 0; i < found->incoming_count && status == STRATA_OK; i++) {
        uint64_t stored;
        status = count_stored(view, found->incoming[i], table, key, &stored, error);
        links += (int64_t)stored;
    }
    if (status != STRATA_OK || links == 0) return status;
    for (uint32_t i = 0; i < found->incoming_count && status == STRATA_OK; i++) {
        uint64_t self;
        status = count_self(view, found->incoming[i], table, key, &self, error);
        links -= (int64_t)self;
    }
    if (status != STRATA_OK || links == 0) return status;
    return refuse(view, table, key, links, error);
}

/* ---- The row ---------------------------------------------------------- */

/* Gives up what the row has outside of it: links, collections, overflow values. */
static strata_status release_cells(strata_view *view, uint32_t number, const st_row_ref *row, st_edit *edits,
                                   strata_error *error) {
    const st_table *table = &view->catalog->tables[number];
    strata_status status = STRATA_OK;
    for (uint32_t c = 0; c < table->column_count && status == STRATA_OK; c++) {
        const st_column *column = &table->columns[c];
        if (column->type == STRATA_NULL) continue;
        if (column->collection != STRATA_SINGLE) {
            status = st_collection_release(view, column, c, row, edits, error);
        } else if (column->type == STRATA_MIXED) {
            status = st_mixed_release(view, table, row, c, error);
        } else if (column->type == STRATA_LINK) {
            uint64_t target = strata_block_link(row->block, strata_block_entry(row->block, c), row->slot);
            if (target != 0) status = st_links_log(view, column, target, row->key, false, error);
        }
        if (status == STRATA_OK) status = st_cell_drop(view, table, row, c, error);
    }
    return status;
}

/* The row is read in the write set, or else where it is stored. */
static strata_status delete_row(strata_view *view, uint32_t table, uint64_t key, strata_error *error) {
    st_row_ref row;
    st_edit *edits = NULL;
    st_table_writes *writes;
    strata_status status = st_writes_table(view, table, &writes, error);
    st_pending *entry = st_writes_entry(view->writes, table, key);
    if (status == STRATA_OK && entry != NULL) {
        status = st_view_row(view, table, key, &row, error);
        edits = entry->edits;
    } else if (status == STRATA_OK) {
        status = st_writes_stored(view, table, key, &row, error);
    }
    if (status != STRATA_OK) return status;
    status = st_primary_release(view, table, &row, error);
    if (status == STRATA_OK) status = release_cells(view, table, &row, edits, error);
    if (status == STRATA_OK) status = st_writes_remove(view, table, key, error);
    if (status != STRATA_OK) {
        st_writes_fail(view->writes, status, error);
        return status;
    }
    st_change_log_note(&view->writes->log, STRATA_DELTA_DELETE, table, key, 0, 0, 0);
    writes->state.rows--;
    writes->state_changed = true;
    return st_writes_trim(view, error);
}

strata_status strata_object_delete(strata_view *view, uint32_t table, uint64_t key, strata_error *error) {
    strata_status status = st_writes_ready(view, error);
    if (status != STRATA_OK) return status;
    if (st_view_table(view, table, error) == NULL) return STRATA_MISUSE;
    if (key < 1 || key >= ST_KEY_MAX) return STRATA_NOT_FOUND;
    status = check_unreferenced(view, table, key, error);
    return status == STRATA_OK ? delete_row(view, table, key, error) : status;
}
