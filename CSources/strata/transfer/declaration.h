/* SPDX-License-Identifier: MIT
 *
 * declaration.h -- the tables of a declaration, while they are collected.
 *
 * Everything a declaration points to lies in its arena. Tables and columns are collected in arrays that grow, and are
 * copied there when the declaration is complete.
 */
#ifndef ST_TRANSFER_DECLARATION_H
#define ST_TRANSFER_DECLARATION_H

#include "base/arena.h"
#include "strata_declaration.h"

struct strata_declaration {
    st_arena memory;
    strata_table_spec *tables;
    uint32_t table_count;
    uint64_t version;
};

/** A declaration that is being made. Zero-initialised it is empty, after st_declaring_begin() it has a declaration. */
typedef struct st_declaring {
    strata_declaration *declaration;
    strata_table_spec *tables;
    size_t table_count, table_capacity;
    strata_column_spec *columns; /* of the last table */
    size_t column_count, column_capacity;
    strata_index_spec *indexes;  /* of the last table */
    size_t index_count, index_capacity;
} st_declaring;

/** Fails: STRATA_NO_MEMORY, as the next ones do. */
strata_status st_declaring_begin(st_declaring *declaring, strata_error *error);
/** Begins a table. The name is copied. */
strata_status st_declaring_table(st_declaring *declaring, strata_bytes name, uint32_t flags, strata_error *error);
/** Adds a column to the table that was begun last. Names are copied. `column->name` and `target` are not looked at. */
strata_status st_declaring_column(st_declaring *declaring, strata_bytes name, strata_bytes target,
                                  const strata_column_spec *column, strata_error *error);
/** Adds a compound index to the table that was begun last. */
strata_status st_declaring_index(st_declaring *declaring, const strata_bytes *columns, uint32_t count,
                                 strata_error *error);
/** Ends the table that was begun last, if there is one. */
strata_status st_declaring_end_table(st_declaring *declaring, strata_error *error);
/** Completes the declaration, and gives it away. */
strata_status st_declaring_end(st_declaring *declaring, uint64_t version, strata_declaration **out,
                               strata_error *error);
/** Takes the table of a name away, if there is one. */
void st_declaration_leave_out(strata_declaration *declaration, strata_bytes name);
/** Frees what is left, also after the end. */
void st_declaring_free(st_declaring *declaring);

/** What a type is called in text; NULL for a link. */
const char *st_declared_type_name(strata_type type);
/** The type of that name; STRATA_NULL if it is none. */
strata_type st_declared_type(strata_bytes name);

#endif
