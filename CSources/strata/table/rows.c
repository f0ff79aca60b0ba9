/* SPDX-License-Identifier: MIT
 * rows.c -- where many objects are, at once. */
#include "table/rows.h"

#include "table/block_cache.h"
#include "table/write_set.h"

/* The block that holds, or would hold, a row; has its head fetched. */
static strata_status find_block(strata_view *view, uint32_t table, st_row_ref *row, strata_error *error) {
    st_stored_block block;
    row->block = NULL;
    if (row->key < 1 || row->key >= ST_KEY_MAX) return STRATA_OK;
    if (view->writes != NULL && st_writes_entry(view->writes, table, row->key) != NULL) {
        strata_status status = st_view_row(view, table, row->key, row, error);
        return status < 0 ? status : STRATA_OK;
    }
    if (!st_block_cache_find(view, table, row->key, &block)) { /* which does not look at the block itself */
        strata_status status = st_view_block(view, table, row->key, &block, error);
        if (status != STRATA_OK) return status < 0 ? status : STRATA_OK;
    }
    __builtin_prefetch(block.data);
    row->block = block.data;
    return STRATA_OK;
}

/* The row in its block. */
static void find_slot(st_row_ref *row) {
    row->slot = 0;
    if (row->block == NULL || (row->block[1] & STRATA_BLOCK_PENDING) != 0) return;
    if (!st_block_find(row->block, row->key, &row->slot)) row->block = NULL;
}

strata_status st_rows_find(strata_view *view, uint32_t table, st_row_ref *rows, size_t count, strata_error *error) {
    for (size_t i = 0; i < count; i++) {
        strata_status status = find_block(view, table, &rows[i], error);
        if (status != STRATA_OK) return status;
    }
    for (size_t i = 0; i < count; i++) find_slot(&rows[i]);
    return STRATA_OK;
}

strata_status strata_rows_bind(strata_view *view, uint32_t table, const uint64_t *keys, size_t count, strata_row *rows,
                               strata_error *error) {
    strata_status status = st_view_readable(view, error);
    if (status == STRATA_OK && st_view_table(view, table, error) == NULL) status = STRATA_MISUSE;
    for (size_t done = 0; done < count && status == STRATA_OK;) {
        st_row_ref refs[ST_ROWS_AT_ONCE];
        size_t part = count - done < ST_ROWS_AT_ONCE ? count - done : ST_ROWS_AT_ONCE;
        for (size_t i = 0; i < part; i++) refs[i].key = keys[done + i];
        status = st_rows_find(view, table, refs, part, error);
        for (size_t i = 0; i < part && status == STRATA_OK; i++)
            st_row_point(&rows[done + i], view, table, &refs[i]);
        done += part;
    }
    return status;
}
