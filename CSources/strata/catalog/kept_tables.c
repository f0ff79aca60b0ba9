/* SPDX-License-Identifier: MIT
 * kept_tables.c -- the tables that a view does not let go of. */
#include "catalog/kept_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"

st_kept_tables *st_kept_tables_make(const st_catalog *catalog, const uint32_t *tables, const uint32_t *columns,
                                    uint32_t count) {
    st_kept_tables *kept = malloc(sizeof *kept + count * sizeof kept->all[0]);
    if (kept == NULL) return NULL;
    kept->count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t all = catalog->tables[tables[i]].column_count;
        kept->all[i].table = tables[i];
        kept->all[i].columns = columns != NULL && columns[i] < all ? columns[i] : all;
    }
    return kept;
}

/* Columns keep their numbers, and one of another type has another number; but it may become nullable where it is. */
static bool is_same(const st_column *before, const st_column *after) {
    return strcmp(before->name, after->name) == 0 && ((before->flags ^ after->flags) & STRATA_COLUMN_NULLABLE) == 0;
}

static const st_column *missing(const st_table *before, const st_table *after, uint32_t columns) {
    for (uint32_t c = 0; c < columns && c < before->column_count; c++) {
        const st_column *column = &before->columns[c];
        if (column->type == STRATA_NULL) continue;
        if (c >= after->column_count || !is_same(column, &after->columns[c])) return column;
    }
    return NULL;
}

/* What became of a table, in words; NULL if it is as it was. */
static const char *change_of(const st_table *before, const st_table *after) {
    if (after == NULL || strcmp(before->name, after->name) != 0) return "is gone";
    if (((before->flags ^ after->flags) & STRATA_TABLE_EMBEDDED) != 0) return "is embedded now, or no longer";
    if (before->primary == after->primary) return NULL;
    return before->primary == ST_NONE ? "has a primary key now" : "has another primary key or none";
}

strata_status st_kept_tables_check(const st_kept_tables *kept, const st_catalog *before, const st_catalog *after,
                                   const char *path, uint64_t version, strata_error *error) {
    for (uint32_t i = 0; i < kept->count; i++) {
        uint32_t table = kept->all[i].table;
        const st_table *old = &before->tables[table], *new = table < after->table_count ? &after->tables[table] : NULL;
        const char *change = change_of(old, new);
        const st_column *column = change == NULL ? missing(old, new, kept->all[i].columns) : NULL;
        if (change == NULL && column == NULL) continue;
        return st_fail(error, STRATA_SCHEMA_MISMATCH, 0,
                       "somebody else changed the schema of '%s' to version %llu, and %s%s%s %s; close the file and "
                       "open it with the new schema", path, (unsigned long long)version, old->name,
                       column == NULL ? "" : ".", column == NULL ? "" : column->name,
                       column == NULL ? change : "is gone or of another type");
    }
    return STRATA_OK;
}
