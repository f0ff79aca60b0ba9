/* SPDX-License-Identifier: MIT
 * row_find.c -- where the newest state of a row is. */
#include "write/row_find.h"

#include "write/write_set.h"

strata_status st_view_row(strata_view *view, uint32_t table, uint64_t key, st_row_ref *out, strata_error *error) {
    *out = (st_row_ref){ NULL, 0, key };
    if (view->writes != NULL) {
        st_pending *pending = st_writes_entry(view->writes, table, key);
        if (pending != NULL) {
            strata_status status = STRATA_OK;
            if (pending->deferred) status = st_writes_edit(view, table, key, &pending, error);
            out->block = pending->block;
            return status == STRATA_OK && pending->block == NULL ? STRATA_NOT_FOUND : status;
        }
    }
    st_stored_block block;
    strata_status status = st_view_block(view, table, key, &block, error);
    if (status != STRATA_OK) return status;
    if (!st_block_find(block.data, key, &out->slot)) return STRATA_NOT_FOUND;
    out->block = block.data;
    return STRATA_OK;
}

strata_status strata_row_reload(strata_row *row) {
    strata_view *view = st_row_view(row);
    strata_status status = st_view_readable(view, NULL);
    if (status != STRATA_OK) return status;

    st_row_ref at;
    status = row->table < view->catalog->table_count ? st_view_row(view, row->table, row->key, &at, NULL)
                                                     : STRATA_NOT_FOUND;
    if (status < 0) {
        row->block = NULL;
        row->epoch = 0;
        return status;
    }
    st_row_point(row, view, row->table, &at);
    return status;
}
