/* SPDX-License-Identifier: MIT
 *
 * kept_tables.h -- the tables that a view does not let go of, as they were when it was told to keep them. */
#ifndef ST_CATALOG_KEPT_TABLES_H
#define ST_CATALOG_KEPT_TABLES_H

#include "catalog/catalog.h"

typedef struct st_kept_tables {
    uint32_t count;
    struct {
        uint32_t table, columns; /* its number, and how many of its columns are kept, from the first */
    } all[];
} st_kept_tables;

/** Ownership: freed with free(). NULL if there is no memory. The numbers are those of tables; `columns` says how many
 * columns of each are kept at most, NULL: all. */
st_kept_tables *st_kept_tables_make(const st_catalog *catalog, const uint32_t *tables, const uint32_t *columns,
                                    uint32_t count);

/**
 * Whether a later catalog has all that an earlier one has of these tables: their names and those of their columns, with
 * the same types, the primary key, and whether they are embedded. Of an index nobody depends.
 *
 * Fails: STRATA_SCHEMA_MISMATCH, with a message about the schema `version` of the later one.
 */
strata_status st_kept_tables_check(const st_kept_tables *kept, const st_catalog *before, const st_catalog *after,
                                   const char *path, uint64_t version, strata_error *error);

#endif
