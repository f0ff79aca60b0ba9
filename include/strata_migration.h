/* SPDX-License-Identifier: MIT
 *
 * strata_migration.h -- from the schema that a file has to the one that a program declares.
 *
 * What a declaration alone settles, strata_schema_apply() does. A migration is for the rest: it lays out what is
 * declared beside what is stored, lets the program move values, and settles the file, all in one write. Until that is
 * committed, everybody else reads the file as it was; a program that ends meanwhile leaves it so.
 */
#ifndef STRATA_MIGRATION_H
#define STRATA_MIGRATION_H

#include "strata_schema.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Differences ------------------------------------------------------ */

typedef enum STRATA_ENUM strata_difference_kind {
    STRATA_TABLE_ADDED = 0,
    STRATA_TABLE_EMBEDDED_NOW = 1,    /**< its objects become parts of others */
    STRATA_TABLE_NOT_EMBEDDED = 2,
    STRATA_COLUMN_ADDED = 3,
    STRATA_COLUMN_REMOVED = 4,
    STRATA_COLUMN_RETYPED = 5,        /**< also one whose value, or whose elements, may no longer be null */
    STRATA_COLUMN_NULLABLE_NOW = 6,   /**< a single value, or the elements of a collection, may be null from now on */
    STRATA_COLUMN_PRIMARY_NOW = 7,
    STRATA_COLUMN_NOT_PRIMARY = 8,
    STRATA_INDEX_ADDED = 9,           /**< of a column alone, or a compound one */
    STRATA_INDEX_REMOVED = 10
} strata_difference_kind;

typedef enum STRATA_ENUM strata_difference_mark {
    STRATA_DIFFERENCE_FREE = 0,       /**< every value stays, and no object is rewritten */
    STRATA_DIFFERENCE_LOSES = 1,      /**< values go, unless the migration moves them */
    STRATA_DIFFERENCE_NEEDS_CODE = 2, /**< as the file is, the difference cannot be settled: keys are not unique, or an
                                           object that would be embedded has no owner, or several */
    STRATA_DIFFERENCE_REWRITES = 3    /**< every value stays, and some objects are rewritten */
} strata_difference_mark;

/** One difference between a file and a declaration. Lifetime of what is pointed to: that of the list. */
typedef struct strata_difference {
    strata_difference_kind kind;
    strata_difference_mark mark;
    const char *table;
    const char *column;   /**< of an index: the names of its columns, joined by ", "; NULL for tables */
    const char *stored;   /**< of a column: what the file has, in words; NULL if there is nothing */
    const char *declared; /**< and what is declared */
    const char *renamed;  /**< of a column that was removed: an added one of the same type that may be the same under
                               another name; otherwise NULL */
    uint64_t objects;     /**< that the table has */
} strata_difference;

/** A list of differences. */
typedef struct strata_differences strata_differences;

/**
 * Finds everything that separates a file from a declaration, whatever the version: the tables in the order in which
 * they are declared. Tables that are not declared are no difference. It takes as long as a check of the primary keys
 * and of the owners that change.
 *
 * Compiled into the program. Ownership: the caller frees `*out`.
 * Fails: STRATA_INVALID_SCHEMA, STRATA_WRITING, STRATA_CORRUPT, ...
 */
STRATA_CHECKED strata_status strata_differences_find_sized(strata_view *view, const strata_table_spec *tables,
                                                           uint32_t count, const strata_spec_sizes *sizes,
                                                           strata_differences **out, strata_error *error);
STRATA_CHECKED static inline strata_status strata_differences_find(strata_view *view, const strata_table_spec *tables,
                                                                   uint32_t count, strata_differences **out,
                                                                   strata_error *error) {
    strata_spec_sizes sizes;
    sizes.table = (uint32_t)sizeof(strata_table_spec);
    sizes.column = (uint32_t)sizeof(strata_column_spec);
    sizes.index = (uint32_t)sizeof(strata_index_spec);
    return strata_differences_find_sized(view, tables, count, &sizes, out, error);
}
uint32_t strata_differences_count(const strata_differences *differences);
/** One of them. Compiled into the program. Returns STRATA_OK or STRATA_NOT_FOUND. */
STRATA_CHECKED strata_status strata_differences_get_sized(const strata_differences *differences, uint32_t position,
                                                          strata_difference *out, size_t size);
STRATA_CHECKED static inline strata_status strata_differences_get(const strata_differences *differences,
                                                                  uint32_t position, strata_difference *out) {
    return strata_differences_get_sized(differences, position, out, sizeof *out);
}
/** NULL is allowed. */
void strata_differences_free(strata_differences *differences);

/* ---- Migrations ------------------------------------------------------- */

/**
 * Begins a write that brings the file to `version`, which is higher than that of the file, and lays out the tables.
 *
 * New tables and columns are there and empty; so is a column of another type, and one that may no longer be null: its
 * old values are gone, but a view that shows the commit before still has them. Columns that are declared no more are
 * still there. No table has a primary key: keys are values like others, and may be changed. Objects that are to be
 * embedded are not yet. Compound indexes are not yet built.
 *
 * Then the program reads and writes as in any write, and calls strata_migration_finish() and strata_view_commit(), or
 * strata_view_cancel(). Returns STRATA_OK, or STRATA_NOT_FOUND, without a write, if the file has that version by now,
 * or no schema at all: strata_schema_apply() is enough for that.
 *
 * Compiled into the program. Fails: STRATA_SCHEMA_OLD (the file has a higher version), STRATA_SCHEMA_MISMATCH (it
 *   belongs to another program), STRATA_INVALID_SCHEMA, STRATA_READ_ONLY, and as strata_view_begin() does.
 */
STRATA_CHECKED strata_status strata_migration_begin_sized(strata_view *view, const strata_table_spec *tables,
                                                          uint32_t count, uint64_t version,
                                                          const strata_spec_sizes *sizes, strata_error *error);
STRATA_CHECKED static inline strata_status strata_migration_begin(strata_view *view, const strata_table_spec *tables,
                                                                  uint32_t count, uint64_t version,
                                                                  strata_error *error) {
    strata_spec_sizes sizes;
    sizes.table = (uint32_t)sizeof(strata_table_spec);
    sizes.column = (uint32_t)sizeof(strata_column_spec);
    sizes.index = (uint32_t)sizeof(strata_index_spec);
    return strata_migration_begin_sized(view, tables, count, version, &sizes, error);
}

/**
 * Makes a change inside of a migration. A column gets the name of another one of the same type, which goes: so values
 * come to a declared column from one that is declared no more. Rows must be bound again, and column numbers found.
 *
 * If it fails, the write can only be cancelled. Fails: as strata_schema_migrate() does; STRATA_MISUSE without a
 *   migration.
 */
STRATA_CHECKED strata_status strata_migration_change(strata_view *view, const strata_schema_change *change,
                                                     strata_error *error);

/**
 * Settles the file: drops the columns that are declared no more, makes the `changes` that are left, sets the primary
 * keys, embeds objects, builds compound indexes and writes the version. Then the write can be committed.
 *
 * `tables` are those of strata_migration_begin(). `name` is for the history, and may be NULL. If it fails, the write
 * can only be cancelled. Compiled into the program.
 * Fails: STRATA_DUPLICATE (values of a primary key that are not unique), STRATA_SCHEMA_MISMATCH (an object that would
 *   be embedded has no owner, or several), STRATA_REFERENCED, STRATA_MISUSE without a migration, ...
 */
STRATA_CHECKED strata_status strata_migration_finish_sized(strata_view *view, const strata_schema_change *changes,
                                                           uint32_t change_count, const strata_table_spec *tables,
                                                           uint32_t count, const char *name,
                                                           const strata_spec_sizes *sizes, strata_error *error);
STRATA_CHECKED static inline strata_status strata_migration_finish(strata_view *view,
                                                                   const strata_schema_change *changes,
                                                                   uint32_t change_count,
                                                                   const strata_table_spec *tables, uint32_t count,
                                                                   const char *name, strata_error *error) {
    strata_spec_sizes sizes;
    sizes.table = (uint32_t)sizeof(strata_table_spec);
    sizes.column = (uint32_t)sizeof(strata_column_spec);
    sizes.index = (uint32_t)sizeof(strata_index_spec);
    return strata_migration_finish_sized(view, changes, change_count, tables, count, name, &sizes, error);
}

enum { STRATA_MAX_FAILURES = 10 /**< objects that are named; all are counted */ };

/** Objects that break a rule. */
typedef struct strata_failures {
    uint64_t count;                        /**< how many do */
    uint64_t keys[STRATA_MAX_FAILURES];    /**< the first ones */
    uint64_t others[STRATA_MAX_FAILURES];  /**< what each breaks the rule with */
} strata_failures;

/** The objects of a table for which strata_migration_finish() would fail. */
typedef struct strata_migration_failures {
    strata_failures duplicates; /**< whose value of the primary key another object has before them: that one */
    strata_failures unowned;    /**< that would be embedded, and have no owner or several: how many links lead to them */
} strata_migration_failures;

/**
 * Finds all objects of a declared table, the one at `position`, for which finishing the migration would fail. It stores
 * what was written so far, and changes nothing. `tables` are those of strata_migration_begin().
 *
 * Compiled into the program. Fails: STRATA_MISUSE without a migration or such a table, STRATA_CORRUPT, ...
 */
STRATA_CHECKED strata_status strata_migration_check_sized(strata_view *view, const strata_table_spec *tables,
                                                          uint32_t count, uint32_t position,
                                                          const strata_spec_sizes *sizes,
                                                          strata_migration_failures *out, size_t size,
                                                          strata_error *error);
STRATA_CHECKED static inline strata_status strata_migration_check(strata_view *view, const strata_table_spec *tables,
                                                                  uint32_t count, uint32_t position,
                                                                  strata_migration_failures *out,
                                                                  strata_error *error) {
    strata_spec_sizes sizes;
    sizes.table = (uint32_t)sizeof(strata_table_spec);
    sizes.column = (uint32_t)sizeof(strata_column_spec);
    sizes.index = (uint32_t)sizeof(strata_index_spec);
    return strata_migration_check_sized(view, tables, count, position, &sizes, out, sizeof *out, error);
}

/* ---- History ---------------------------------------------------------- */

enum {
    STRATA_MAX_MIGRATION_NAME = 63, /**< bytes of UTF-8; longer ones are cut off */
    STRATA_MAX_HISTORY = 1000,      /**< schemas that a file remembers: the first ones */
    STRATA_MAX_HISTORY_CLASSES = 250, /**< different schemas among them whose tables it keeps: the first ones */
    STRATA_MAX_CLASSES_SIZE = 1 << 20 /**< bytes that the tables of one may take to be kept: 20,000 columns or more */
};

/** A schema that a file has had. */
typedef struct strata_schema_record {
    uint64_t version;
    uint64_t hash;      /**< of its tables, as strata_schema_hash() gives it */
    int64_t time;       /**< when it was written: microseconds since 1970 */
    char program[64];   /**< the name of the program that wrote it; "" if it has none */
    char migration[STRATA_MAX_MIGRATION_NAME + 1]; /**< "" if it has none */
} strata_schema_record;

/** A schema that the file has had, the first one at position 0. Each change of tables, columns, indexes or of the
 * version adds one. The tables that it had: strata_declaration_read_history(). Compiled into the program. Returns
 * STRATA_OK or STRATA_NOT_FOUND. Fails: STRATA_CORRUPT, ... */
STRATA_CHECKED strata_status strata_schema_history_sized(strata_view *view, uint32_t position,
                                                         strata_schema_record *out, size_t size, strata_error *error);
STRATA_CHECKED static inline strata_status strata_schema_history(strata_view *view, uint32_t position,
                                                                 strata_schema_record *out, strata_error *error) {
    return strata_schema_history_sized(view, position, out, sizeof *out, error);
}

/** A number that is equal for files with the same tables, columns and indexes, in whatever order they came. */
uint64_t strata_schema_hash(const strata_view *view);

#ifdef __cplusplus
}
#endif
#endif
