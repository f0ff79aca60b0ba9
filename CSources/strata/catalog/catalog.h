/* SPDX-License-Identifier: MIT
 *
 * catalog.h -- which tables, columns and indexes exist.
 *
 * Tables and columns are numbered by their position and keep their numbers for ever: a dropped column stays, without a
 * name and of type STRATA_NULL, and a dropped table without a name and without columns.
 *
 * Lifetime: a catalog that was loaded never changes, and all views of one schema share it (catalog_share.h). A change
 * of the schema works on a copy.
 */
#ifndef ST_CATALOG_CATALOG_H
#define ST_CATALOG_CATALOG_H

#include "block/layout.h"
#include "catalog/type_name.h"
#include "posting/postings_set.h"

#define ST_NONE UINT32_MAX

enum { ST_MAX_IDS = 1 << 24 /* over the life of a file; nothing is as large as the number of ids given out */ };

typedef struct st_column {
    char name[STRATA_MAX_COLUMN_NAME + 1];
    strata_type type;      /* STRATA_NULL: dropped */
    strata_collection collection;
    uint32_t flags;        /* STRATA_COLUMN_... */
    uint32_t target;       /* of a link column: the table it links to; otherwise ST_NONE */
    uint32_t index_id;     /* of the index of this column alone; 0 = it has none */
    uint32_t link_id;      /* of its link index; 0 = it has none: neither a link nor a mixed column */
    uint32_t table, number; /* derived: of its table, and its own there */
    uint32_t index_set;    /* derived, as `link_set`: their numbers among the sets of the catalog */
    uint32_t link_set;
} st_column;

/** A column whose values may be links to a table. */
typedef struct st_incoming {
    uint32_t table;
    uint32_t column;
} st_incoming;

/** An index of one column or of several. */
typedef struct st_index {
    uint32_t id;
    uint32_t column_count;
    uint32_t columns[STRATA_MAX_INDEX_COLUMNS]; /* the first one is the most significant */
    uint32_t set;          /* derived: its number among the sets of the catalog */
} st_index;

/** A table: what its records say, and below that what st_catalog_complete() derives from it. */
typedef struct st_table {
    char name[STRATA_MAX_TABLE_NAME + 1];
    uint32_t flags;        /* STRATA_TABLE_... */
    uint32_t column_count;
    uint32_t primary;      /* column number, or ST_NONE */
    st_column *columns;
    st_index *indexes;     /* compound ones first; derived: behind them those of single columns, in their order */
    uint32_t compound_count;
    uint32_t index_count;
    st_field *fields;      /* how each column is packed */
    st_incoming *incoming; /* the columns that may link here, of all tables; every mixed column is among them */
    uint32_t incoming_count;
    bool has_links;        /* some column has a link index */
} st_table;

typedef struct st_catalog {
    uint64_t version;      /* the catalog_version of the header when it was loaded */
    uint64_t serial;       /* derived: a number that no other catalog of the process ever had, and not 0 */
    uint32_t references;   /* of those who share it; guarded by the lock of the store */
    uint32_t table_count;
    uint32_t next_id;      /* of the next index or link index */
    st_table *tables;
    st_posting_set *sets;  /* derived: those of all indexes, and behind them those of all links */
    uint32_t set_count;
} st_catalog;

static inline st_layout st_table_layout(const st_table *table) {
    return (st_layout){ table->column_count, table->fields };
}

/** A copy that may be changed. Ownership: freed with st_catalog_free(). NULL if there is no memory. */
st_catalog *st_catalog_copy(const st_catalog *catalog);
void st_catalog_free(st_catalog *catalog);

/** Adds an empty table, or a column to a table. The caller has checked the name. NULL if there is no memory. */
st_table *st_catalog_add_table(st_catalog *catalog, const char *name, uint32_t flags);
st_column *st_catalog_add_column(st_table *table, const char *name);
/** Adds a compound index, for the caller to fill in. NULL if there is no memory. */
st_index *st_catalog_add_compound(st_table *table);
/** Removes a compound index by its position. */
void st_catalog_remove_compound(st_table *table, uint32_t position);

/** Derives again, after a change of tables or columns, what follows from them: fields, the indexes of single columns,
 * who may link to whom, and the sets of postings. False if there is no memory. */
bool st_catalog_complete(st_catalog *catalog);

/** A new id, for an index or a link index. False if they are used up. */
bool st_catalog_new_id(st_catalog *catalog, uint32_t *out);

/** The number of a table or column by its name; ST_NONE if there is none. */
uint32_t st_catalog_find(const st_catalog *catalog, const char *name);
uint32_t st_table_find(const st_table *table, const char *name);

/** Whether the column has an index, or is part of a compound one. */
bool st_table_is_indexed(const st_table *table, uint32_t column);
/** Whether such a column can be part of a compound index. */
bool st_compound_allows(strata_type type, strata_collection collection);
/** The columns of an index for messages: "name, age". */
void st_index_describe(const st_table *table, const st_index *index, char *out, size_t size);

#endif
