/* SPDX-License-Identifier: MIT
 * apply.c -- making a file hold the tables a program declares. */
#include "schema/apply.h"

#include "base/status.h"
#include "schema/change.h"
#include "schema/check.h"
#include "schema/compare.h"
#include "schema/edit.h"
#include "schema/history.h"
#include "schema/spec.h"
#include "schema/tables.h"
#include "write/write_set.h"

/* ---- Deciding --------------------------------------------------------- */

/* A program that shares no table with a file may add its own, but the version is that of the program whose tables they
 * are: with a higher one, that program could no longer open its file. */
strata_status st_schema_leave_to_owner(const strata_view *view, uint64_t version, strata_error *error) {
    uint64_t stored = strata_schema_version(view);
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
    bool fresh = stored == STRATA_NO_SCHEMA, reads = st_store_read_only(view->store);
    if (!fresh && version < stored && !reads) return st_schema_refuse_newer(view, version, error);
    bool is_foreign = !fresh && difference->shared_tables == 0 && view->catalog->table_count != 0;
    if (is_foreign && version > stored && !reads) return st_schema_leave_to_owner(view, version, error);
    if (difference->retyped != 0)
        return st_fail(error, STRATA_SCHEMA_MISMATCH, 0,
                       "the schema of %s differs: %s. A type is changed by a migration only, which can move the values",
                       path, difference->text);
    if (reads) return STRATA_OK;
    if (difference->columns + difference->extra != 0 && (fresh || version == stored))
        return st_fail(error, STRATA_SCHEMA_MISMATCH, 0,
                       "the schema of %s differs: %s. Raise the schema version above %llu to accept this", path,
                       difference->text, (unsigned long long)stored);
    return STRATA_OK;
}

/* Whether a file was written by a newer version of the program: then it may have more than that knows. */
static bool is_newer(const strata_view *view, uint64_t version) {
    uint64_t stored = strata_schema_version(view);
    return stored != STRATA_NO_SCHEMA && stored > version;
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
    *out_differs = difference.new_tables + difference.indexes + difference.columns + difference.extra != 0 ||
                   version != strata_schema_version(view);
    if (*out_differs && st_store_read_only(view->store)) {
        if (difference.new_tables != 0)
            return st_fail(error, STRATA_SCHEMA_MISMATCH, 0,
                           "%s is opened read-only and does not hold %s; leave that out of what is asked for, or open "
                           "the file for writing first", strata_store_path(view->store), difference.missing);
        *out_differs = false; /* versions and indexes do not matter to readers, nor what they do not ask for */
        if (difference.columns != 0 || (difference.extra != 0 && !is_newer(view, version)))
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
    st_catalog *catalog;
    strata_status status = st_schema_edit_begin(view, &catalog, error);
    if (status != STRATA_OK) return status;
    /* Another process may have been first. */
    uint32_t changes = changes_wait(view, w) ? w->change_count : 0;
    for (uint32_t i = 0; i < changes && status == STRATA_OK; i++)
        status = st_schema_change(view, catalog, &w->changes[i], error);
    if (status == STRATA_OK) status = examine(view, catalog, w->tables, w->count, w->version, changes != 0, &differs,
                                             error);
    if (status == STRATA_OK) status = st_schema_lay_out(view, catalog, w->tables, w->count, false, error);
    if (status == STRATA_OK) status = st_schema_settle(view, catalog, w->tables, w->count, error);
    status = st_schema_edit_end(view, catalog, status, error);
    return status == STRATA_OK ? st_schema_remember(view, w->version, NULL, error) : status;
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
