/* SPDX-License-Identifier: MIT
 *
 * guess.c -- what classes some text is of.
 *
 * Of each property it is noted which kinds of values it had. The narrowest type that takes them all is declared.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/status.h"
#include "base/utf8.h"
#include "strata_import.h"
#include "transfer/declaration.h"
#include "transfer/fields.h"
#include "transfer/import_options.h"
#include "transfer/json.h"
#include "transfer/records.h"
#include "transfer/value_read.h"

/* Kinds of values, as bits. */
enum {
    SEEN_NULL = 1, SEEN_BOOL = 2, SEEN_INT = 4, SEEN_REAL = 8, SEEN_DATE = 16, SEEN_UUID = 32, SEEN_OBJECT_ID = 64,
    SEEN_STRING = 128, SEEN_LIST = 256, SEEN_MAP = 512
};

typedef struct guessed_column {
    strata_bytes name;
    uint32_t seen;     /* of values */
    uint32_t elements; /* of what was in lists */
    uint64_t count;    /* of records that have it */
} guessed_column;

typedef struct guessed_table {
    strata_bytes name;
    guessed_column *columns;
    size_t count, capacity;
    size_t hint; /* the column that the next property probably names */
    uint64_t records;
} guessed_table;

struct strata_guess {
    strata_import_options options;
    st_records records;
    st_arena memory; /* of one record */
    st_arena names;
    st_fields fields;
    bool has_names;  /* of fields */
    guessed_table *tables;
    size_t count, capacity;
    strata_bytes declaration; /* the text of a line that has one */
};

static strata_status no_memory(strata_error *error) { return st_no_memory(error, "guessing types"); }

/* ---- Tables and columns ----------------------------------------------- */

static bool copy_name(strata_guess *guess, strata_bytes name, strata_bytes *out) {
    char *copy = st_arena_alloc(&guess->names, name.size + 1);
    if (copy == NULL) return false;
    if (name.size != 0) memcpy(copy, name.data, name.size);
    *out = (strata_bytes){ copy, name.size };
    return true;
}

static bool same(strata_bytes a, strata_bytes b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static guessed_table *table_named(strata_guess *guess, strata_bytes name) {
    for (size_t i = 0; i < guess->count; i++)
        if (same(guess->tables[i].name, name)) return &guess->tables[i];
    if (guess->count == STRATA_MAX_TABLES ||
        !st_array_grow((void **)&guess->tables, &guess->capacity, guess->count, sizeof *guess->tables))
        return NULL;
    guessed_table *table = &guess->tables[guess->count];
    *table = (guessed_table){ .columns = NULL };
    if (!copy_name(guess, name, &table->name)) return NULL;
    guess->count++;
    return table;
}

/* NULL if there is no memory, or there are too many. */
static guessed_column *column_named(strata_guess *guess, guessed_table *table, strata_bytes name) {
    for (size_t i = 0, at = table->hint; i < table->count; i++, at++) {
        if (at >= table->count) at = 0;
        if (!same(table->columns[at].name, name)) continue;
        table->hint = at + 1;
        return &table->columns[at];
    }
    if (table->count == STRATA_MAX_COLUMNS ||
        !st_array_grow((void **)&table->columns, &table->capacity, table->count, sizeof *table->columns))
        return NULL;
    guessed_column *column = &table->columns[table->count];
    *column = (guessed_column){ .seen = 0 };
    if (!copy_name(guess, name, &column->name)) return NULL;
    table->count++;
    return column;
}

/* ---- Kinds ------------------------------------------------------------ */

static bool is(strata_guess *guess, strata_type type, strata_bytes text) {
    strata_value value;
    return st_value_from_text(&guess->memory, type, text, &value, NULL) == STRATA_OK;
}

static bool begins_like_date(strata_bytes text) {
    const char *at = text.data;
    return text.size >= 10 && at[4] == '-' && at[7] == '-';
}

/* What a string may be besides that. */
static uint32_t kind_of_string(strata_guess *guess, strata_bytes text) {
    if (begins_like_date(text) && is(guess, STRATA_DATE, text)) return SEEN_DATE;
    if (text.size == 36 && is(guess, STRATA_UUID, text)) return SEEN_UUID;
    if (text.size == 24 && is(guess, STRATA_OBJECT_ID, text)) return SEEN_OBJECT_ID;
    return SEEN_STRING;
}

/* Of CSV: a number that begins with 0, such as a post code, is a string, and so are 0 and 1 no bools. */
static uint32_t kind_of_field(strata_guess *guess, const st_text_field *field) {
    strata_bytes text = field->text;
    const char *at = text.data;
    if (field->null) return SEEN_NULL;
    if (text.size == 0) return SEEN_STRING;
    bool zero = text.size > 1 && at[0] == '0' && at[1] >= '0' && at[1] <= '9';
    if (st_bytes_are(text, "true") || st_bytes_are(text, "false")) return SEEN_BOOL;
    if (!zero && at[0] != '+' && is(guess, STRATA_INT, text)) return SEEN_INT;
    if (!zero && strchr("0123456789-.", at[0]) != NULL && is(guess, STRATA_DOUBLE, text)) return SEEN_REAL;
    return kind_of_string(guess, text);
}

static uint32_t kind_of_json(strata_guess *guess, const st_json *json) {
    int64_t number;
    switch (json->kind) {
    case ST_JSON_NULL: return SEEN_NULL;
    case ST_JSON_FALSE: case ST_JSON_TRUE: return SEEN_BOOL;
    case ST_JSON_NUMBER: return memchr(json->text.data, '.', json->text.size) == NULL && st_json_int(json, &number)
                                    ? SEEN_INT : SEEN_REAL;
    case ST_JSON_STRING: return kind_of_string(guess, json->text);
    case ST_JSON_ARRAY: return SEEN_LIST;
    case ST_JSON_OBJECT: break;
    }
    return SEEN_MAP;
}

/* ---- Records ---------------------------------------------------------- */

static strata_status note_member(strata_guess *guess, guessed_table *table, const st_json *member,
                                 strata_error *error) {
    if (member->name.size > 0 && *(const char *)member->name.data == '$') return STRATA_OK;
    guessed_column *column = column_named(guess, table, member->name);
    if (column == NULL) return table->count == STRATA_MAX_COLUMNS ? STRATA_OK : no_memory(error);
    column->count++;
    column->seen |= kind_of_json(guess, member);
    if (member->kind != ST_JSON_ARRAY) return STRATA_OK;
    for (const st_json *entry = member->first; entry != NULL; entry = entry->next)
        column->elements |= kind_of_json(guess, entry);
    return STRATA_OK;
}

static strata_status note_object(strata_guess *guess, const st_record *record, strata_error *error) {
    st_json *json;
    if (st_json_parse(&guess->memory, record->text, &json, NULL) != STRATA_OK || json->kind != ST_JSON_OBJECT)
        return STRATA_OK;
    const st_json *schema = st_json_member(json, "$schema"), *class_name = st_json_member(json, "$class");
    if (json->count == 1 && schema != NULL && schema->kind == ST_JSON_STRING)
        return copy_name(guess, schema->text, &guess->declaration) ? STRATA_OK : no_memory(error);
    strata_bytes name = record->table;
    if (guess->options.table != NULL && name.size == 0)
        name = (strata_bytes){ guess->options.table, strlen(guess->options.table) };
    if (class_name != NULL && class_name->kind == ST_JSON_STRING) name = class_name->text;
    if (name.size == 0 || guess->declaration.data != NULL) return STRATA_OK;
    guessed_table *table = table_named(guess, name);
    if (table == NULL) return no_memory(error);
    table->records++;
    table->hint = 0;
    strata_status status = STRATA_OK;
    for (const st_json *member = json->first; member != NULL && status == STRATA_OK; member = member->next)
        status = note_member(guess, table, member, error);
    return status;
}

static strata_status note_names(strata_guess *guess, guessed_table *table, strata_error *error) {
    guess->has_names = true;
    for (size_t i = 0; i < guess->fields.count; i++) {
        strata_bytes name = guess->fields.list[i].text;
        if (i == 0 && name.size >= 3 && memcmp(name.data, "\xEF\xBB\xBF", 3) == 0)
            name = (strata_bytes){ (const char *)name.data + 3, name.size - 3 };
        table->hint = table->count;
        if (column_named(guess, table, name) == NULL && table->count < STRATA_MAX_COLUMNS) return no_memory(error);
    }
    return STRATA_OK;
}

static strata_status note_fields(strata_guess *guess, const st_record *record, strata_error *error) {
    const strata_import_options *options = &guess->options;
    strata_bytes name = { options->table, strlen(options->table) };
    guessed_table *table = table_named(guess, name);
    if (table == NULL) return no_memory(error);
    if (st_fields_read(&guess->fields, &guess->memory, options->format, options->separator, record->text, NULL) !=
        STRATA_OK)
        return STRATA_OK;
    if (!guess->has_names) return note_names(guess, table, error);
    table->records++;
    for (size_t i = 0; i < guess->fields.count && i < table->count; i++) {
        table->columns[i].count++;
        table->columns[i].seen |= kind_of_field(guess, &guess->fields.list[i]);
    }
    return STRATA_OK;
}

static strata_status take_record(void *context, const st_record *record, strata_error *error) {
    strata_guess *guess = context;
    st_arena_reset(&guess->memory);
    if (!st_utf8_valid(record->text.data, record->text.size)) return STRATA_OK;
    bool columns = guess->options.format == STRATA_TEXT_CSV || guess->options.format == STRATA_TEXT_PLAIN;
    return columns ? note_fields(guess, record, error) : note_object(guess, record, error);
}

/* ---- Declaring -------------------------------------------------------- */

/* The type of values of these kinds. `json`: what does not fit one type is any; otherwise it is a string. */
static strata_type type_of(uint32_t seen, bool json) {
    switch (seen & ~(uint32_t)SEEN_NULL) {
    case SEEN_BOOL: return STRATA_BOOL;
    case SEEN_INT: return STRATA_INT;
    case SEEN_REAL: case SEEN_REAL | SEEN_INT: return STRATA_DOUBLE;
    case SEEN_DATE: return STRATA_DATE;
    case SEEN_UUID: return STRATA_UUID;
    case SEEN_OBJECT_ID: return STRATA_OBJECT_ID;
    case 0: return json ? STRATA_MIXED : STRATA_STRING;
    default: break;
    }
    uint32_t strings = SEEN_NULL | SEEN_DATE | SEEN_UUID | SEEN_OBJECT_ID | SEEN_STRING;
    return !json || (seen & ~strings) == 0 ? STRATA_STRING : STRATA_MIXED;
}

static strata_column_spec declared_column(const guessed_table *table, const guessed_column *column, bool json) {
    strata_column_spec spec = { NULL, STRATA_MIXED, STRATA_SINGLE, 0, NULL };
    bool some_null = (column->seen & SEEN_NULL) != 0 || column->count < table->records;
    if ((column->seen & ~(uint32_t)SEEN_NULL) == SEEN_LIST && (column->seen & SEEN_NULL) == 0) {
        spec.type = type_of(column->elements, true);
        spec.collection = STRATA_LIST;
        some_null = (column->elements & SEEN_NULL) != 0;
    } else if ((column->seen & (SEEN_LIST | SEEN_MAP)) == 0) {
        spec.type = type_of(column->seen, json);
    }
    if (some_null || spec.type == STRATA_MIXED) spec.flags |= STRATA_COLUMN_NULLABLE;
    return spec;
}

static bool can_be_primary(strata_type type) {
    return type == STRATA_INT || type == STRATA_STRING || type == STRATA_UUID || type == STRATA_OBJECT_ID;
}

static strata_status declare_table(strata_guess *guess, st_declaring *declaring, const guessed_table *table,
                                   const char *primary, strata_error *error) {
    bool json = guess->options.format == STRATA_TEXT_LINES || guess->options.format == STRATA_TEXT_DOCUMENT;
    bool found = primary == NULL;
    strata_bytes nothing = { NULL, 0 };
    strata_status status = st_declaring_table(declaring, table->name, 0, error);
    for (size_t i = 0; i < table->count && status == STRATA_OK; i++) {
        const guessed_column *column = &table->columns[i];
        strata_column_spec spec = declared_column(table, column, json);
        if (column->name.size == 0 || *(const char *)column->name.data == '$') continue;
        if (primary != NULL && st_bytes_are(column->name, primary)) {
            found = true;
            if (spec.collection != STRATA_SINGLE || !can_be_primary(spec.type))
                return st_fail(error, STRATA_TYPE, 0, "'%s' cannot be the primary key: it is neither an int, a "
                               "string, a uuid nor an objectId", primary);
            spec.flags = STRATA_COLUMN_PRIMARY | (spec.flags & STRATA_COLUMN_NULLABLE);
        }
        status = st_declaring_column(declaring, column->name, nothing, &spec, error);
    }
    if (status != STRATA_OK || found) return status;
    return st_fail(error, STRATA_NOT_FOUND, 0, "no record of %.*s has a property '%s' that could be the primary key",
                   (int)st_utf8_fit(table->name.data, table->name.size, 60), (const char *)table->name.data, primary);
}

strata_status strata_guess_finish(strata_guess *guess, const char *primary, strata_declaration **out,
                                  strata_error *error) {
    st_declaring declaring;
    if (guess == NULL || out == NULL)
        return st_fail(error, STRATA_MISUSE, 0, "types are guessed without a guess, or to nowhere");
    strata_status status = st_records_end(&guess->records, error);
    if (status != STRATA_OK) return status;
    if (guess->declaration.data != NULL)
        return strata_declaration_parse(guess->declaration.data, guess->declaration.size, out, error);
    status = st_declaring_begin(&declaring, error);
    for (size_t i = 0; i < guess->count && status == STRATA_OK; i++)
        status = declare_table(guess, &declaring, &guess->tables[i], primary, error);
    if (status == STRATA_OK) status = st_declaring_end(&declaring, 0, out, error);
    st_declaring_free(&declaring);
    return status;
}

/* ---- Opening ---------------------------------------------------------- */

strata_status strata_guess_open(const strata_import_options *options, strata_guess **out, strata_error *error) {
    if (out == NULL) return st_fail(error, STRATA_MISUSE, 0, "a guess is opened to nowhere");
    strata_guess *guess = calloc(1, sizeof *guess);
    if (guess == NULL) return no_memory(error);
    strata_status status = st_import_options_read(&guess->options, options, error);
    bool columns = guess->options.format == STRATA_TEXT_CSV || guess->options.format == STRATA_TEXT_PLAIN;
    if (status == STRATA_OK && columns && guess->options.table == NULL)
        status = st_fail(error, STRATA_MISUSE, 0, "lines of CSV and plain columns need a class: set `table`");
    st_records_begin(&guess->records, guess->options.format, guess->options.separator, take_record, guess);
    if (status == STRATA_OK && columns && guess->options.columns != NULL) {
        guessed_table *table = table_named(guess, (strata_bytes){ guess->options.table, strlen(guess->options.table) });
        guess->has_names = true;
        for (uint32_t i = 0; table != NULL && i < guess->options.column_count; i++) {
            const char *name = guess->options.columns[i];
            table->hint = table->count;
            if (column_named(guess, table, (strata_bytes){ name, strlen(name) }) == NULL) table = NULL;
        }
        if (table == NULL) status = no_memory(error);
    }
    if (status == STRATA_OK) *out = guess;
    else strata_guess_close(guess);
    return status;
}

strata_status strata_guess_feed(strata_guess *guess, const void *text, size_t size, strata_error *error) {
    if (guess == NULL || (text == NULL && size != 0))
        return st_fail(error, STRATA_MISUSE, 0, "a guess gets no guess, or no text");
    return st_records_feed(&guess->records, (strata_bytes){ text, size }, error);
}

void strata_guess_close(strata_guess *guess) {
    if (guess == NULL) return;
    for (size_t i = 0; i < guess->count; i++) free(guess->tables[i].columns);
    free(guess->tables);
    st_records_free(&guess->records);
    st_arena_free(&guess->memory);
    st_arena_free(&guess->names);
    st_fields_free(&guess->fields);
    free(guess);
}
