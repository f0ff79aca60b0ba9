/* SPDX-License-Identifier: MIT
 * migration.c -- a write that brings a file to another schema, with the program in the middle of it. */
#include "strata_migration.h"

#include "base/sized.h"
#include "base/status.h"
#include "schema/apply.h"
#include "schema/change.h"
#include "schema/check.h"
#include "schema/edit.h"
#include "schema/history.h"
#include "schema/rows.h"
#include "schema/spec.h"
#include "schema/tables.h"
#include "schema/zeros.h"
#include "write/flush.h"
#include "write/write_set.h"

/* ---- Beginning -------------------------------------------------------- */

/* Whether the file, as the view shows it, is to be migrated; STRATA_NOT_FOUND if not. */
static strata_status decide(const strata_view *view, const strata_table_spec *tables, uint32_t count, uint64_t version,
                            strata_error *error) {
    uint64_t stored = strata_schema_version(view);
    if (version > STRATA_MAX_SCHEMA_VERSION)
        return st_fail(error, STRATA_INVALID_SCHEMA, 0, "the schema version %llu is too high: at most %llu",
                       (unsigned long long)version, (unsigned long long)STRATA_MAX_SCHEMA_VERSION);
    if (stored == STRATA_NO_SCHEMA || stored == version) return STRATA_NOT_FOUND;
    if (version < stored) return st_schema_refuse_newer(view, version, error);
    strata_status status = st_schema_check(view->catalog, tables, count, error);
    if (status != STRATA_OK) return status;
    bool shares = view->catalog->table_count == 0;
    for (uint32_t t = 0; t < count && !shares; t++) shares = st_catalog_find(view->catalog, tables[t].name) != ST_NONE;
    return shares ? STRATA_OK : st_schema_leave_to_owner(view, version, error);
}

static strata_status lay_out(strata_view *view, const strata_table_spec *tables, uint32_t count, uint64_t version,
                             strata_error *error) {
    st_catalog *catalog;
    strata_status status = st_schema_edit_begin(view, &catalog, error);
    if (status != STRATA_OK) return status;
    view->writes->migration = ST_MIGRATION_OPEN;
    view->writes->migrates_to = version;
    status = st_schema_lay_out(view, catalog, tables, count, true, error);
    return st_schema_edit_end(view, catalog, status, error);
}

static strata_status begin(strata_view *view, const strata_table_spec *tables, uint32_t count, uint64_t version,
                           strata_error *error) {
    if (view->writes != NULL)
        return st_fail(error, STRATA_WRITING, 0, "a migration cannot begin inside a write transaction");
    strata_status status = strata_view_refresh(view, NULL, error);
    if (status == STRATA_OK) status = decide(view, tables, count, version, error);
    if (status == STRATA_OK) status = strata_view_begin(view, error);
    if (status != STRATA_OK) return status;
    status = decide(view, tables, count, version, error); /* another process may have been first */
    if (status == STRATA_OK) status = lay_out(view, tables, count, version, error);
    if (status != STRATA_OK) strata_view_cancel(view);
    return status;
}

strata_status strata_migration_begin_sized(strata_view *view, const strata_table_spec *tables, uint32_t count,
                                           uint64_t version, const strata_spec_sizes *sizes, strata_error *error) {
    st_arena memory = { 0 };
    strata_status status = st_view_check(view, error);
    if (status == STRATA_OK) status = st_specs_read(&memory, tables, count, sizes, &tables, error);
    if (status == STRATA_OK) status = begin(view, tables, count, version, error);
    st_arena_free(&memory);
    return status;
}

/* ---- Changing --------------------------------------------------------- */

static strata_status check_open(strata_view *view, const char *function, strata_error *error) {
    strata_status status = st_writes_ready(view, error);
    if (status != STRATA_OK || view->writes->migration == ST_MIGRATION_OPEN) return status;
    return st_fail(error, STRATA_MISUSE, 0, "%s() needs a migration; begin one with strata_migration_begin()",
                   function);
}

/* A column that gets the name of another one takes its place: the flags are those of the other, too. */
static strata_status replace_column(strata_view *view, st_catalog *catalog, const strata_schema_change *change,
                                    strata_error *error) {
    uint32_t number = st_catalog_find(catalog, change->table);
    st_table *table = &catalog->tables[number];
    uint32_t from = st_table_find(table, change->column), to = st_table_find(table, change->new_name);
    st_column *old = &table->columns[from];
    const st_column target = table->columns[to];
    bool fits = old->type == target.type && old->collection == target.collection && old->target == target.target;
    uint32_t nulls = (old->flags ^ target.flags) & STRATA_COLUMN_NULLABLE;
    if (nulls != 0) fits = fits && (target.flags & STRATA_COLUMN_NULLABLE) != 0;
    if (!fits)
        return st_fail(error, STRATA_SCHEMA_MISMATCH, 0, "%s.%s cannot be renamed to %s: their types differ",
                       table->name, change->column, change->new_name);
    const strata_schema_change drop = { STRATA_DROP_COLUMN, change->table, change->new_name, NULL };
    strata_status status = st_schema_change(view, catalog, &drop, error);
    if (status == STRATA_OK) status = st_schema_change(view, catalog, change, error);
    if (status != STRATA_OK) return status;
    old = &table->columns[from];
    const uint32_t wanted = target.flags;
    if (nulls != 0) status = st_schema_store_zeros(view, table, number, &from, 1, error);
    if (status == STRATA_OK && nulls != 0) { /* the entries of an index look different */
        old->flags &= ~(uint32_t)STRATA_COLUMN_INDEXED;
        status = st_schema_set_index(view, catalog, number, from, error);
    }
    old->flags = wanted;
    if (status == STRATA_OK && !st_catalog_complete(catalog)) status = st_no_memory(error, "changing the schema");
    if (status == STRATA_OK) status = st_schema_set_index(view, catalog, number, from, error);
    if (status == STRATA_OK && !st_catalog_complete(catalog)) status = st_no_memory(error, "changing the schema");
    return status;
}

static bool replaces(const st_catalog *catalog, const strata_schema_change *change) {
    if (change->kind != STRATA_RENAME_COLUMN || change->table == NULL || change->column == NULL) return false;
    uint32_t number = st_catalog_find(catalog, change->table);
    if (number == ST_NONE || change->new_name == NULL || strcmp(change->column, change->new_name) == 0) return false;
    const st_table *table = &catalog->tables[number];
    return st_table_find(table, change->column) != ST_NONE && st_table_find(table, change->new_name) != ST_NONE;
}

strata_status strata_migration_change(strata_view *view, const strata_schema_change *change, strata_error *error) {
    st_catalog *catalog;
    strata_status status = check_open(view, "strata_migration_change", error);
    if (status == STRATA_OK && change == NULL)
        status = st_fail(error, STRATA_MISUSE, 0, "strata_migration_change() without a change");
    if (status == STRATA_OK) status = st_schema_edit_begin(view, &catalog, error);
    if (status != STRATA_OK) return status;
    status = replaces(catalog, change) ? replace_column(view, catalog, change, error)
                                       : st_schema_change(view, catalog, change, error);
    return st_schema_edit_end(view, catalog, status, error);
}

/* ---- Checking --------------------------------------------------------- */

static bool note_failure(void *context, uint64_t key, uint64_t other) {
    strata_failures *failures = context;
    if (failures->count < STRATA_MAX_FAILURES) {
        failures->keys[failures->count] = key;
        failures->others[failures->count] = other;
    }
    failures->count++;
    return true;
}

/* Whether the tables are those that were laid out. */
static strata_status check_tables(const st_catalog *catalog, const strata_table_spec *tables, uint32_t count,
                                  strata_error *error) {
    strata_status status = st_schema_check(catalog, tables, count, error);
    for (uint32_t t = 0; t < count && status == STRATA_OK; t++) {
        uint32_t number = st_catalog_find(catalog, tables[t].name);
        for (uint32_t c = 0; c < tables[t].column_count && status == STRATA_OK; c++) {
            const char *name = tables[t].columns[c].name;
            if (number == ST_NONE || st_table_find(&catalog->tables[number], name) == ST_NONE)
                status = st_fail(error, STRATA_MISUSE, 0, "%s.%s was not declared when the migration began",
                                 tables[t].name, name);
        }
    }
    return status;
}

static uint32_t declared_primary(const st_table *table, const strata_table_spec *declared) {
    for (uint32_t c = 0; c < declared->column_count; c++)
        if ((declared->columns[c].flags & STRATA_COLUMN_PRIMARY) != 0)
            return st_table_find(table, declared->columns[c].name);
    return ST_NONE;
}

static strata_status find_failures(strata_view *view, const strata_table_spec *declared,
                                   strata_migration_failures *out, strata_error *error) {
    uint32_t number = st_catalog_find(view->catalog, declared->name);
    if (number == ST_NONE)
        return st_fail(error, STRATA_MISUSE, 0, "%s was not declared when the migration began", declared->name);
    const st_table *table = &view->catalog->tables[number];
    uint32_t primary = declared_primary(table, declared);
    strata_status status = STRATA_OK;
    if (primary != ST_NONE && table->columns[primary].index_id != 0)
        status = st_schema_each_duplicate(view, table, primary, note_failure, &out->duplicates, error);
    if (status == STRATA_OK && (declared->flags & ~table->flags & STRATA_TABLE_EMBEDDED) != 0)
        status = st_schema_each_unowned(view, view->catalog, number, note_failure, &out->unowned, error);
    return status;
}

strata_status strata_migration_check_sized(strata_view *view, const strata_table_spec *tables, uint32_t count,
                                           uint32_t position, const strata_spec_sizes *sizes,
                                           strata_migration_failures *out, size_t size, strata_error *error) {
    st_arena memory = { 0 };
    strata_migration_failures found = { 0 };
    strata_status status = check_open(view, "strata_migration_check", error);
    if (status == STRATA_OK && position >= count)
        status = st_fail(error, STRATA_MISUSE, 0, "checking a migration: of %u tables there is none at %u", count,
                         position);
    if (status == STRATA_OK) status = st_specs_read(&memory, tables, count, sizes, &tables, error);
    if (status == STRATA_OK) status = check_tables(view->catalog, tables, count, error);
    if (status == STRATA_OK) status = st_writes_flush(view, error);
    if (status == STRATA_OK) status = find_failures(view, &tables[position], &found, error);
    st_arena_free(&memory);
    st_sized_write(out, size, &found, sizeof found);
    return status;
}

/* ---- Finishing -------------------------------------------------------- */

static strata_status settle(strata_view *view, const strata_schema_change *changes, uint32_t change_count,
                            const strata_table_spec *tables, uint32_t count, const char *name, strata_error *error) {
    st_catalog *catalog;
    strata_status status = st_schema_edit_begin(view, &catalog, error);
    if (status != STRATA_OK) return status;
    status = check_tables(catalog, tables, count, error);
    if (status == STRATA_OK) status = st_schema_settle(view, catalog, tables, count, error);
    for (uint32_t i = 0; i < change_count && status == STRATA_OK; i++)
        status = st_schema_change(view, catalog, &changes[i], error);
    status = st_schema_edit_end(view, catalog, status, error);
    if (status == STRATA_OK) status = st_schema_remember(view, view->writes->migrates_to, name, error);
    if (status == STRATA_OK) view->writes->migration = ST_MIGRATION_SETTLED;
    else st_writes_fail(view->writes, status, error);
    return status;
}

strata_status strata_migration_finish_sized(strata_view *view, const strata_schema_change *changes,
                                            uint32_t change_count, const strata_table_spec *tables, uint32_t count,
                                            const char *name, const strata_spec_sizes *sizes, strata_error *error) {
    st_arena memory = { 0 };
    strata_status status = check_open(view, "strata_migration_finish", error);
    if (status == STRATA_OK && change_count != 0 && changes == NULL)
        status = st_fail(error, STRATA_MISUSE, 0, "finishing a migration: %u changes without an address",
                         (unsigned)change_count);
    if (status == STRATA_OK) status = st_specs_read(&memory, tables, count, sizes, &tables, error);
    if (status == STRATA_OK) status = settle(view, changes, change_count, tables, count, name, error);
    st_arena_free(&memory);
    return status;
}
