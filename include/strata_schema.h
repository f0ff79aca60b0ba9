/* SPDX-License-Identifier: MIT
 *
 * strata_schema.h -- tables, columns and indexes, as a program wants them and as a file has them.
 *
 * A table has a name and columns; both are numbered when they are added and keep their numbers. Number 0 is a
 * table, and a column, like any other.
 */
#ifndef STRATA_SCHEMA_H
#define STRATA_SCHEMA_H

#include "strata_value.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    STRATA_MAX_TABLE_NAME = 57,   /**< bytes of UTF-8 */
    STRATA_MAX_COLUMN_NAME = 63,  /**< bytes of UTF-8 */
    STRATA_MAX_COLUMNS = 2000,    /**< of one table */
    STRATA_MAX_INDEXES = 64,      /**< compound ones of one table */
    STRATA_MAX_INDEX_COLUMNS = 8, /**< of a compound index */
    STRATA_MAX_TABLES = 65000
};

enum {
    STRATA_COLUMN_NULLABLE = 1, /**< single links and mixed columns always are, with or without it; lists and sets of
                                     links never */
    STRATA_COLUMN_INDEXED = 2,  /**< of single bools, ints, dates, strings, uuids, object ids and mixed values */
    STRATA_COLUMN_PRIMARY = 4   /**< unique and indexed; at most one column of a table, of single ints, strings, uuids
                                     or object ids */
};
enum { STRATA_TABLE_EMBEDDED = 1 /**< objects are parts of other objects: see strata_object.h */ };

/** One column, as a program wants it. */
typedef struct strata_column_spec {
    const char *name;
    strata_type type;              /**< of the value, or of the elements */
    strata_collection collection;
    uint32_t flags;                /**< STRATA_COLUMN_... */
    const char *target;            /**< of a link: the name of the table it points to, otherwise NULL */
} strata_column_spec;

/**
 * A compound index, as a program wants it. It answers equality on its first columns, however many, and with it a range,
 * a prefix or the order of the column that follows them. Nulls come first in each column.
 */
typedef struct strata_index_spec {
    uint32_t column_count;         /**< 2 to STRATA_MAX_INDEX_COLUMNS */
    const char *const *columns;    /**< names of single columns, each once, of the types bool, int, date, string, uuid,
                                        object id and link; objects are ordered by the first, then by the second, ... */
} strata_index_spec;

/** One table, as a program wants it. */
typedef struct strata_table_spec {
    const char *name;
    uint32_t flags;                /**< STRATA_TABLE_... */
    uint32_t column_count;
    const strata_column_spec *columns;
    const strata_index_spec *indexes; /**< compound ones, at most STRATA_MAX_INDEXES; in any order */
    uint32_t index_count;
} strata_table_spec;

/** The sizes of the structs above in the headers of a program. */
typedef struct strata_spec_sizes {
    uint32_t table, column, index;
} strata_spec_sizes;

/** `schema_version` of a file that never got a schema. */
#define STRATA_NO_SCHEMA UINT64_MAX
/** The highest schema version. */
#define STRATA_MAX_SCHEMA_VERSION (UINT64_MAX / 2)

/** The schema version stored in the file; STRATA_NO_SCHEMA if it has none. */
uint64_t strata_schema_version(const strata_view *view);

/**
 * Makes the file hold these tables, or says why that cannot be.
 *
 * New tables, and indexes that come or go, compound ones too, are applied always. Differences in the columns of a table
 * that exists need a `version` higher than the file's: then columns that are new are added (old objects read as
 * null, zero or empty), columns that are gone are dropped with their values, and a primary key may move; a
 * column whose type changed is refused. Tables not mentioned stay untouched. Nothing is written if nothing
 * differs. Must be called outside a write; a write of its own is used. On a read-only store it only compares.
 *
 * A file that has tables, but none of these, belongs to another program, which a higher version would lock out: then
 * tables are added only at the `version` that the file has, and a higher one is a STRATA_SCHEMA_MISMATCH. `version` is
 * at most STRATA_MAX_SCHEMA_VERSION; count on from small numbers, since a version can only be raised.
 *
 * Compiled into the program.
 * Fails: STRATA_INVALID_SCHEMA, STRATA_SCHEMA_MISMATCH, STRATA_SCHEMA_OLD, STRATA_DUPLICATE (a new primary key
 *   with values that are not unique), STRATA_WRITING and what strata_view_commit() fails with.
 */
STRATA_CHECKED strata_status strata_schema_apply_sized(strata_view *view, const strata_table_spec *tables,
                                                       uint32_t count, uint64_t version,
                                                       const strata_spec_sizes *sizes, strata_error *error);
STRATA_CHECKED static inline strata_status strata_schema_apply(strata_view *view, const strata_table_spec *tables,
                                                               uint32_t count, uint64_t version,
                                                               strata_error *error) {
    strata_spec_sizes sizes;
    sizes.table = (uint32_t)sizeof(strata_table_spec);
    sizes.column = (uint32_t)sizeof(strata_column_spec);
    sizes.index = (uint32_t)sizeof(strata_index_spec);
    return strata_schema_apply_sized(view, tables, count, version, &sizes, error);
}

typedef enum STRATA_ENUM strata_change_kind {
    STRATA_RENAME_TABLE = 0,
    STRATA_RENAME_COLUMN = 1,
    STRATA_DROP_TABLE = 2,  /**< with its objects. Columns of other tables that link to it are dropped before */
    STRATA_DROP_COLUMN = 3  /**< with its values and indexes, compound ones that it is part of included. Embedded
                                 objects that only these values linked to stay in their table */
} strata_change_kind;

/** A change of the tables and columns that a file has. */
typedef struct strata_schema_change {
    strata_change_kind kind;
    const char *table;    /**< its name, after the changes before this one */
    const char *column;   /**< of a column; otherwise NULL */
    const char *new_name; /**< of what is renamed; otherwise NULL */
} strata_schema_change;

/**
 * Makes changes that a declaration alone cannot tell, one after the other, and then does what strata_schema_apply()
 * does; all in one write.
 *
 * The changes are made if the file has a schema of a version lower than `version`, and otherwise not at all: so a
 * program can ask for them whenever it opens a file. strata_schema_version() tells how old a file is. Values, links and
 * indexes stay with what is renamed. A program with the old names is refused afterwards: the file has a higher version.
 * The numbers of tables and columns stay; those of dropped ones are not used again and count for the limits. `count`
 * may be 0. Compiled into the program.
 *
 * Fails: STRATA_SCHEMA_MISMATCH (what is to be changed is not there, or the new name is), STRATA_REFERENCED (something
 *   links to the table), STRATA_INVALID_SCHEMA, STRATA_MISUSE, and as strata_schema_apply(); nothing is then changed.
 */
STRATA_CHECKED strata_status strata_schema_migrate_sized(strata_view *view, const strata_schema_change *changes,
                                                         uint32_t change_count, const strata_table_spec *tables,
                                                         uint32_t count, uint64_t version,
                                                         const strata_spec_sizes *sizes, strata_error *error);
STRATA_CHECKED static inline strata_status strata_schema_migrate(strata_view *view,
                                                                 const strata_schema_change *changes,
                                                                 uint32_t change_count,
                                                                 const strata_table_spec *tables, uint32_t count,
                                                                 uint64_t version, strata_error *error) {
    strata_spec_sizes sizes;
    sizes.table = (uint32_t)sizeof(strata_table_spec);
    sizes.column = (uint32_t)sizeof(strata_column_spec);
    sizes.index = (uint32_t)sizeof(strata_index_spec);
    return strata_schema_migrate_sized(view, changes, change_count, tables, count, version, &sizes, error);
}

/** A table as stored. Lifetime of the name: until the schema of the view changes. */
typedef struct strata_table_info {
    const char *name;         /**< "" if the table was dropped */
    uint32_t flags;
    uint32_t column_count;    /**< columns ever added; those that were dropped have an empty name */
    uint32_t primary;         /**< column number of the primary key, or UINT32_MAX */
    uint32_t index_count;     /**< compound indexes */
} strata_table_info;

/** A column as stored. Lifetime of the name: as above. */
typedef struct strata_column_info {
    const char *name;         /**< "" if the column was dropped */
    strata_type type;
    strata_collection collection;
    uint32_t flags;
    uint32_t target;          /**< of a link: table number, otherwise UINT32_MAX */
} strata_column_info;

/** A compound index as stored. */
typedef struct strata_index_info {
    uint32_t column_count;
    uint32_t columns[STRATA_MAX_INDEX_COLUMNS]; /**< column numbers, the first one the most significant */
} strata_index_info;

/** How many tables there are; their numbers are 0 to this, less one. */
uint32_t strata_table_count(const strata_view *view);
/** A table by its name. Returns STRATA_OK, STRATA_NOT_FOUND or STRATA_MISUSE. */
STRATA_CHECKED strata_status strata_table_find(const strata_view *view, const char *name, uint32_t *out_table);
/** A table by its number. Compiled into the program, as are the next two. Returns what strata_table_find() does. */
STRATA_CHECKED strata_status strata_table_get_sized(const strata_view *view, uint32_t table, strata_table_info *out,
                                                    size_t size);
STRATA_CHECKED static inline strata_status strata_table_get(const strata_view *view, uint32_t table,
                                                            strata_table_info *out) {
    return strata_table_get_sized(view, table, out, sizeof *out);
}
/** A column by its name. Returns STRATA_OK, STRATA_NOT_FOUND or STRATA_MISUSE. */
STRATA_CHECKED strata_status strata_column_find(const strata_view *view, uint32_t table, const char *name,
                                                uint32_t *out_column);
STRATA_CHECKED strata_status strata_column_get_sized(const strata_view *view, uint32_t table, uint32_t column,
                                                     strata_column_info *out, size_t size);
STRATA_CHECKED static inline strata_status strata_column_get(const strata_view *view, uint32_t table, uint32_t column,
                                                             strata_column_info *out) {
    return strata_column_get_sized(view, table, column, out, sizeof *out);
}
/** A compound index, by its position in the table; positions change when indexes come and go. */
STRATA_CHECKED strata_status strata_index_get_sized(const strata_view *view, uint32_t table, uint32_t index,
                                                    strata_index_info *out, size_t size);
STRATA_CHECKED static inline strata_status strata_index_get(const strata_view *view, uint32_t table, uint32_t index,
                                                            strata_index_info *out) {
    return strata_index_get_sized(view, table, index, out, sizeof *out);
}

#ifdef __cplusplus
}
#endif
#endif
