/* SPDX-License-Identifier: MIT
 * apply.c -- making a file hold the tables a program declares. */
#include "base/status.h"
#include "catalog/catalog_records.h"
#include "posting/postings_apply.h"
#include "schema/change.h"
#include "schema/check.h"
#include "schema/compare.h"
#include "schema/rows.h"
#include "schema/spec.h"
#include "write/index.h"

/* ---- Columns ---------------------------------------------------------- */

static strata_status out_of_ids(const st_table *table, strata_error *error) {
    return st_fail(error, STRATA_INVALID_SCHEMA, 0,
                   "%s cannot get another index or link: the file has had %d of them over its life", table->name,
                   ST_MAX_IDS);
}

static strata_status set_index(strata_view *view, st_catalog *catalog, st_table *table, uint32_t number,
                               uint32_t column, bool wanted, strata_error *error) {
    st_column *found = &table->columns[column];
    if (wanted == (found->index_id != 0)) return STRATA_OK;
    if (!wanted) {
        strata_status status = st_postings_clear(view->txn, (st_posting_set){ ST_INDEX, found->index_id }, error);
        found->index_id = 0;
        st_view_trees_moved(view);
        return status;
    }
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
    column->flags = st_schema_flags(declared);
    if (declared->type == STRATA_LINK) column->target = st_catalog_find(catalog, declared->target);
    if (declared->type == STRATA_LINK || declared->type == STRATA_MIXED) {
        if (!st_catalog_new_id(catalog, &column->link_id)) return out_of_ids(table, error);
    }
    return STRATA_OK;
}

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

/* Adds the columns that are missing. Indexes are built after that, when all columns have their final flags. */
static strata_status add_columns(strata_view *view, st_catalog *catalog, uint32_t number,
                                 const strata_table_spec *declared, strata_error *error) {
    st_table *table = &catalog->tables[number];
    strata_status status = STRATA_OK;
    uint32_t primary = table->primary;
    table->primary = ST_NONE;
    for (uint32_t c = 0; c < declared->column_count && status == STRATA_OK; c++) {
        uint32_t column = st_table_find(table, declared->columns[c].name);
        if (column == ST_NONE) {
            column = table->column_count;
            status = add_column(catalog, table, &declared->columns[c], error);
        }
        if (status != STRATA_OK) break;
        table->columns[column].flags = st_schema_flags(&declared->columns[c]);
        if ((declared->columns[c].flags & STRATA_COLUMN_PRIMARY) != 0) table->primary = column;
    }
    if (status == STRATA_OK && !st_catalog_complete(catalog)) status = st_no_memory(error, "changing the schema");
    for (uint32_t c = 0; c < table->column_count && status == STRATA_OK; c++) {
        if (table->columns[c].type == STRATA_NULL) continue;
        bool wanted = (table->columns[c].flags & STRATA_COLUMN_INDEXED) != 0;
        status = set_index(view, catalog, table, number, c, wanted, error);
    }
    if (status == STRATA_OK && table->primary != ST_NONE && table->primary != primary)
        status = st_schema_check_unique(view, table, table->primary, error);
    return status;
}

/* ---- Compound indexes ------------------------------------------------- */

/* Drops the compound indexes that are no longer declared, so also those of columns that are about to be dropped. */
static strata_status drop_compounds(strata_view *view, st_table *table, const strata_table_spec *declared,
                                    strata_error *error) {
    strata_status status = STRATA_OK;
    for (uint32_t i = table->compound_count; i-- > 0 && status == STRATA_OK;) {
        if (st_schema_declares_index(table, &table->indexes[i], declared)) continue;
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

/* ---- Tables ----------------------------------------------------------- */

static strata_status change_table(strata_view *view, st_catalog *catalog, uint32_t number,
                                  const strata_table_spec *declared, strata_error *error) {
    st_table *table = &catalog->tables[number];
    strata_status status = drop_compounds(view, table, declared, error);
    if (status == STRATA_OK) status = drop_columns(view, table, number, declared, error);
    if (status == STRATA_OK) status = add_columns(view, catalog, number, declared, error);
    if (status == STRATA_OK && table->column_count > STRATA_MAX_COLUMNS)
        status = st_fail(error, STRATA_INVALID_SCHEMA, 0,
                         "%s has had more than %d columns over its life, counting those dropped", declared->name,
                         STRATA_MAX_COLUMNS);
    for (uint32_t i = 0; i < declared->index_count && status == STRATA_OK; i++)
        status = add_compound(view, catalog, number, &declared->indexes[i], error);
    return status;
}

static strata_status change(strata_view *view, st_catalog *catalog, const strata_table_spec *tables, uint32_t count,
                            strata_error *error) {
    strata_status status = STRATA_OK;
    for (uint32_t t = 0; t < count; t++) {
        if (st_catalog_find(catalog, tables[t].name) != ST_NONE) continue;
        if (catalog->table_count >= STRATA_MAX_TABLES)
            return st_fail(error, STRATA_INVALID_SCHEMA, 0, "the file has reached its limit of %d tables",
                           STRATA_MAX_TABLES);
        if (st_catalog_add_table(catalog, tables[t].name, tables[t].flags) == NULL)
            return st_no_memory(error, "changing the schema");
    }
    if (!st_catalog_complete(catalog)) return st_no_memory(error, "changing the schema");
    for (uint32_t t = 0; t < count && status == STRATA_OK; t++) {
        uint32_t number = st_catalog_find(catalog, tables[t].name);
        status = change_table(view, catalog, number, &tables[t], error);
    }
    return status;
}

/* ---- Deciding --------------------------------------------------------- */

/* A program that shares no table with a file may add its own, but the version is that of the program whose tables they
 * are: with a higher one, that program could no longer open its file. */
static strata_status leave_to_owner(const strata_view *view, uint64_t stored, uint64_t version, strata_error *error) {
    const char *path = strata_store_path(view->store);
    return st_fail(error, STRATA_SCHEMA_MISMATCH, 0,
                   "%s belongs to another program: it holds %s and no class of this one, and with schema version %llu "
                   "instead of %llu that program could not open it any more. Open another file; to share this one, or "
                   "if these are the same classes under other names, open it with version %llu first",
                   *path == 0 ? "the store in memory" : path, view->catalog->tables[0].name,
                   (unsigned long long)version, (unsigned long long)stored, (unsigned long long)stored);
}

/* Refuses what this file, or this schema version, does not allow. */
static strata_status decide(const strata_view *view, const st_schema_difference *difference, uint64_t version,
                            strata_error *error) {
    uint64_t stored = strata_schema_version(view);
    const char *path = strata_store_path(view->store);
    bool fresh = stored == STRATA_NO_SCHEMA;
    if (!fresh && version < stored)
        return st_fail(error, STRATA_SCHEMA_OLD, 0,
                       "%s has schema version %llu, which is higher than the %llu of this program", path,
                       (unsigned long long)stored, (unsigned long long)version);
    bool is_foreign = !fresh && difference->shared_tables == 0 && view->catalog->table_count != 0;
    if (is_foreign && version > stored && !st_store_read_only(view->store))
        return leave_to_owner(view, stored, version, error);
    if (difference->retyped != 0)
        return st_fail(error, STRATA_SCHEMA_MISMATCH, 0,
                       "the schema of %s differs: %s. A type cannot be changed in place: give the property a new name",
                       path, difference->text);
    if (difference->columns != 0 && (fresh || version == stored))
        return st_fail(error, STRATA_SCHEMA_MISMATCH, 0,
                       "the schema of %s differs: %s. Raise the schema version above %llu to accept this", path,
                       difference->text, (unsigned long long)stored);
    return STRATA_OK;
}

/* Checks the declaration and compares it with a catalog; `*out_differs` if there is something to write.
 * `known`: the program has shown that it knows the tables of the file. */
static strata_status examine(strata_view *view, const st_catalog *catalog, const strata_table_spec *tables,
                             uint32_t count, uint64_t version, bool known, bool *out_differs, strata_error *error) {
    st_schema_difference difference;
    *out_differs = false;
    strata_status status = st_schema_check(catalog, tables, count, error);
    if (status != STRATA_OK) return status;
    st_schema_compare(catalog, tables, count, &difference);
    difference.shared_tables += known;
    status = decide(view, &difference, version, error);
    if (status != STRATA_OK) return status;
    *out_differs = difference.new_tables + difference.indexes + difference.columns != 0 ||
                   version != strata_schema_version(view);
    if (*out_differs && st_store_read_only(view->store)) {
        if (difference.new_tables != 0)
            return st_fail(error, STRATA_SCHEMA_MISMATCH, 0,
                           "%s is opened read-only and does not hold %s; leave that out of what is asked for, or open "
                           "the file for writing first", strata_store_path(view->store), difference.missing);
        *out_differs = false; /* versions and indexes do not matter to readers */
        if (difference.columns != 0)
            return st_fail(error, STRATA_SCHEMA_MISMATCH, 0, "%s is opened read-only and its schema differs: %s",
                           strata_store_path(view->store), difference.text);
    }
    return STRATA_OK;
}

/* What a program asks for. */
typedef struct wish {
    const strata_table_spec *tables;
    const strata_schema_change *changes; /* made before, if the version is raised */
    uint32_t count, change_count;
    uint64_t version;
} wish;

/* Are the changes still to be made? A file without a schema has nothing to change. */
static bool changes_wait(const strata_view *view, const wish *w) {
    uint64_t stored = strata_schema_version(view);
    return w->change_count != 0 && stored != STRATA_NO_SCHEMA && stored < w->version &&
           !st_store_read_only(view->store);
}

/* Makes the changes, in the writer. */
static strata_status write_schema(strata_view *view, const wish *w, strata_error *error) {
    bool differs;
    strata_status status = STRATA_OK;
    st_catalog *catalog = st_catalog_copy(view->catalog);
    if (catalog == NULL) return st_no_memory(error, "changing the schema");
    /* Another process may have been first. */
    uint32_t changes = changes_wait(view, w) ? w->change_count : 0;
    for (uint32_t i = 0; i < changes && status == STRATA_OK; i++)
        status = st_schema_change(view, catalog, &w->changes[i], error);
    if (status == STRATA_OK) status = examine(view, catalog, w->tables, w->count, w->version, changes != 0, &differs,
                                             error);
    if (status == STRATA_OK) status = change(view, catalog, w->tables, w->count, error);
    if (status == STRATA_OK) status = st_catalog_store(view->txn, catalog, error);
    if (status == STRATA_OK) st_txn_header(view->txn)->schema_version = w->version;
    st_catalog_free(catalog);
    return status;
}

static strata_status apply(strata_view *view, const wish *w, strata_error *error) {
    bool differs = true;
    if (view->writes != NULL)
        return st_fail(error, STRATA_WRITING, 0, "the schema cannot be changed inside a write transaction");
    if (w->version > STRATA_MAX_SCHEMA_VERSION)
        return st_fail(error, STRATA_INVALID_SCHEMA, 0,
                       "the schema version %llu is too high: at most %llu; count on from small numbers, since a "
                       "version can only be raised", (unsigned long long)w->version,
                       (unsigned long long)STRATA_MAX_SCHEMA_VERSION);
    strata_status status = strata_view_refresh(view, NULL, error);
    if (status == STRATA_OK && !changes_wait(view, w))
        status = examine(view, view->catalog, w->tables, w->count, w->version, false, &differs, error);
    if (status != STRATA_OK || !differs) return status;
    status = strata_view_begin(view, error);
    if (status != STRATA_OK) return status;
    status = write_schema(view, w, error);
    if (status == STRATA_OK) return strata_view_commit(view, error);
    strata_view_cancel(view);
    return status;
}

strata_status strata_schema_migrate_sized(strata_view *view, const strata_schema_change *changes,
                                          uint32_t change_count, const strata_table_spec *tables, uint32_t count,
                                          uint64_t version, const strata_spec_sizes *sizes, strata_error *error) {
    st_arena memory = { 0 };
    wish w = { tables, changes, count, change_count, version };
    strata_status status = st_view_check(view, error);
    if (status == STRATA_OK && change_count != 0 && changes == NULL)
        status = st_fail(error, STRATA_MISUSE, 0, "changing the schema: %u changes without an address",
                         (unsigned)change_count);
    if (status == STRATA_OK) status = st_specs_read(&memory, tables, count, sizes, &w.tables, error);
    if (status == STRATA_OK) status = apply(view, &w, error);
    st_arena_free(&memory);
    return status;
}

strata_status strata_schema_apply_sized(strata_view *view, const strata_table_spec *tables, uint32_t count,
                                        uint64_t version, const strata_spec_sizes *sizes, strata_error *error) {
    return strata_schema_migrate_sized(view, NULL, 0, tables, count, version, sizes, error);
}
