/* SPDX-License-Identifier: MIT
 * import.c -- objects from text. */
#include "strata_import.h"
#include "strata_migration.h"

#include <stdlib.h>

#include "base/sized.h"
#include "base/status.h"
#include "base/utf8.h"
#include "table/view.h"
#include "transfer/import_options.h"
#include "transfer/object_write.h"
#include "transfer/records.h"

struct strata_import {
    strata_import_options options;
    st_records records;
    st_reading reading;
    st_object_writer writer;
    st_arena memory;       /* of one record */
    st_fields fields;
    uint64_t schema;       /* the hash of the schema for which records are read */
    uint32_t table;        /* of records that do not name theirs; UINT32_MAX: they must */
    uint32_t *columns;     /* of the fields; NULL: the first line names them, and was not read yet */
    uint32_t column_count;
    bool failed; /* it has ended early, maybe within a record */
    strata_import_report report, committed;
};

/* ---- Names of fields -------------------------------------------------- */

static strata_status name_field(strata_import *import, st_read_table *table, strata_bytes name, uint32_t *out,
                                strata_error *error) {
    *out = st_read_column(table, name);
    if (*out != UINT32_MAX) return STRATA_OK;
    bool skipped = import->options.columns != NULL || import->reading.ignore_unknown; /* on purpose */
    *out = (uint32_t)ST_FIELD_NONE;
    if (st_bytes_are(name, "$key")) *out = (uint32_t)ST_FIELD_KEY;
    else if (name.size == 0) *out = (uint32_t)(skipped ? ST_FIELD_NONE : ST_FIELD_NAMELESS);
    else if (!st_bytes_are(name, "$class") && !import->reading.ignore_unknown)
        return st_no_property(table, name, error);
    return STRATA_OK;
}

static strata_status name_fields(strata_import *import, const st_text_field *names, size_t count, strata_error *error) {
    st_read_table *table;
    strata_status status = st_read_table_of(&import->reading, import->table, &table, error);
    if (status != STRATA_OK) return status;
    uint32_t most = table->info.column_count;
    uint32_t *columns = calloc(count + 1, sizeof *columns);
    bool *named = calloc((size_t)most + 1, sizeof *named); /* the last one is the key of the object */
    if (columns == NULL || named == NULL) status = st_no_memory(error, "importing");
    for (size_t i = 0; i < count && status == STRATA_OK; i++) {
        status = name_field(import, table, names[i].text, &columns[i], error);
        uint32_t place = columns[i] == (uint32_t)ST_FIELD_KEY ? most : columns[i];
        if (status != STRATA_OK || place > most) continue;
        if (named[place])
            status = st_same_name(names[i].text, error);
        named[place] = true;
    }
    free(named);
    if (status != STRATA_OK) {
        free(columns);
        return status;
    }
    import->columns = columns;
    import->column_count = (uint32_t)count;
    import->records.fields = count;
    return STRATA_OK;
}

static strata_status name_given_fields(strata_import *import, strata_error *error) {
    const strata_import_options *options = &import->options;
    st_text_field *names = calloc((size_t)options->column_count + 1, sizeof *names);
    if (names == NULL) return st_no_memory(error, "importing");
    for (uint32_t i = 0; i < options->column_count; i++)
        names[i].text = (strata_bytes){ options->columns[i], strlen(options->columns[i]) };
    strata_status status = name_fields(import, names, options->column_count, error);
    free(names);
    return status;
}

/* ---- Records ---------------------------------------------------------- */

static bool is_columns(const strata_import *import) {
    return import->options.format == STRATA_TEXT_CSV || import->options.format == STRATA_TEXT_PLAIN;
}

static strata_status table_of(strata_import *import, const st_record *record, const st_json *json, uint32_t *out,
                              strata_error *error) {
    const st_json *name = st_json_member(json, "$class");
    const strata_view *view = import->reading.view;
    *out = import->table;
    if (name != NULL && name->kind != ST_JSON_STRING)
        return st_fail(error, STRATA_TYPE, 0, "\"$class\" is not a string");
    if (name != NULL) return st_table_named(view, name->text, out, error);
    if (record->table.size != 0) return st_table_named(view, record->table, out, error);
    if (*out != UINT32_MAX) return STRATA_OK;
    return st_fail(error, STRATA_TYPE, 0, "the record does not name its class, as \"$class\", and no default is given");
}

/* Whether records may be objects of a table. */
static strata_status check_outer(strata_import *import, uint32_t table, strata_error *error) {
    st_read_table *found;
    strata_status status = st_read_table_of(&import->reading, table, &found, error);
    if (status != STRATA_OK || (found->info.flags & STRATA_TABLE_EMBEDDED) == 0) return status;
    return st_fail(error, STRATA_TYPE, 0, "%s is embedded: its objects live only inside of others", found->info.name);
}

static strata_status read_json(strata_import *import, const st_record *record, st_object **out, strata_error *error) {
    st_json *json;
    uint32_t table;
    *out = NULL;
    strata_status status = st_json_parse(&import->memory, record->text, &json, error);
    if (status != STRATA_OK) return status;
    if (json->kind != ST_JSON_OBJECT) return st_fail(error, STRATA_TYPE, 0, "expected an object of JSON");
    const st_json *ref = json->count == 1 ? st_json_member(json, "$ref") : NULL;
    if (json->count == 1 && st_json_member(json, "$schema") != NULL) return STRATA_OK;
    status = table_of(import, record, json, &table, error);
    if (status != STRATA_OK) return status;
    if (ref != NULL && (ref->kind != ST_JSON_STRING || ref->text.size == 0))
        return st_fail(error, STRATA_TYPE, 0, "\"$ref\" names no object");
    if (ref != NULL) return st_object_expect(&import->writer, table, ref->text, error);
    status = check_outer(import, table, error);
    import->reading.depth = 0;
    return status == STRATA_OK ? st_object_from_json(&import->reading, table, json, out, error) : status;
}

static strata_status read_columns(strata_import *import, const st_record *record, st_object **out,
                                  strata_error *error) {
    const strata_import_options *options = &import->options;
    *out = NULL;
    strata_status status = st_fields_read(&import->fields, &import->memory, options->format, options->separator,
                                          record->text, error);
    if (status != STRATA_OK) return status;
    import->reading.depth = 0;
    return st_object_from_fields(&import->reading, import->table, &import->fields, import->columns,
                                 import->column_count, out, error);
}

/* The object of a record that fits; NULL if it is none. */
static strata_status read_record(strata_import *import, const st_record *record, st_object **out,
                                 strata_error *error) {
    if (!st_utf8_valid(record->text.data, record->text.size))
        return st_fail(error, STRATA_TYPE, 0, "the record is not valid UTF-8");
    strata_status status = is_columns(import) ? read_columns(import, record, out, error)
                                              : read_json(import, record, out, error);
    return status == STRATA_OK && *out != NULL ? st_object_check(&import->writer, *out, error) : status;
}

static bool is_refusal(strata_status status) {
    return status == STRATA_TYPE || status == STRATA_NOT_FOUND || status == STRATA_TOO_LARGE ||
           status == STRATA_DUPLICATE;
}

static strata_status refuse(strata_import *import, const st_record *record, strata_status status,
                            const strata_error *reason, strata_error *error) {
    import->report.refused++;
    if (import->options.refused == NULL) {
        if (error != NULL) *error = *reason;
        return st_at_line(record, status, error);
    }
    if (import->options.refused(import->options.context, record->line, record->text, reason)) return STRATA_OK;
    return st_fail(error, STRATA_CANCELLED, 0, "the import was stopped at line %llu",
                   (unsigned long long)record->line);
}

static strata_status read_header(strata_import *import, const st_record *record, strata_error *error) {
    const strata_import_options *options = &import->options;
    const strata_bytes text = record->text;
    strata_status status = st_utf8_valid(text.data, text.size)
                               ? st_fields_read(&import->fields, &import->memory, options->format,
                                                options->separator, text, error)
                               : st_fail(error, STRATA_TYPE, 0, "the names of the fields are not valid UTF-8");
    if (status == STRATA_OK) status = name_fields(import, import->fields.list, import->fields.count, error);
    return status == STRATA_OK ? status : st_at_line(record, status, error);
}

static strata_status take_record(void *context, const st_record *record, strata_error *error) {
    strata_import *import = context;
    strata_error reason;
    st_object *object;
    st_arena_reset(&import->memory);
    if (is_columns(import) && import->columns == NULL) return read_header(import, record, error);
    import->report.records++;
    strata_status status = read_record(import, record, &object, &reason);
    if (status == STRATA_OK && object == NULL) {
        import->report.records--;
        return STRATA_OK;
    }
    if (is_refusal(status)) return refuse(import, record, status, &reason, error);
    if (status != STRATA_OK) {
        if (error != NULL) *error = reason;
        return status;
    }
    status = st_object_write(&import->writer, object, error);
    return status == STRATA_OK ? STRATA_OK : st_at_line(record, status, error);
}

/* ---- Opening ---------------------------------------------------------- */

static strata_status find_table(strata_import *import, strata_error *error) {
    const char *name = import->options.table;
    import->table = UINT32_MAX;
    if (name != NULL)
        return st_table_named(import->reading.view, (strata_bytes){ name, strlen(name) }, &import->table, error);
    if (!is_columns(import)) return STRATA_OK;
    return st_fail(error, STRATA_MISUSE, 0, "lines of CSV and plain columns need a class: set `table`");
}

strata_status strata_import_open(strata_view *view, const strata_import_options *options, strata_import **out,
                                 strata_error *error) {
    if (out == NULL) return st_fail(error, STRATA_MISUSE, 0, "an import is opened to nowhere");
    *out = NULL;
    strata_status status = st_view_check(view, error); /* it need not show anything: an import begins with a write */
    if (status != STRATA_OK) return status;
    strata_import *import = calloc(1, sizeof *import);
    if (import == NULL) return st_no_memory(error, "importing");
    status = st_import_options_read(&import->options, options, error);
    st_records_begin(&import->records, import->options.format, import->options.separator, take_record, import);
    if (status == STRATA_OK) status = st_reading_open(&import->reading, view, &import->memory, error);
    if (status == STRATA_OK) status = find_table(import, error);
    import->schema = strata_schema_hash(view);
    import->reading.ignore_unknown = (import->options.flags & STRATA_IMPORT_IGNORE_UNKNOWN) != 0;
    import->writer.reading = &import->reading;
    import->writer.object_keys = (import->options.flags & STRATA_IMPORT_KEYS) != 0;
    import->writer.update = (import->options.flags & STRATA_IMPORT_UPDATE) != 0;
    if (status == STRATA_OK && is_columns(import)) status = check_outer(import, import->table, error);
    if (status == STRATA_OK && is_columns(import) && import->options.columns != NULL)
        status = name_given_fields(import, error);
    if (status == STRATA_OK) *out = import;
    else strata_import_close(import);
    return status;
}

void strata_import_close(strata_import *import) {
    if (import == NULL) return;
    st_records_free(&import->records);
    st_reading_close(&import->reading);
    st_object_writer_free(&import->writer);
    st_arena_free(&import->memory);
    st_fields_free(&import->fields);
    free(import->columns);
    free(import);
}

/* ---- Importing -------------------------------------------------------- */

/* What has become of some text. An import does what it is asked or fails; a status that is an answer elsewhere, that
 * there is no class of a name, says here that a record does not fit. */
static strata_status outcome(strata_import *import, strata_status status, strata_error *error) {
    import->failed = status != STRATA_OK;
    if (status <= STRATA_OK) return status;
    if (error != NULL) error->status = STRATA_TYPE;
    return STRATA_TYPE;
}

strata_status strata_import_feed(strata_import *import, const void *text, size_t size, strata_error *error) {
    if (import == NULL || (text == NULL && size != 0))
        return st_fail(error, STRATA_MISUSE, 0, "an import gets no import, or no text");
    if (import->failed)
        return st_fail(error, STRATA_MISUSE, 0, "an import that failed goes on; close it, and open another one");
    if (!strata_view_is_writing(import->reading.view))
        return st_fail(error, STRATA_NOT_WRITING, 0, "an import needs a write; call strata_view_begin() before");
    if (strata_schema_hash(import->reading.view) != import->schema)
        return st_fail(error, STRATA_SCHEMA_MISMATCH, 0, "another program has changed the schema of the file between two "
                                                         "writes of the import; what was committed stays");
    return outcome(import, st_records_feed(&import->records, (strata_bytes){ text, size }, error), error);
}

void strata_import_get_report(const strata_import *import, strata_import_report *report, size_t size) {
    static const strata_import_report none;
    if (report == NULL) return;
    if (import == NULL) {
        st_sized_write(report, size, &none, sizeof none);
        return;
    }
    strata_import_report copy = import->report;
    copy.created = import->writer.created;
    copy.updated = import->writer.updated;
    copy.last = import->writer.last;
    copy.line = st_records_next_line(&import->records);
    copy.keyless = import->writer.keyless;
    st_sized_write(report, size, &copy, sizeof copy);
}

static strata_status end(strata_import *import, strata_error *error) {
    strata_status status = st_records_end(&import->records, error);
    if (status != STRATA_OK) return status;
    return st_object_writer_finish(&import->writer, false, &import->report.missing, import->report.first_missing,
                                   sizeof import->report.first_missing, error);
}

strata_status strata_import_finish_sized(strata_import *import, strata_import_report *report, size_t size,
                                         strata_error *error) {
    strata_status status = strata_import_feed(import, NULL, 0, error);
    if (status == STRATA_OK) status = outcome(import, end(import, error), error);
    strata_import_get_report(import, report, size);
    return status;
}

strata_status strata_import_commit(strata_import *import, strata_error *error) {
    strata_status status = strata_import_feed(import, NULL, 0, error);
    if (status == STRATA_OK) status = strata_view_commit(import->reading.view, error);
    if (status != STRATA_OK) return status;
    strata_import_get_report(import, &import->committed, sizeof import->committed);
    import->writer.known.write++;
    return strata_view_begin(import->reading.view, error);
}

strata_status strata_import_abandon_sized(strata_import *import, strata_import_report *report, size_t size,
                                          strata_error *error) {
    if (import == NULL) return st_fail(error, STRATA_MISUSE, 0, "an import is abandoned that is none");
    if (!strata_view_is_writing(import->reading.view))
        return st_fail(error, STRATA_NOT_WRITING, 0, "an import is abandoned in a write; call strata_view_begin() before");
    import->failed = true;
    strata_import_report *left = &import->committed;
    strata_status status = st_object_writer_finish(&import->writer, true, &left->missing, left->first_missing,
                                                   sizeof left->first_missing, error);
    if (report != NULL) st_sized_write(report, size, left, sizeof *left);
    return status;
}
