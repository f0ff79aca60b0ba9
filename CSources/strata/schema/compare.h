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
    uint32_t columns;        /* of tables that exist: added, made optional, or primary key moved; and tables whose
                                objects become embedded, or are no longer */
    uint32_t extra;          /* columns that were removed */
    uint32_t retyped;        /* columns whose type changed */
    char text[300];          /* differences of the last three kinds, in words */
    uint32_t unsaid;         /* how many of them the text has no room for */
    const char *missing;     /* the name of a new table */
} st_schema_difference;

/** What becomes of the values of a stored column of which there is a declared one. */
typedef enum st_column_change {
    ST_COLUMN_SAME,     /* they stay; flags may differ in what does not touch values */
    ST_COLUMN_NULLABLE, /* they stay, and they or the elements may be null from now on */
    ST_COLUMN_RETYPED   /* they cannot stay */
} st_column_change;

st_column_change st_schema_column_change(const st_catalog *catalog, const st_column *stored,
                                         const strata_column_spec *declared);

void st_schema_compare(const st_catalog *catalog, const strata_table_spec *tables, uint32_t count,
                       st_schema_difference *out);

enum { ST_COLUMN_TEXT = 2 * STRATA_MAX_TABLE_NAME + 6 /* bytes that a column takes in words */ };

/** Told of a difference; what it points to is gone afterwards. */
typedef void (*st_difference_visitor)(void *context, const strata_difference *difference);

/** Tells of everything that separates a catalog from a declaration; marks, proposals and counts are left zero. */
void st_schema_visit(const st_catalog *catalog, const strata_table_spec *tables, uint32_t count,
                     st_difference_visitor visit, void *context);

/** The flags that a declared column is stored with: a single link and a mixed column are always nullable, a primary key
 * is always indexed. */
uint32_t st_schema_flags(const strata_column_spec *column);

/** Whether a stored compound index is the one that is declared. */
bool st_schema_same_index(const st_table *table, const st_index *stored, const strata_index_spec *declared);
/** Whether it is among those that are declared. */
bool st_schema_declares_index(const st_table *table, const st_index *stored, const strata_table_spec *declared);

#endif
