/* SPDX-License-Identifier: MIT
 *
 * value_print.h -- objects and values as JSON, and cells as text.
 *
 * Everything is appended to the buffer of a printer. The functions fail with STRATA_NO_MEMORY, and as reading does.
 */
#ifndef ST_TRANSFER_VALUE_PRINT_H
#define ST_TRANSFER_VALUE_PRINT_H

#include "base/buffer.h"
#include "strata.h"
#include "strata_query.h"

/** A column, with `,"name":` as it stands in JSON behind another one. */
typedef struct st_printed_column {
    uint32_t number;
    strata_column_info info;
    bool embeds;        /* links to embedded objects */
    char *prefix;
    size_t prefix_size;
} st_printed_column;

/** A table, as an export needs it. */
typedef struct st_printed_table {
    bool known;         /* the rest is there */
    strata_table_info info;
    st_printed_column *columns; /* those that are exported, in their order */
    uint32_t column_count;
} st_printed_table;

typedef struct st_printer {
    strata_view *view;
    st_buffer out;
    st_buffer bytes;    /* of a value that is stored outside of its row */
    st_buffer primary;  /* of a primary key that is */
    st_printed_table *tables;
    uint32_t table_count;
    uint32_t flags;     /* STRATA_EXPORT_... */
    uint32_t preview;   /* bytes of a value that are printed at most; 0: all */
    strata_interrupt *interrupt; /* of the export, or NULL */
    unsigned depth;     /* embedded objects inside each other */
} st_printer;

/** A printer for what the view shows now. `columns`: of one table that is asked for first, or NULL. */
strata_status st_printer_open(st_printer *printer, strata_view *view, strata_error *error);
void st_printer_close(st_printer *printer);

/** The table; its columns are all that there are. Fails: STRATA_MISUSE, if there is no such table. */
strata_status st_printer_table(st_printer *printer, uint32_t number, const st_printed_table **out,
                               strata_error *error);
/** The same with these columns only, for as long as the printer is open. */
strata_status st_printer_choose(st_printer *printer, uint32_t number, const uint32_t *columns, uint32_t count,
                                strata_error *error);

/** Whether `"$key"` stands in front of the properties of a row: it has no primary key, or that is null. */
strata_status st_row_needs_key(const strata_row *row, const st_printed_table *table, bool *out, strata_error *error);

/** Fetches the columns of rows that will be printed, and of their strings the beginning, into the cache of the
 * processor: rows that lie anywhere are waited for together. The rows were just bound; those without a block are left
 * out. */
void st_printer_fetch(const st_printed_table *table, const strata_row *rows, size_t count);

/** Adds steps to those of the interrupt. Fails: STRATA_INTERRUPTED. */
strata_status st_printer_look(const st_printer *printer, uint64_t steps, strata_error *error);

bool st_print_text(st_printer *printer, const char *text);
bool st_print_string(st_printer *printer, strata_bytes string);
bool st_print_int(st_printer *printer, int64_t number);

/** An object of JSON, with `"$class"` if `class_name` says so. */
strata_status st_print_object(st_printer *printer, strata_row *row, bool class_name, strata_error *error);

/** A cell as one text without quotes; of collections, mixed values and embedded objects JSON. `*out_null`: it is null,
 * and nothing was printed; `*out_text`: it is a string, data, or a primary key, which may
 * be empty. */
strata_status st_print_cell(st_printer *printer, strata_row *row, const st_printed_column *column, bool *out_null,
                            bool *out_text, strata_error *error);

#endif
