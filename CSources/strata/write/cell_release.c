/* SPDX-License-Identifier: MIT
 * cell_release.c -- giving up what a cell has outside of its row. */
#include "write/cell_release.h"

#include "collection/source.h"
#include "table/cell_value.h"
#include "write/element_write.h"
#include "write/links_log.h"
#include "write/write_set.h"

strata_status st_cell_drop(strata_view *view, const st_table *table, const st_row_ref *row, uint32_t column,
                           strata_error *error) {
    uint32_t entry = strata_block_entry(row->block, column);
    if (table->fields[column].packing != ST_PACK_BYTES || !strata_block_large(row->block, entry, row->slot))
        return STRATA_OK;
    st_blob found;
    if (!st_reference_open(view, &table->columns[column], row->key, st_block_bytes(row->block, entry, row->slot),
                           &found))
        return st_cell_damaged(table, column, row->key, error);
    bool single = table->columns[column].collection == STRATA_SINGLE;
    st_identities *identities = &view->writes->identities;
    return (single ? st_identity_drop_blob : st_identity_drop_collection)(identities, found.identity, error);
}

strata_status st_mixed_release(strata_view *view, const st_table *table, const st_row_ref *row, uint32_t column,
                               strata_error *error) {
    strata_value value;
    st_blob blob;
    strata_status status = st_cell_read(view, table, column, row, &value, &blob, error);
    if (status != STRATA_OK || (value.type != STRATA_LINK && value.type != STRATA_NESTED)) return status;
    status = st_cell_value(view, table, column, row, &view->writes->scratch, &value, error);
    if (status != STRATA_OK) return status;
    return st_links_log_value(view, &table->columns[column], &value, row->key, false, error);
}

/* Gives up all elements with their links, or only what is stored outside of them. */
static strata_status drop_elements(const st_source *s, uint64_t origin, bool links, strata_error *error) {
    strata_status (*drop)(strata_view *, const st_column *, const strata_value *, uint64_t, strata_error *) =
        links ? st_element_drop : st_element_drop_overflow;
    strata_value batch[ST_SOURCE_BATCH];
    strata_status status = STRATA_OK;
    for (uint64_t from = 0; status == STRATA_OK && from < s->count; from += ST_SOURCE_BATCH) {
        uint64_t count = s->count - from < ST_SOURCE_BATCH ? s->count - from : ST_SOURCE_BATCH;
        status = st_source_values(s, st_last_column(s), from, count, batch, error);
        for (uint64_t i = 0; i < count && status == STRATA_OK; i++)
            status = drop(s->view, s->column, &batch[i], origin, error);
    }
    return status;
}

strata_status st_collection_release(strata_view *view, const st_column *column, uint32_t number, const st_row_ref *row,
                                    st_edit *edits, strata_error *error) {
    st_source s;
    st_edit *edit = st_edit_find(edits, number);
    if (!st_element_has_bytes(column) && !st_element_links(column)) return STRATA_OK;
    strata_status status = STRATA_OK;
    if (edit != NULL) st_source_edited(view, column, row->key, edit, &s);
    else status = st_source_stored(view, column, row, &s, error);
    return status == STRATA_OK ? drop_elements(&s, row->key, st_element_links(column), error) : status;
}

strata_status st_stored_cell_drop(strata_view *view, const st_table *table, const st_row_ref *row, uint32_t column,
                                  strata_error *error) {
    const st_column *found = &table->columns[column];
    strata_status status = STRATA_OK;
    if (found->collection != STRATA_SINGLE) {
        st_source s;
        status = st_source_stored(view, found, row, &s, error);
        if (status == STRATA_OK && s.cell.identity != 0 && st_element_has_bytes(found))
            status = drop_elements(&s, row->key, false, error);
    }
    return status == STRATA_OK ? st_cell_drop(view, table, row, column, error) : status;
}
