/* SPDX-License-Identifier: MIT
 *
 * compare.h -- what separates a catalog from a declaration, in numbers and words.
 */
#ifndef ST_SCHEMA_COMPARE_H
#define ST_SCHEMA_COMPARE_H

#include "catalog/catalog.h"

/** What separates a catalog from a declaration. */
typedef struct st_schema_difference {
    uint32_t new_tables;     /* and their columns */
    uint32_t shared_tables;  /* that are both stored and declared */
    uint32_t indexes;        /* to be added or removed */
    uint32_t columns;        /* of tables that exist: added, removed, or primary key moved */
    uint32_t retyped;        /* columns whose type changed */
    char text[300];          /* differences of the last two kinds, in words */
    uint32_t unsaid;         /* how many of them the text has no room for */
    const char *missing;     /* the name of a new table */
} st_schema_difference;

void st_schema_compare(const st_catalog *catalog, const strata_table_spec *tables, uint32_t count,
                       st_schema_difference *out);

/** The flags that a declared column is stored with: a single link and a mixed column are always nullable, a primary key
 * is always indexed. */
uint32_t st_schema_flags(const strata_column_spec *column);

/** Whether a stored compound index is the one that is declared. */
bool st_schema_same_index(const st_table *table, const st_index *stored, const strata_index_spec *declared);
/** Whether it is among those that are declared. */
bool st_schema_declares_index(const st_table *table, const st_index *stored, const strata_table_spec *declared);

#endif
