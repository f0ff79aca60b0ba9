/* SPDX-License-Identifier: MIT
 * clear.c -- deleting all objects of tables. */
#include "base/status.h"
#include "block/block_check.h"
#include "posting/postings_apply.h"
#include "store/tree.h"
#include "table/link_index.h"
#include "write/cell_release.h"
#include "write/flush.h"
#include "write/index.h"
#include "write/write_set.h"

static bool among(uint32_t table, const uint32_t *tables, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (tables[i] == table) return true;
    return false;
}

/* Refuses if a table that is not cleared links to one that is. */
static strata_status check_clearable(strata_view *view, const uint32_t *tables, uint32_t count, strata_error *error) {
    for (uint32_t i = 0; i < count; i++) {
        const st_table *table = &view->catalog->tables[tables[i]];
        for (uint32_t k = 0; k < table->incoming_count; k++) {
            st_incoming from = table->incoming[k];
            if (among(from.table, tables, count)) continue;
            const st_column *column = &view->catalog->tables[from.table].columns[from.column];
            st_posting_range all = { { NULL, 0 }, { NULL, 0 }, 0, 0 };
            uint8_t low[8], high[8];
            uint64_t links;
            if (column->type == STRATA_MIXED) { /* its index has links to other tables, too */
                st_store_big64(low, st_link_number(column, tables[i], 0));
                st_store_big64(high, st_link_number(column, tables[i], ST_KEY_MAX));
                all = (st_posting_range){ { low, 8 }, { high, 8 }, 0, UINT64_MAX };
            }
            strata_status status =
                st_postings_count(view->txn, st_link_set(column), &all, &links, error);
            if (status != STRATA_OK) return status;
            if (links != 0)
                return st_fail(error, STRATA_REFERENCED, 0, "%s cannot be cleared: %llu links of %s.%s point to it",
                               table->name, (unsigned long long)links, view->catalog->tables[from.table].name,
                               column->name);
        }
    }
    return STRATA_OK;
}

/* Deletes the blocks of a table, and drops what its rows have outside of them. */
static strata_status clear_rows(strata_view *view, uint32_t number, strata_error *error) {
    const st_table *table = &view->catalog->tables[number];
    st_layout layout = st_table_layout(table);
    for (;;) {
        st_stored_block stored;
        uint8_t key[8];
        strata_status status = st_view_block(view, number, 0, &stored, error);
        if (status != STRATA_OK) return status == STRATA_NOT_FOUND ? STRATA_OK : status;
        if (!st_block_valid((strata_bytes){ stored.data, stored.size }, &layout))
            return st_fail(error, STRATA_CORRUPT, 0, "the block of %s up to object %llu is damaged", table->name,
                           (unsigned long long)stored.bound);
        for (uint32_t c = 0; c < table->column_count; c++) {
            uint32_t entry = strata_block_entry(stored.data, c);
            if (table->fields[c].packing != ST_PACK_BYTES || (strata_entry_flags(entry) & STRATA_ENTRY_LARGE) == 0)
                continue;
            for (uint32_t i = 0; i < strata_block_rows(stored.data) && status == STRATA_OK; i++) {
                if (!strata_block_large(stored.data, entry, i)) continue;
                st_row_ref row = { stored.data, i, strata_block_key(stored.data, i) };
                status = st_stored_cell_drop(view, table, &row, c, error);
            }
        }
        if (status == STRATA_OK)
            status = st_tree_delete(view->txn, ST_ROWS, st_row_tree_key(key, number, stored.bound), error);
        view->tree_epoch++;
        if (status != STRATA_OK) return status;
    }
}

static strata_status clear_table(strata_view *view, uint32_t number, strata_error *error) {
    const st_table *table = &view->catalog->tables[number];
    st_table_writes *writes;
    strata_status status = st_writes_table(view, number, &writes, error);
    if (status == STRATA_OK) status = clear_rows(view, number, error);
    for (uint32_t i = 0; i < table->index_count && status == STRATA_OK; i++)
        status = st_postings_clear(view->txn, st_index_set(&table->indexes[i]), error);
    for (uint32_t c = 0; c < table->column_count && status == STRATA_OK; c++) {
        const st_column *column = &table->columns[c];
        if (column->link_id != 0)
            status = st_postings_clear(view->txn, st_link_set(column), error);
    }
    st_view_trees_moved(view);
    if (status != STRATA_OK) return status;
    writes->state.rows = writes->indexed_rows = 0;
    st_change_log_note(&view->writes->log, STRATA_DELTA_CLEAR, number, 0, 0, 0, 0);
    writes->state_changed = true;
    view->writes->dirty = true;
    return STRATA_OK;
}

strata_status strata_tables_clear(strata_view *view, const uint32_t *tables, uint32_t count, strata_error *error) {
    strata_status status = st_writes_ready(view, error);
    if (status == STRATA_OK && count != 0 && tables == NULL)
        status = st_fail(error, STRATA_MISUSE, 0, "clearing %u tables without an address", (unsigned)count);
    for (uint32_t i = 0; i < count && status == STRATA_OK; i++) {
        if (st_view_table(view, tables[i], error) == NULL) status = STRATA_MISUSE;
    }
    if (status == STRATA_OK) status = st_writes_flush(view, error);
    if (status == STRATA_OK) status = check_clearable(view, tables, count, error);
    if (status != STRATA_OK) return status;
    st_view_trees_will_move(view);
    for (uint32_t i = 0; i < count && status == STRATA_OK; i++) status = clear_table(view, tables[i], error);
    if (status != STRATA_OK) st_writes_fail(view->writes, status, error);
    return status;
}
