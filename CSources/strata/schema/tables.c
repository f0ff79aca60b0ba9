/* SPDX-License-Identifier: MIT
 * tables.c -- giving the tables of a catalog the columns and indexes that are declared. */
#include "schema/tables.h"

#include "base/status.h"
#include "posting/postings_apply.h"
#include "schema/change.h"
#include "schema/compare.h"
#include "schema/rows.h"
#include "schema/zeros.h"

/* ---- Columns ---------------------------------------------------------- */

static strata_status out_of_ids(const st_table *table, strata_error *error) {
    return st_fail(error, STRATA_INVALID_SCHEMA, 0,
                   "%s cannot get another index or link: the file has had %d of them over its life", table->name,
                   ST_MAX_IDS);
}

static strata_status drop_index(strata_view *view, st_column *column, strata_error *error) {
    if (column->index_id == 0) return STRATA_OK;
    strata_status status = st_postings_clear(view->txn, (st_posting_set){ ST_INDEX, column->index_id }, error);
    column->index_id = 0;
    st_view_trees_moved(view);
    return status;
}

strata_status st_schema_set_index(strata_view *view, st_catalog *catalog, uint32_t number, uint32_t column,
                                  strata_error *error) {
    st_table *table = &catalog->tables[number];
    st_column *found = &table->columns[column];
    bool wanted = found->type != STRATA_NULL && (found->flags & STRATA_COLUMN_INDEXED) != 0;
    if (!wanted) return drop_index(view, found, error);
    if (found->index_id != 0) return STRATA_OK;
    if (!st_catalog_new_id(catalog, &found->index_id)) return out_of_ids(table, error);
    st_index index = { .id = found->index_id, .column_count = 1, .columns = { column } };
    return st_schema_build_index(view, table, number, &index, error);
}

static strata_status add_column(st_catalog *catalog, st_table *table, const strata_column_spec *declared,
                                strata_error *error) {
    st_column *column = st_catalog_add_column(table, declared->name);
    if (column == NULL) return st_no_memory(error, "changing the schema");
    column->type = declared->type;
    column->collection = declared->collection;
    if (declared->type == STRATA_LINK) column->target = st_catalog_find(catalog, declared->target);
    if (declared->type == STRATA_LINK || declared->type == STRATA_MIXED) {
        if (!st_catalog_new_id(catalog, &column->link_id)) return out_of_ids(table, error);
    }
    return STRATA_OK;
}

/* Gives a column the flags that are declared, but for the primary key. An index of a column that may be null from now
 * on is built again, since its entries look different. */
static strata_status set_flags(strata_view *view, const st_table *table, uint32_t column, uint32_t flags,
                               strata_error *error) {
    st_column *found = &table->columns[column];
    uint32_t primary = table->primary == column ? found->flags & STRATA_COLUMN_PRIMARY : 0;
    bool renulled = ((found->flags ^ flags) & STRATA_COLUMN_NULLABLE) != 0;
    found->flags = (flags & ~(uint32_t)STRATA_COLUMN_PRIMARY) | primary;
    return renulled ? drop_index(view, found, error) : STRATA_OK;
}

/* Lets a declared column be there. One whose values cannot stay goes, and an empty one of its name comes. */
static strata_status lay_out_column(strata_view *view, st_catalog *catalog, uint32_t number,
                                    const strata_column_spec *declared, strata_error *error) {
    st_table *table = &catalog->tables[number];
    strata_status status = STRATA_OK;
    uint32_t column = st_table_find(table, declared->name);
    if (column != ST_NONE && st_schema_column_change(catalog, &table->columns[column], declared) == ST_COLUMN_RETYPED) {
        status = st_schema_drop_column(view, table, number, column, error);
        column = ST_NONE;
    }
    if (status == STRATA_OK && column == ST_NONE) {
        column = table->column_count;
        status = add_column(catalog, table, declared, error);
    }
    return status == STRATA_OK ? set_flags(view, table, column, st_schema_flags(declared), error) : status;
}

/* ---- Compound indexes ------------------------------------------------- */

/* Whether a stored compound index can stay: it is declared, and its entries look as before. */
static bool stays(const st_catalog *catalog, const st_table *table, const st_index *index,
                  const strata_table_spec *declared) {
    if (!st_schema_declares_index(table, index, declared)) return false;
    for (uint32_t i = 0; i < index->column_count; i++) {
        const st_column *stored = &table->columns[index->columns[i]];
        for (uint32_t c = 0; c < declared->column_count; c++)
            if (strcmp(declared->columns[c].name, stored->name) == 0 &&
                st_schema_column_change(catalog, stored, &declared->columns[c]) != ST_COLUMN_SAME)
                return false;
    }
    return true;
}

/* Drops the compound indexes that do not stay, so also those of columns that are about to be dropped. */
static strata_status drop_compounds(strata_view *view, const st_catalog *catalog, st_table *table,
                                    const strata_table_spec *declared, strata_error *error) {
    strata_status status = STRATA_OK;
    for (uint32_t i = table->compound_count; i-- > 0 && status == STRATA_OK;) {
        if (stays(catalog, table, &table->indexes[i], declared)) continue;
        status = st_schema_drop_compound(view, table, i, error);
    }
    return status;
}

static bool has_compound(const st_table *table, const strata_index_spec *declared) {
    for (uint32_t i = 0; i < table->compound_count; i++)
        if (st_schema_same_index(table, &table->indexes[i], declared)) return true;
    return false;
}

static strata_status add_compound(strata_view *view, st_catalog *catalog, uint32_t number,
                                  const strata_index_spec *declared, strata_error *error) {
    st_table *table = &catalog->tables[number];
    if (has_compound(table, declared)) return STRATA_OK;
    st_index *index = st_catalog_add_compound(table);
    if (index == NULL) return st_no_memory(error, "changing the schema");
    if (!st_catalog_new_id(catalog, &index->id)) return out_of_ids(table, error);
    index->column_count = declared->column_count;
    for (uint32_t i = 0; i < index->column_count; i++)
        index->columns[i] = st_table_find(table, declared->columns[i]);
    return st_schema_build_index(view, table, number, index, error);
}

/* ---- Laying out ------------------------------------------------------- */

static strata_status complete(st_catalog *catalog, strata_error *error) {
    return st_catalog_complete(catalog) ? STRATA_OK : st_no_memory(error, "changing the schema");
}

static void open_primary(st_table *table) {
    if (table->primary != ST_NONE) table->columns[table->primary].flags &= ~(uint32_t)STRATA_COLUMN_PRIMARY;
    table->primary = ST_NONE;
}

/* Stores the zeros that are left out of columns which may be null from now on. */
static strata_status store_zeros(strata_view *view, const st_catalog *catalog, uint32_t number,
                                 const strata_table_spec *declared, strata_error *error) {
    const st_table *table = &catalog->tables[number];
    uint32_t columns[STRATA_MAX_COLUMNS], count = 0;
    for (uint32_t c = 0; c < declared->column_count; c++) {
        uint32_t found = st_table_find(table, declared->columns[c].name);
        if (found == ST_NONE) continue;
        if (st_schema_column_change(catalog, &table->columns[found], &declared->columns[c]) == ST_COLUMN_NULLABLE)
            columns[count++] = found;
    }
    return st_schema_store_zeros(view, table, number, columns, count, error);
}

/* Indexes are built when all columns have their final flags. */
static strata_status lay_out_table(strata_view *view, st_catalog *catalog, uint32_t number,
                                   const strata_table_spec *declared, bool open, strata_error *error) {
    st_table *table = &catalog->tables[number];
    strata_status status = store_zeros(view, catalog, number, declared, error);
    if (status == STRATA_OK) status = drop_compounds(view, catalog, table, declared, error);
    if (open) open_primary(table);
    if ((declared->flags & STRATA_TABLE_EMBEDDED) == 0) table->flags &= ~(uint32_t)STRATA_TABLE_EMBEDDED;
    for (uint32_t c = 0; c < declared->column_count && status == STRATA_OK; c++)
        status = lay_out_column(view, catalog, number, &declared->columns[c], error);
    if (status == STRATA_OK && table->column_count > STRATA_MAX_COLUMNS)
        status = st_fail(error, STRATA_INVALID_SCHEMA, 0,
                         "%s has had more than %d columns over its life, counting those dropped", declared->name,
                         STRATA_MAX_COLUMNS);
    if (status == STRATA_OK) status = complete(catalog, error);
    for (uint32_t c = 0; c < table->column_count && status == STRATA_OK; c++)
        status = st_schema_set_index(view, catalog, number, c, error);
    return status;
}

strata_status st_schema_lay_out(strata_view *view, st_catalog *catalog, const strata_table_spec *tables,
                                uint32_t count, bool open, strata_error *error) {
    for (uint32_t t = 0; t < count; t++) {
        if (st_catalog_find(catalog, tables[t].name) != ST_NONE) continue;
        if (catalog->table_count >= STRATA_MAX_TABLES)
            return st_fail(error, STRATA_INVALID_SCHEMA, 0, "the file has reached its limit of %d tables",
                           STRATA_MAX_TABLES);
        if (st_catalog_add_table(catalog, tables[t].name, tables[t].flags) == NULL)
            return st_no_memory(error, "changing the schema");
    }
    strata_status status = complete(catalog, error);
    for (uint32_t t = 0; t < count && status == STRATA_OK; t++)
        status = lay_out_table(view, catalog, st_catalog_find(catalog, tables[t].name), &tables[t], open, error);
    return status == STRATA_OK ? complete(catalog, error) : status;
}

/* ---- Settling --------------------------------------------------------- */

static strata_status drop_columns(strata_view *view, st_table *table, uint32_t number,
                                  const strata_table_spec *declared, strata_error *error) {
    strata_status status = STRATA_OK;
    for (uint32_t c = 0; c < table->column_count && status == STRATA_OK; c++) {
        bool wanted = table->columns[c].type == STRATA_NULL;
        for (uint32_t k = 0; k < declared->column_count && !wanted; k++)
            wanted = strcmp(declared->columns[k].name, table->columns[c].name) == 0;
        if (!wanted) status = st_schema_drop_column(view, table, number, c, error);
    }
    return status;
}

static strata_status set_primary(strata_view *view, st_table *table, uint32_t number,
                                 const strata_table_spec *declared, strata_error *error) {
    uint32_t primary = ST_NONE;
    for (uint32_t c = 0; c < declared->column_count; c++)
        if ((declared->columns[c].flags & STRATA_COLUMN_PRIMARY) != 0)
            primary = st_table_find(table, declared->columns[c].name);
    if (primary == table->primary) return STRATA_OK;
    open_primary(table);
    table->primary = primary;
    if (primary == ST_NONE) return STRATA_OK;
    table->columns[primary].flags |= STRATA_COLUMN_PRIMARY;
    return st_schema_check_unique(view, table, number, primary, error);
}

static strata_status settle_table(strata_view *view, st_catalog *catalog, uint32_t number,
                                  const strata_table_spec *declared, strata_error *error) {
    st_table *table = &catalog->tables[number];
    strata_status status = set_primary(view, table, number, declared, error);
    if (status == STRATA_OK && table->flags != declared->flags)
        status = st_schema_check_owners(view, catalog, number, error);
    table->flags = declared->flags;
    for (uint32_t i = 0; i < declared->index_count && status == STRATA_OK; i++)
        status = add_compound(view, catalog, number, &declared->indexes[i], error);
    return status;
}

strata_status st_schema_settle(strata_view *view, st_catalog *catalog, const strata_table_spec *tables, uint32_t count,
                               strata_error *error) {
    strata_status status = STRATA_OK;
    for (uint32_t t = 0; t < count && status == STRATA_OK; t++) {
        uint32_t number = st_catalog_find(catalog, tables[t].name);
        status = drop_columns(view, &catalog->tables[number], number, &tables[t], error);
    }
    if (status == STRATA_OK) status = complete(catalog, error);
    for (uint32_t t = 0; t < count && status == STRATA_OK; t++)
        status = settle_table(view, catalog, st_catalog_find(catalog, tables[t].name), &tables[t], error);
    return status == STRATA_OK ? complete(catalog, error) : status;
}
