/* SPDX-License-Identifier: MIT
 * schema.h -- bringing the catalog of a file in line with what a program declares. */
#ifndef ST_SCHEMA_SCHEMA_H
#define ST_SCHEMA_SCHEMA_H

#include "write/write_set.h"

/** Does the declaration obey the rules? Fails: STRATA_INVALID_SCHEMA. */
strata_status st_schema_check(const st_catalog *catalog, const strata_table_spec *tables, uint32_t count,
                              strata_error *error);

/** What separates a catalog from a declaration. */
typedef struct st_schema_difference {
    uint32_t new_tables;     /* and their columns */
    uint32_t indexes;        /* to be added or removed */
    uint32_t columns;        /* of tables that exist: added, removed, or primary key moved */
    uint32_t retyped;        /* columns whose type changed */
    uint32_t unsaid;         /* of the last two, those for which the text has no room */
    char text[300];          /* the others of the last two, in words */
    const char *missing;     /* the name of a new table */
} st_schema_difference;

void st_schema_compare(const st_catalog *catalog, const strata_table_spec *tables, uint32_t count,
                       st_schema_difference *out);

/** Flags of a column as they are stored: a single link and a mixed column are always nullable, a primary key always
 * indexed. */
uint32_t st_schema_flags(const strata_column_spec *column);

/** Is a compound index stored the one declared? */
bool st_schema_same_index(const st_table *table, const st_index *stored, const strata_index_spec *declared);
/** Is it among those declared? */
bool st_schema_declares_index(const st_table *table, const st_index *stored, const strata_table_spec *declared);

/** Fills the set of an index that was added to a table with rows. */
strata_status st_schema_build_index(strata_view *view, const st_table *table, uint32_t number, const st_index *index,
                                    strata_error *error);

/** Fails with STRATA_DUPLICATE if two objects have the same value in an indexed column. */
strata_status st_schema_check_unique(strata_view *view, const st_table *table, uint32_t column, strata_error *error);

/** Gives up what the cells of a column that is dropped keep outside of their rows, its index and its link index. */
strata_status st_schema_drop_cells(strata_view *view, const st_table *table, uint32_t number, uint32_t column,
                                   strata_error *error);

#endif
