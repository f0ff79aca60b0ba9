/* SPDX-License-Identifier: MIT
 * view.c -- what a view shows: its tables, and the blocks of their rows. */
#include "table/view.h"

#include "base/status.h"
#include "store/tree.h"

strata_status st_view_check(const strata_view *view, strata_error *error) {
    if (view == NULL)
        return st_fail(error, STRATA_MISUSE, 0,
                       "the view is NULL, or the row was never bound: opening or binding it failed, or was not tried");
    if (view->head.owner != strata_thread())
        return st_fail(error, STRATA_WRONG_THREAD, 0,
                       view->head.owner == ST_NO_THREAD
                           ? "a view that rests belongs to no thread; take it with strata_view_adopt() first"
                           : "a view is used on a thread that it does not belong to; open one view per thread");
    return st_store_check(view->store, error);
}

strata_status st_view_readable(const strata_view *view, strata_error *error) {
    strata_status status = st_view_check(view, error);
    if (status != STRATA_OK || view->txn != NULL) return status;
    return st_fail(error, STRATA_CLOSED, 0,
                       "the view has no snapshot, because it rested or an earlier call failed; refresh it first");
}

strata_status strata_view_set_interrupt(strata_view *view, strata_interrupt *interrupt, strata_error *error) {
    strata_status status = st_view_check(view, error);
    if (status == STRATA_OK) view->interrupt = interrupt;
    return status;
}

const st_table *st_view_table(const strata_view *view, uint32_t table, strata_error *error) {
    if (view == NULL) {
        st_view_check(view, error);
        return NULL;
    }
    if (table < view->catalog->table_count) return &view->catalog->tables[table];
    st_fail(error, STRATA_MISUSE, 0, "there is no table %u; the store has %u", table, view->catalog->table_count);
    return NULL;
}

const st_column *st_view_column(const strata_view *view, uint32_t table, uint32_t column, strata_error *error) {
    const st_table *found = st_view_table(view, table, error);
    if (found == NULL) return NULL;
    if (column < found->column_count && found->columns[column].type != STRATA_NULL) return &found->columns[column];
    st_fail(error, STRATA_MISUSE, 0, "%s has no column %u", found->name, column);
    return NULL;
}

void st_view_trees_moved(strata_view *view) {
    view->tree_epoch++;
    view->head.epoch++;
}

/* ---- Blocks of rows --------------------------------------------------- */

/* Remembers the block that was looked at last. All keys from `low` to its bound belong to it. */
static void remember_last(strata_view *view, uint32_t table, uint64_t low, const st_stored_block *block) {
    view->last.block = *block;
    view->last.epoch = view->tree_epoch;
    view->last.low = low;
    view->last.table = table;
}

/* Looks a block up in the tree. */
static strata_status search_block(strata_view *view, uint32_t table, uint64_t key, st_stored_block *out,
                                  strata_error *error) {
    uint8_t from[8];
    strata_bytes found, value;
    if (view->txn == NULL) return st_view_readable(view, error);
    strata_status status =
        st_tree_seek(view->txn, ST_ROWS, st_row_tree_key(from, table, key), &found, &value, error);
    if (status != STRATA_OK) return status;
    if (table >= view->catalog->table_count) { /* it is being added */
        if (found.size < 2 || memcmp(found.data, from, 2) != 0) return STRATA_NOT_FOUND;
        return st_fail(error, STRATA_CORRUPT, 0, "there are objects of table %u, which the catalog does not have",
                       (unsigned)table);
    }
    st_layout layout = st_table_layout(&view->catalog->tables[table]);
    return st_row_tree_entry(table, &layout, found, value, out, error);
}

strata_status st_view_block(strata_view *view, uint32_t table, uint64_t key, st_stored_block *out,
                            strata_error *error) {
    if (view->last.epoch == view->tree_epoch && view->last.table == table && key >= view->last.low &&
        key <= view->last.block.bound) {
        *out = view->last.block;
        return STRATA_OK;
    }
    if (!st_block_cache_find(view->blocks, view->tree_epoch, table, key, out)) {
        strata_status status = search_block(view, table, key, out, error);
        if (status != STRATA_OK) return status;
        st_block_cache_add(&view->blocks, view->tree_epoch, view->catalog->table_count, table, out, key);
    }
    uint64_t first = strata_block_first(out->data);
    remember_last(view, table, key < first ? key : first, out);
    return STRATA_OK;
}

