/* SPDX-License-Identifier: MIT
 * unlink.c -- removing all links to an object. */
#include "object/unlink.h"

#include "base/interrupt.h"
#include "base/status.h"
#include "collection/source_search.h"
#include "object/backlinks.h"
#include "object/collection_change.h"
#include "table/cell_value.h"
#include "value/mixed.h"
#include "write/write_set.h"

enum { UNLINK_BATCH = 1024 /* objects that link, at a time */ };

/* ---- In collections --------------------------------------------------- */

/* Removes the links to an object from the element at a position, which has some. */
static strata_status clear_element(const st_change *c, uint64_t position, const strata_value *value, uint32_t target,
                                   uint64_t key, strata_error *error) {
    uint64_t removed;
    if (value->type == STRATA_LINK && c->column->collection != STRATA_MAP)
        return st_change_remove(c, position, 1, &removed, error);
    strata_value without = strata_null();
    strata_nested *builder = strata_nested_make();
    if (builder == NULL) return st_no_memory(error, "unlinking an object");
    strata_status status = STRATA_OK;
    if (value->type != STRATA_LINK) status = st_mixed_unlink(value, target, key, builder, &without, error);
    if (status == STRATA_OK) status = st_change_set(c, position, &without, error);
    strata_nested_free(builder);
    return status;
}

static strata_status look(strata_interrupt *interrupt, uint64_t links, strata_error *error) {
    return st_interrupt_check_work(interrupt, links, "removing the links to an object", error);
}

/* Removes every link of a collection to an object: entries of lists and sets go, values of maps become null. */
static strata_status clear_collection(strata_row *row, uint32_t column, uint32_t target, uint64_t key,
                                      strata_interrupt *interrupt, strata_error *error) {
    st_buffer scratch = { 0 };
    strata_value value;
    strata_status status;
    for (uint64_t position = 0;;) {
        st_change c;
        st_source source;
        status = st_change_begin(row, column, STRATA_SINGLE, &c, error);
        if (status != STRATA_OK) break;
        st_source_edited(c.view, c.column, c.origin, c.edit, &source);
        status = st_source_find_link(&source, target, key, position, &scratch, &position, &value, error);
        if (status != STRATA_OK) break;
        status = st_change_end(c.view, clear_element(&c, position, &value, target, key, error), error);
        if (status == STRATA_OK) status = look(interrupt, 1, error);
        if (status != STRATA_OK) break;
    }
    st_buffer_free(&scratch);
    return status == STRATA_NOT_FOUND ? STRATA_OK : status;
}

/* ---- In cells --------------------------------------------------------- */

/* Removes the links to an object from a mixed cell. */
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

/* Removes the links of one object. */
static strata_status clear_link(strata_view *view, st_incoming from, uint64_t origin, uint32_t table, uint64_t target,
                                strata_interrupt *interrupt, strata_error *error) {
    const st_column *column = &view->catalog->tables[from.table].columns[from.column];
    st_pending *pending; /* making it pending first checks the block it is read from */
    strata_row row;
    strata_status status = st_writes_edit(view, from.table, origin, &pending, error);
    if (status == STRATA_OK) status = strata_row_bind(view, from.table, origin, &row, error);
    if (status != STRATA_OK) return status;
    if (column->collection == STRATA_SINGLE) {
        if (column->type == STRATA_MIXED) return clear_mixed(&row, from.column, table, target, error);
        if (strata_row_link(&row, from.column) != target) return STRATA_OK; /* it was cleared already */
        strata_value none = strata_null();
        return strata_row_set(&row, from.column, &none, error);
    }
    return clear_collection(&row, from.column, table, target, interrupt, error);
}

/* ---- Through all columns ---------------------------------------------- */

/* Removes the links through one column, those of some objects at a time. */
static strata_status unlink_column(strata_view *view, st_incoming from, uint32_t table, uint64_t target,
                                   strata_interrupt *interrupt, strata_error *error) {
    const st_column *column = &view->catalog->tables[from.table].columns[from.column];
    uint64_t origins[UNLINK_BATCH], done = 0;
    uint8_t value[8];
    for (;;) {
        st_posting_range range = st_links_range(value, st_link_number(column, table, target));
        range.low_key = done;
        st_posting_cursor *cursor;
        size_t count = 0;
        strata_status status =
            st_posting_cursor_open(view->txn, st_link_set(column), &range, false, &cursor, error);
        if (status == STRATA_OK) status = st_posting_cursor_keys(cursor, origins, UNLINK_BATCH, &count, error);
        st_posting_cursor_close(cursor);
        if (status >= 0) status = look(interrupt, count, error);
        if (status < 0) return status;
        if (count == 0) return STRATA_OK;
        uint64_t last = origins[count - 1];
        if (last < done || last >= ST_KEY_MAX) /* the walk would never end */
            return st_fail(error, STRATA_CORRUPT, 0, "the links of %s.%s are damaged",
                           view->catalog->tables[from.table].name, column->name);
        for (size_t i = 0; i < count; i++) {
            if (i > 0 && origins[i] == origins[i - 1]) continue;
            status = clear_link(view, from, origins[i], table, target, interrupt, error);
            if (status < 0) return status;
        }
        done = last + 1;
    }
}

strata_status strata_object_unlink(strata_view *view, uint32_t table, uint64_t key, strata_error *error) {
    return st_object_unlink(view, table, key, NULL, error);
}

strata_status st_object_unlink(strata_view *view, uint32_t table, uint64_t key, strata_interrupt *interrupt,
                               strata_error *error) {
    strata_status status = st_writes_ready(view, error);
    if (status != STRATA_OK) return status;
    const st_table *target = st_view_table(view, table, error);
    if (target == NULL) return STRATA_MISUSE;
    status = st_backlinks_flush(view, table, key, error);
    if (status != STRATA_OK) return status;
    for (uint32_t i = 0; i < target->incoming_count && status == STRATA_OK; i++)
        status = unlink_column(view, target->incoming[i], table, key, interrupt, error);
    if (status != STRATA_OK) st_writes_fail(view->writes, status, error); /* some links may be gone already */
    return status;
}
