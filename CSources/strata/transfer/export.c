/* SPDX-License-Identifier: MIT
 * export.c -- objects of tables as text. */
#include "strata_export.h"

#include <stdlib.h>

#include "base/sized.h"
#include "base/status.h"
#include "strata_cursor.h"
#include "strata_declaration.h"
#include "table/view.h"
#include "transfer/value_print.h"

enum { FULL = 256 * 1024, FIRST = 4000 /* bytes, enough for a page of objects */, BATCH = 64 };

struct strata_export {
    st_printer printer;
    strata_text_format format;
    strata_text_sink sink;
    void *context;
    uint64_t count;
    uint32_t *columns;
    uint32_t column_count;
    bool begun;          /* a document or an array */
    uint32_t last;       /* the table that was begun last; UINT32_MAX before the first */
    bool first;          /* no object of it was written */
};

static strata_status no_memory(strata_error *error) { return st_no_memory(error, "exporting"); }

static bool put(strata_export *to, const char *text) { return st_print_text(&to->printer, text); }

static strata_status pass_on(strata_export *to, strata_error *error) {
    st_buffer *out = &to->printer.out;
    if (out->size == 0) return STRATA_OK;
    bool taken = to->sink(to->context, out->data, out->size);
    out->size = 0;
    return taken ? STRATA_OK : st_fail(error, STRATA_CANCELLED, 0, "the export was stopped after %llu objects",
                                       (unsigned long long)to->count);
}

/* ---- Opening ---------------------------------------------------------- */

static strata_status read_options(strata_export *to, const strata_export_options *given, strata_error *error) {
    strata_export_options options;
    if (given == NULL || !st_sized_plausible(given->size, offsetof(strata_export_options, columns)) ||
        !st_sized_read(&options, sizeof options, given, given->size))
        return st_fail(error, STRATA_MISUSE, 0, "the options of an export were not made with "
                                                "strata_export_options_blank()");
    if ((uint32_t)options.format > STRATA_TEXT_ARRAY || (options.flags & ~7u) != 0)
        return st_fail(error, STRATA_MISUSE, 0, "the options of an export have an unknown format or flag");
    if (options.columns == NULL && options.column_count != 0)
        return st_fail(error, STRATA_MISUSE, 0, "the options of an export have a count of columns and no columns");
    to->format = options.format;
    to->printer.flags = options.flags;
    to->printer.preview = options.preview;
    to->printer.interrupt = options.interrupt;
    if (options.column_count == 0) return STRATA_OK;
    to->columns = calloc(options.column_count, sizeof *to->columns);
    if (to->columns == NULL) return no_memory(error);
    memcpy(to->columns, options.columns, options.column_count * sizeof *to->columns);
    to->column_count = options.column_count;
    return STRATA_OK;
}

strata_status strata_export_open(strata_view *view, const strata_export_options *options, strata_text_sink sink,
                                 void *context, strata_export **out, strata_error *error) {
    if (sink == NULL || out == NULL)
        return st_fail(error, STRATA_MISUSE, 0, "an export is opened without a sink, or to nowhere");
    *out = NULL;
    strata_status status = st_view_readable(view, error);
    if (status != STRATA_OK) return status;
    strata_export *to = calloc(1, sizeof *to);
    if (to == NULL) return no_memory(error);
    to->sink = sink;
    to->context = context;
    to->last = UINT32_MAX;
    status = st_printer_open(&to->printer, view, error);
    if (status == STRATA_OK) status = read_options(to, options, error);
    if (status == STRATA_OK && !st_buffer_reserve(&to->printer.out, FIRST)) status = no_memory(error);
    if (status == STRATA_OK) *out = to;
    else strata_export_close(to);
    return status;
}

void strata_export_close(strata_export *to) {
    if (to == NULL) return;
    st_printer_close(&to->printer);
    free(to->columns);
    free(to);
}

uint64_t strata_export_count(const strata_export *to) { return to == NULL ? 0 : to->count; }

/* ---- Columns ---------------------------------------------------------- */

/* A field of CSV, from `from` on in the buffer, gets quotes if it needs them. */
static bool quote(strata_export *to, size_t from, bool always) {
    st_buffer *out = &to->printer.out;
    size_t size = out->size - from, quotes = 0;
    bool needed = always && size == 0;
    for (size_t i = from; i < out->size; i++) {
        if (out->data[i] == '"') quotes++;
        needed = needed || strchr(",\"\n\r", out->data[i]) != NULL;
    }
    needed = needed || (size > 0 && (out->data[from] == ' ' || out->data[out->size - 1] == ' '));
    if (!needed) return true;
    if (!st_buffer_reserve(out, quotes + 2)) return false;
    size_t at = out->size + quotes + 2;
    out->size = at;
    out->data[--at] = '"';
    for (size_t i = from + size; i-- > from;) {
        out->data[--at] = out->data[i];
        if (out->data[i] == '"') out->data[--at] = '"';
    }
    out->data[--at] = '"';
    return true;
}

static char escape_of(uint8_t byte) {
    switch (byte) {
    case '\t': return 't';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\\': return '\\';
    default: return 0;
    }
}

/* A field of plain columns, from `from` on in the buffer, is escaped. */
static bool escape(strata_export *to, size_t from) {
    st_buffer *out = &to->printer.out;
    size_t size = out->size - from, more = 0;
    for (size_t i = from; i < out->size; i++) more += escape_of(out->data[i]) != 0;
    if (more == 0) return true;
    if (!st_buffer_reserve(out, more)) return false;
    size_t at = out->size + more;
    out->size = at;
    for (size_t i = from + size; i-- > from;) {
        uint8_t byte = out->data[i];
        char escaped = escape_of(byte);
        out->data[--at] = escaped != 0 ? (uint8_t)escaped : byte;
        if (escaped != 0) out->data[--at] = '\\';
    }
    return true;
}

static bool finish_field(strata_export *to, size_t from, bool null, bool text) {
    if (to->format == STRATA_TEXT_CSV) return null || quote(to, from, text);
    return null ? put(to, "\\N") : escape(to, from);
}

static const char *separator(const strata_export *to) { return to->format == STRATA_TEXT_CSV ? "," : "\t"; }

static bool has_key_column(const strata_export *to, const st_printed_table *table) {
    return (to->printer.flags & STRATA_EXPORT_KEYS) != 0 && table->info.primary == UINT32_MAX;
}

static strata_status write_header(strata_export *to, const st_printed_table *table, strata_error *error) {
    bool room = true, keyed = has_key_column(to, table);
    if (keyed) room = put(to, "$key");
    for (uint32_t i = 0; i < table->column_count && room; i++) {
        room = (i == 0 && !keyed) || put(to, separator(to));
        size_t from = to->printer.out.size;
        room = room && put(to, table->columns[i].info.name) && finish_field(to, from, false, true);
    }
    return room && put(to, "\n") ? STRATA_OK : no_memory(error);
}

static strata_status write_fields(strata_export *to, const st_printed_table *table, strata_row *row,
                                  strata_error *error) {
    bool keyed = has_key_column(to, table);
    if (keyed && !st_print_int(&to->printer, (int64_t)row->key)) return no_memory(error);
    for (uint32_t i = 0; i < table->column_count; i++) {
        bool null, text;
        if ((i > 0 || keyed) && !put(to, separator(to))) return no_memory(error);
        size_t from = to->printer.out.size;
        strata_status status = st_print_cell(&to->printer, row, &table->columns[i], &null, &text, error);
        if (status != STRATA_OK) return status;
        if (!finish_field(to, from, null, text)) return no_memory(error);
    }
    return put(to, "\n") ? STRATA_OK : no_memory(error);
}

/* ---- Objects ---------------------------------------------------------- */

static bool is_columns(const strata_export *to) {
    return to->format == STRATA_TEXT_CSV || to->format == STRATA_TEXT_PLAIN;
}

static bool end_table(strata_export *to) { return to->last == UINT32_MAX || put(to, to->first ? "]" : "\n  ]"); }

static strata_status begin_table(strata_export *to, uint32_t number, strata_error *error) {
    const st_printed_table *table;
    if (to->last == number) return STRATA_OK;
    strata_status status = to->columns != NULL
                               ? st_printer_choose(&to->printer, number, to->columns, to->column_count, error)
                               : STRATA_OK;
    if (status == STRATA_OK) status = st_printer_table(&to->printer, number, &table, error);
    if (status != STRATA_OK) return status;
    if (to->format == STRATA_TEXT_DOCUMENT) {
        strata_bytes name = { table->info.name, strlen(table->info.name) };
        bool room = end_table(to) && put(to, to->begun ? ",\n  " : "{\n  ") &&
                    st_print_string(&to->printer, name) && put(to, ": [");
        if (!room) return no_memory(error);
        to->begun = true;
    }
    to->last = number;
    to->first = true;
    bool header = is_columns(to) && (to->printer.flags & STRATA_EXPORT_HEADER) != 0;
    return header ? write_header(to, table, error) : STRATA_OK;
}

static strata_status write_row(strata_export *to, strata_row *row, strata_error *error) {
    strata_status status = STRATA_OK;
    bool class_name = to->format != STRATA_TEXT_DOCUMENT && (to->printer.flags & STRATA_EXPORT_CLASS) != 0;
    if (to->format == STRATA_TEXT_DOCUMENT && !put(to, to->first ? "\n    " : ",\n    ")) return no_memory(error);
    if (to->format == STRATA_TEXT_ARRAY && !put(to, to->begun ? "," : "[")) return no_memory(error);
    to->begun = true;
    if (is_columns(to)) status = write_fields(to, &to->printer.tables[row->table], row, error);
    else status = st_print_object(&to->printer, row, class_name, error);
    if (status == STRATA_OK && to->format == STRATA_TEXT_LINES && !put(to, "\n")) return no_memory(error);
    to->first = false;
    to->count++;
    return status == STRATA_OK && to->printer.out.size >= FULL ? pass_on(to, error) : status;
}

strata_status strata_export_keys(strata_export *to, uint32_t table, const uint64_t *keys, uint64_t count,
                                 strata_error *error) {
    strata_row rows[BATCH];
    if (to == NULL || (keys == NULL && count != 0))
        return st_fail(error, STRATA_MISUSE, 0, "an export gets no export, or no keys");
    strata_status status = begin_table(to, table, error);
    for (uint64_t from = 0; from < count && status == STRATA_OK; from += BATCH) {
        size_t some = count - from < BATCH ? (size_t)(count - from) : BATCH;
        status = st_printer_look(&to->printer, some, error);
        if (status == STRATA_OK) status = strata_rows_bind(to->printer.view, table, keys + from, some, rows, error);
        if (status == STRATA_OK) st_printer_fetch(&to->printer.tables[table], rows, some);
        for (size_t i = 0; i < some && status == STRATA_OK; i++)
            if (rows[i].block != NULL) status = write_row(to, &rows[i], error);
    }
    return status;
}

strata_status strata_export_table(strata_export *to, uint32_t table, strata_error *error) {
    strata_row rows[BATCH];
    strata_cursor *cursor;
    if (to == NULL) return st_fail(error, STRATA_MISUSE, 0, "an export gets no export");
    strata_status status = begin_table(to, table, error);
    if (status == STRATA_OK) status = strata_scan(to->printer.view, table, false, &cursor, error);
    if (status != STRATA_OK) return status;
    while (status == STRATA_OK) {
        size_t some;
        status = strata_cursor_next_rows(cursor, rows, BATCH, &some, error);
        if (status == STRATA_OK) status = st_printer_look(&to->printer, some, error);
        for (size_t i = 0; status == STRATA_OK && i < some; i++) status = write_row(to, &rows[i], error);
    }
    strata_cursor_close(cursor);
    return status == STRATA_END ? STRATA_OK : status;
}

/* ---- The whole -------------------------------------------------------- */

strata_status strata_export_schema(strata_export *to, strata_error *error) {
    strata_declaration *declaration;
    if (to == NULL || to->format != STRATA_TEXT_LINES)
        return st_fail(error, STRATA_MISUSE, 0, "a schema is exported among lines of JSON only");
    strata_status status = strata_declaration_read(to->printer.view, &declaration, error);
    if (status != STRATA_OK) return status;
    size_t length = strata_declaration_print(declaration, NULL, 0);
    char *text = malloc(length + 1);
    if (text != NULL) strata_declaration_print(declaration, text, length + 1);
    bool room = text != NULL && put(to, "{\"$schema\":") &&
                st_print_string(&to->printer, (strata_bytes){ text, length }) && put(to, "}\n");
    free(text);
    strata_declaration_free(declaration);
    return room ? STRATA_OK : no_memory(error);
}

strata_status strata_export_end(strata_export *to, strata_error *error) {
    if (to == NULL) return st_fail(error, STRATA_MISUSE, 0, "an export gets no export");
    if (to->format == STRATA_TEXT_DOCUMENT) {
        bool room = end_table(to) && put(to, to->begun ? "\n}\n" : "{}\n");
        if (!room) return no_memory(error);
        to->last = UINT32_MAX;
    }
    if (to->format == STRATA_TEXT_ARRAY && !put(to, to->begun ? "]" : "[]")) return no_memory(error);
    to->begun = false;
    return pass_on(to, error);
}
