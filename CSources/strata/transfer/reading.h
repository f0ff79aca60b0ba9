/* SPDX-License-Identifier: MIT
 *
 * reading.h -- the tables of a file, as whoever reads records needs them.
 */
#ifndef ST_TRANSFER_READING_H
#define ST_TRANSFER_READING_H

#include "base/arena.h"
#include "strata.h"
#include "strata_mixed.h"

/** A table that objects are read for. */
typedef struct st_read_table {
    bool known;     /* the rest is there */
    strata_table_info info;
    strata_column_info *columns; /* of a dropped one the name is "" */
    uint32_t hint;  /* the column that the next property probably names */
} st_read_table;

typedef struct st_reading {
    strata_view *view;
    st_arena *memory;       /* of what is read */
    st_read_table *tables;
    uint32_t table_count;
    strata_nested *nested;  /* lists and maps in mixed values are built with it */
    bool ignore_unknown;    /* properties that a table does not have */
    unsigned depth;         /* objects inside each other */
} st_reading;

/** What a record says of an object that it links to: its primary key, or what it is called. */
typedef struct st_reference {
    uint32_t table;
    strata_value primary;
    strata_bytes key; /* empty: the primary key counts */
} st_reference;

strata_status st_reading_open(st_reading *reading, strata_view *view, st_arena *memory, strata_error *error);
void st_reading_close(st_reading *reading);

/** Fails: STRATA_MISUSE, STRATA_NO_MEMORY. */
strata_status st_read_table_of(st_reading *reading, uint32_t number, st_read_table **out, strata_error *error);
/** The table of that name. Fails: STRATA_NOT_FOUND, with a table that was probably meant. */
strata_status st_table_named(const strata_view *view, strata_bytes name, uint32_t *out, strata_error *error);
/** The column of that name; UINT32_MAX if there is none. */
uint32_t st_read_column(st_read_table *table, strata_bytes name);
/** Says that there is no property of that name, and which was probably meant. */
strata_status st_no_property(const st_read_table *table, strata_bytes name, strata_error *error);

#endif
