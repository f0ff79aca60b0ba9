/* SPDX-License-Identifier: MIT
 * rows.c -- finding many rows at once. */
#include "object/rows.h"

#include "base/status.h"
#include "store/tree.h"
#include "write/row_find.h"
#include "write/write_set.h"

/* An entry of the tree of rows, not looked at yet. */
typedef struct tree_entry {
    strata_bytes key, value;
} tree_entry;

/* Finds the block into which a row belongs: sets `row->block`, or `entry` to what the tree has if the block is not in
 * the cache of the view. Fetches the header of the block into the cache of the processor. */
static strata_status find_block(strata_view *view, uint32_t table, st_row_ref *row, tree_entry *entry,
                                strata_error *error) {
    uint8_t from[8];
    st_stored_block block;
    row->block = NULL;
    entry->value.data = NULL;
    if (row->key < 1 || row->key >= ST_KEY_MAX) return STRATA_OK;
    if (view->writes != NULL && st_writes_entry(view->writes, table, row->key) != NULL) {
        strata_status status = st_view_row(view, table, row->key, row, error);
        return status < 0 ? status : STRATA_OK;
    }
    if (st_block_cache_find(view->blocks, view->tree_epoch, table, row->key, &block)) {
        row->block = block.data;
        __builtin_prefetch(row->block);
        return STRATA_OK;
    }
    strata_status status = st_tree_seek(view->txn, ST_ROWS, st_row_tree_key(from, table, row->key), &entry->key,
                                        &entry->value, error);
    __builtin_prefetch(entry->value.data);
    return status < 0 ? status : STRATA_OK;
}

/* Reads an entry of the tree, and adds its block to the cache of the view. */
static strata_status enter_block(strata_view *view, uint32_t table, st_row_ref *row, const tree_entry *entry,
                                 strata_error *error) {
    st_stored_block block;
    bool cached = st_block_cache_find(view->blocks, view->tree_epoch, table, row->key, &block);
    if (!cached) { /* otherwise another row has added it */
        st_layout layout = st_table_layout(&view->catalog->tables[table]);
        strata_status status = st_row_tree_entry(table, &layout, entry->key, entry->value, &block, error);
        if (status != STRATA_OK) return status < 0 ? status : STRATA_OK;
        st_block_cache_add(&view->blocks, view->tree_epoch, view->catalog->table_count, table, &block, row->key);
    }
    row->block = block.data;
    return STRATA_OK;
}

/* Finds the row in its block. */
static void find_slot(st_row_ref *row) {
    row->slot = 0;
    if (row->block == NULL || (row->block[1] & STRATA_BLOCK_PENDING) != 0) return;
    if (!st_block_find(row->block, row->key, &row->slot)) row->block = NULL;
}

strata_status st_rows_find(strata_view *view, uint32_t table, st_row_ref *rows, size_t count, strata_error *error) {
    tree_entry entries[ST_ROWS_AT_ONCE];
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < count && status == STRATA_OK; i++)
        status = find_block(view, table, &rows[i], &entries[i], error);
    for (size_t i = 0; i < count && status == STRATA_OK; i++) {
        if (entries[i].value.data != NULL) status = enter_block(view, table, &rows[i], &entries[i], error);
        find_slot(&rows[i]);
    }
    return status;
}

strata_status strata_rows_bind(strata_view *view, uint32_t table, const uint64_t *keys, size_t count, strata_row *rows,
                               strata_error *error) {
    strata_status status = st_view_readable(view, error);
    if (status == STRATA_OK && st_view_table(view, table, error) == NULL) status = STRATA_MISUSE;
    if (status == STRATA_OK && count != 0 && (keys == NULL || rows == NULL))
        status = st_fail(error, STRATA_MISUSE, 0, "binding %zu rows without an address", count);
    for (size_t done = 0; done < count && status == STRATA_OK;) {
        st_row_ref refs[ST_ROWS_AT_ONCE];
        size_t some = count - done < ST_ROWS_AT_ONCE ? count - done : ST_ROWS_AT_ONCE;
        for (size_t i = 0; i < some; i++) refs[i].key = keys[done + i];
        status = st_rows_find(view, table, refs, some, error);
        for (size_t i = 0; i < some && status == STRATA_OK; i++)
            st_row_point(&rows[done + i], view, table, &refs[i]);
        done += some;
    }
    return status;
}
