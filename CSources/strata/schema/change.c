/* SPDX-License-Identifier: MIT
 * change.c -- tables and columns of a file that get other names, or go. */
#include "schema/change.h"

#include "base/status.h"
#include "posting/postings_apply.h"
#include "schema/check.h"
#include "schema/rows.h"
#include "store/tree.h"
#include "table/link_index.h"
#include "write/index.h"
#include "write/write_set.h"

/* ---- Names that are missing ------------------------------------------- */

static strata_status check_names(const strata_schema_change *change, strata_error *error) {
    bool of_column = change->kind == STRATA_RENAME_COLUMN || change->kind == STRATA_DROP_COLUMN;
    bool renames = change->kind == STRATA_RENAME_TABLE || change->kind == STRATA_RENAME_COLUMN;
    const char *what = change->table == NULL ? "the name of a table"
                       : of_column && change->column == NULL ? "the name of a column"
                       : renames && change->new_name == NULL ? "the new name" : NULL;
    if (what == NULL) return STRATA_OK;
    return st_fail(error, STRATA_MISUSE, 0, "changing the schema: a change without %s", what);
}

/* ---- Finding ---------------------------------------------------------- */

static strata_status find_table(const strata_view *view, const st_catalog *catalog, const strata_schema_change *change,
                                uint32_t *out, strata_error *error) {
    *out = st_catalog_find(catalog, change->table);
    if (*out != ST_NONE) return STRATA_OK;
    return st_fail(error, STRATA_SCHEMA_MISMATCH, 0, "changing the schema of %s: it has no table %s",
                   strata_store_path(view->store), change->table);
}

static strata_status find_column(const st_table *table, const strata_schema_change *change, uint32_t *out,
                                 strata_error *error) {
    *out = st_table_find(table, change->column);
    if (*out != ST_NONE) return STRATA_OK;
    return st_fail(error, STRATA_SCHEMA_MISMATCH, 0, "changing the schema: %s has no column %s", table->name,
                   change->column);
}

/* ---- Names ------------------------------------------------------------ */

static strata_status rename_table(const st_catalog *catalog, st_table *table, const char *name, strata_error *error) {
    strata_status status = st_schema_check_name("table", "", name, STRATA_MAX_TABLE_NAME, error);
    if (status != STRATA_OK) return status;
    if (st_catalog_find(catalog, name) != ST_NONE)
        return st_fail(error, STRATA_SCHEMA_MISMATCH, 0, "%s cannot be renamed: there is a table %s already",
                       table->name, name);
    memcpy(table->name, name, strlen(name) + 1);
    return STRATA_OK;
}

static strata_status rename_column(st_table *table, uint32_t column, const char *name, strata_error *error) {
    strata_status status = st_schema_check_name("column", table->name, name, STRATA_MAX_COLUMN_NAME, error);
    if (status != STRATA_OK) return status;
    if (st_table_find(table, name) != ST_NONE)
        return st_fail(error, STRATA_SCHEMA_MISMATCH, 0, "%s.%s cannot be renamed: there is a column %s already",
                       table->name, table->columns[column].name, name);
    memcpy(table->columns[column].name, name, strlen(name) + 1);
    return STRATA_OK;
}

/* ---- Dropping columns ------------------------------------------------- */

strata_status st_schema_drop_compound(strata_view *view, st_table *table, uint32_t position, strata_error *error) {
    strata_status status = st_postings_clear(view->txn, st_index_set(&table->indexes[position]), error);
    st_catalog_remove_compound(table, position);
    st_view_trees_moved(view);
    return status;
}

strata_status st_schema_drop_column(strata_view *view, st_table *table, uint32_t number, uint32_t column,
                                    strata_error *error) {
    strata_status status = st_schema_drop_cells(view, table, number, column, error);
    table->columns[column] = (st_column){ .target = ST_NONE };
    if (table->primary == column) table->primary = ST_NONE;
    return status;
}

static bool has_column(const st_index *index, uint32_t column) {
    for (uint32_t i = 0; i < index->column_count; i++)
        if (index->columns[i] == column) return true;
    return false;
}

static strata_status drop_column_and_indexes(strata_view *view, st_table *table, uint32_t number, uint32_t column,
                                             strata_error *error) {
    strata_status status = STRATA_OK;
    for (uint32_t i = table->compound_count; i-- > 0 && status == STRATA_OK;)
        if (has_column(&table->indexes[i], column)) status = st_schema_drop_compound(view, table, i, error);
    return status == STRATA_OK ? st_schema_drop_column(view, table, number, column, error) : status;
}

/* ---- Dropping tables -------------------------------------------------- */

/* Refuses if another table links to this one. A column of links is in the way even without links; a mixed column only
 * with them. */
static strata_status check_droppable(strata_view *view, const st_catalog *catalog, uint32_t number,
                                     strata_error *error) {
    const st_table *table = &catalog->tables[number];
    for (uint32_t i = 0; i < table->incoming_count; i++) {
        st_incoming from = table->incoming[i];
        if (from.table == number) continue;
        const st_table *origin = &catalog->tables[from.table];
        const st_column *column = &origin->columns[from.column];
        if (column->type == STRATA_LINK)
            return st_fail(error, STRATA_REFERENCED, 0, "%s cannot be dropped: %s.%s links to it; drop that first",
                           table->name, origin->name, column->name);
        uint8_t low[8], high[8];
        uint64_t links;
        st_store_big64(low, st_link_number(column, number, 0));
        st_store_big64(high, st_link_number(column, number, ST_KEY_MAX));
        st_posting_range all = { { low, 8 }, { high, 8 }, 0, UINT64_MAX };
        strata_status status = st_postings_count(view->txn, st_link_set(column), &all, &links, error);
        if (status != STRATA_OK) return status;
        if (links != 0)
            return st_fail(error, STRATA_REFERENCED, 0, "%s cannot be dropped: %llu links of %s.%s point to it",
                           table->name, (unsigned long long)links, origin->name, column->name);
    }
    return STRATA_OK;
}

/* Deletes the blocks of a table, whose columns are dropped. */
static strata_status delete_blocks(strata_view *view, uint32_t number, strata_error *error) {
    for (;;) {
        st_stored_block stored;
        uint8_t key[8];
        strata_status status = st_view_block(view, number, 0, &stored, error);
        if (status != STRATA_OK) return status == STRATA_NOT_FOUND ? STRATA_OK : status;
        status = st_tree_delete(view->txn, ST_ROWS, st_row_tree_key(key, number, stored.bound), error);
        st_view_trees_moved(view);
        if (status != STRATA_OK) return status;
    }
}

static strata_status count_no_rows(strata_view *view, uint32_t number, strata_error *error) {
    st_table_writes *writes;
    strata_status status = st_writes_table(view, number, &writes, error);
    if (status != STRATA_OK) return status;
    writes->state.rows = writes->indexed_rows = 0;
    writes->state_changed = view->writes->dirty = true;
    return STRATA_OK;
}

static strata_status drop_table(strata_view *view, st_catalog *catalog, uint32_t number, strata_error *error) {
    st_table *table = &catalog->tables[number];
    strata_status status = check_droppable(view, catalog, number, error);
    for (uint32_t i = table->compound_count; i-- > 0 && status == STRATA_OK;)
        status = st_schema_drop_compound(view, table, i, error);
    for (uint32_t c = 0; c < table->column_count && status == STRATA_OK; c++)
        if (table->columns[c].type != STRATA_NULL) status = st_schema_drop_column(view, table, number, c, error);
    if (status == STRATA_OK) status = delete_blocks(view, number, error);
    if (status == STRATA_OK) status = count_no_rows(view, number, error);
    if (status != STRATA_OK) return status;
    table->name[0] = 0;
    table->flags = table->column_count = 0;
    return STRATA_OK;
}

/* ---- Changes ---------------------------------------------------------- */

static strata_status change_column(strata_view *view, st_table *table, uint32_t number,
                                   const strata_schema_change *change, strata_error *error) {
    uint32_t column;
    strata_status status = find_column(table, change, &column, error);
    if (status != STRATA_OK) return status;
    if (change->kind == STRATA_RENAME_COLUMN) return rename_column(table, column, change->new_name, error);
    return drop_column_and_indexes(view, table, number, column, error);
}

strata_status st_schema_change(strata_view *view, st_catalog *catalog, const strata_schema_change *change,
                               strata_error *error) {
    uint32_t number;
    strata_status status = check_names(change, error);
    if (status == STRATA_OK) status = find_table(view, catalog, change, &number, error);
    if (status != STRATA_OK) return status;
    st_table *table = &catalog->tables[number];
    switch (change->kind) {
    case STRATA_RENAME_TABLE: status = rename_table(catalog, table, change->new_name, error); break;
    case STRATA_RENAME_COLUMN:
    case STRATA_DROP_COLUMN: status = change_column(view, table, number, change, error); break;
    case STRATA_DROP_TABLE: status = drop_table(view, catalog, number, error); break;
    default:
        return st_fail(error, STRATA_MISUSE, 0, "changing the schema: %u is no kind of a change",
                       (unsigned)change->kind);
    }
    if (status == STRATA_OK && !st_catalog_complete(catalog)) status = st_no_memory(error, "changing the schema");
    return status;
}
