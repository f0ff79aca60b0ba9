/* SPDX-License-Identifier: MIT
 *
 * catalog.h -- which tables, columns and indexes exist.
 *
 * A catalog is immutable once loaded and shared by every view of the same schema. Tables and columns are
 * numbered by their position and keep their numbers for ever; a dropped column stays as a nameless one.
 */
#ifndef ST_CATALOG_CATALOG_H
#define ST_CATALOG_CATALOG_H

#include "block/layout.h"
#include "catalog/type_name.h"

#define ST_NONE UINT32_MAX

enum { ST_MAX_IDS = 1 << 24 };

typedef struct st_column {
    char name[STRATA_MAX_COLUMN_NAME + 1];
    strata_type type;      /* STRATA_NULL: dropped */
    strata_collection collection;
    uint32_t flags;        /* STRATA_COLUMN_... */
    uint32_t target;       /* table a link points to, or ST_NONE; a mixed column has a link index and no target */
    uint32_t index_id;     /* of its index, or 0 */
    uint32_t link_id;      /* of its link index, or 0 */
} st_column;

/** A column that links to a table. */
typedef struct st_incoming {
    uint32_t table;
    uint32_t column;
} st_incoming;

/** An index of one column or of several. */
typedef struct st_index {
    uint32_t id;
    uint32_t column_count;
    uint32_t columns[STRATA_MAX_INDEX_COLUMNS]; /* the first one is the most significant */
} st_index;

typedef struct st_table {
    char name[STRATA_MAX_TABLE_NAME + 1];
    uint32_t flags;        /* STRATA_TABLE_... */
    uint32_t column_count;
    uint32_t primary;      /* column number, or ST_NONE */
    st_column *columns;
    st_field *fields;      /* the same columns, as they are packed */
    st_incoming *incoming; /* columns that link here, of this table and others; every mixed column is among them */
    uint32_t incoming_count;
    st_index *indexes;     /* all of them: compound ones first, then those of single columns in their order */
    uint32_t compound_count;
    uint32_t index_count;
    bool has_links;        /* some column links */
} st_table;

typedef struct st_catalog {
    uint64_t version;      /* catalog_version of the header it was loaded under */
    uint32_t references;   /* guarded by the lock of the store */
    uint32_t table_count;
    uint32_t next_id;
    st_table *tables;
} st_catalog;

static inline st_layout st_table_layout(const st_table *table) {
    return (st_layout){ table->column_count, table->fields };
}

/** A catalog of one's own, to be changed. Freed with st_catalog_free(). NULL if there is no memory. */
st_catalog *st_catalog_copy(const st_catalog *catalog);
void st_catalog_free(st_catalog *catalog);

/** Adds an empty table, or a column to a table. The name has been checked. NULL if there is no memory. */
st_table *st_catalog_add_table(st_catalog *catalog, const char *name, uint32_t flags);
st_column *st_catalog_add_column(st_table *table, const char *name);
/** Adds a compound index, to be filled in, or removes one by its position. */
st_index *st_catalog_add_compound(st_table *table);
void st_catalog_remove_compound(st_table *table, uint32_t position);
/** Recomputes what follows from the columns: fields, their indexes and incoming links. False if there is no memory. */
bool st_catalog_complete(st_catalog *catalog);

/** A number for an index or a link index. False if they are used up. */
bool st_catalog_take_id(st_catalog *catalog, uint32_t *out);

/** The number of a table or column by its name; ST_NONE if there is none. */
uint32_t st_catalog_find(const st_catalog *catalog, const char *name);
uint32_t st_table_find(const st_table *table, const char *name);

/** Can such a column be part of a compound index? */
bool st_compound_takes(strata_type type, strata_collection collection);
/** "name, age" for messages. */
void st_index_describe(const st_table *table, const st_index *index, char *out, size_t size);

#endif
