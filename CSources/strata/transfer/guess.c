/* SPDX-License-Identifier: MIT
 *
 * guess.c -- what classes some text is of.
 *
 * Of each property it is noted which kinds of values it had. The narrowest type that takes them all is declared.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "base/utf8.h"
#include "predicate/number.h"
#include "strata_import.h"
#include "transfer/fields.h"
#include "transfer/guessed.h"
#include "transfer/import_options.h"
#include "transfer/json.h"
#include "transfer/records.h"
#include "transfer/value_read.h"

struct strata_guess {
    strata_import_options options;
    st_records records;
    st_arena memory; /* of one record */
    st_fields fields;
    bool has_names;  /* of fields */
    bool declares;   /* the class of the record is to be declared */
    st_guessed guessed;
    strata_bytes declaration; /* the text of a line that has one */
};

static strata_status no_memory(strata_error *error) { return st_no_memory(error, "guessing types"); }

/* ---- Kinds ------------------------------------------------------------ */

static bool is(strata_guess *guess, strata_type type, strata_bytes text) {
    strata_value value;
    return st_value_from_text(&guess->memory, type, text, &value, NULL) == STRATA_OK;
}

static bool begins_like_date(strata_bytes text) {
    const char *at = text.data;
    return text.size >= 10 && at[4] == '-' && at[7] == '-';
}

/* A member that is not a property. */
static bool is_ours(strata_bytes name) { return name.size > 0 && *(const char *)name.data == '$'; }

/* Whether a name is that of a property which is declared, or says something besides. */
static bool is_taken(const strata_guess *guess, strata_bytes name) {
    if (name.size != 0 && !is_ours(name)) return true;
    if (st_bytes_are(name, "$class") || st_bytes_are(name, "$key") || st_bytes_are(name, "$refId")) return true;
    return (guess->options.flags & STRATA_IMPORT_IGNORE_UNKNOWN) != 0;
}

static strata_status no_name(const st_guessed_table *table, strata_bytes name, strata_error *error) {
    int length = (int)st_utf8_fit(name.data, name.size, 60);
    return st_fail(error, STRATA_TYPE, 0,
                   "%.*s gets no property '%.*s' from a text: the name is empty, or begins with \"$\"",
                   (int)st_utf8_fit(table->name.data, table->name.size, 60), (const char *)table->name.data, length,
                   length == 0 ? "" : (const char *)name.data);
}

/* What a string may be besides that. */
static uint32_t kind_of_string(strata_guess *guess, strata_bytes text) {
    if (begins_like_date(text) && is(guess, STRATA_DATE, text)) return ST_SEEN_DATE;
    if (text.size == 36 && is(guess, STRATA_UUID, text)) return ST_SEEN_UUID;
    if (text.size == 24 && is(guess, STRATA_OBJECT_ID, text)) return ST_SEEN_OBJECT_ID;
    return ST_SEEN_STRING;
}

/* A number that is not whole, or is larger than 64 bits hold: does it survive as a double? */
static uint32_t kind_of_real(strata_bytes text) {
    bool is_long = st_number_is_whole(text.data, text.size) || !st_number_is_kept(text.data, text.size);
    return is_long ? ST_SEEN_REAL | ST_SEEN_LONG : ST_SEEN_REAL;
}

static uint32_t kind_of_int(int64_t number) {
    const int64_t most = INT64_C(1) << 53;
    return number > most || number < -most ? ST_SEEN_INT | ST_SEEN_LONG : ST_SEEN_INT;
}

/* Of CSV: a number that begins with 0, such as a post code, is a string, and so is one that no type keeps with all of its
 * digits; 0 and 1 are no bools. */
static uint32_t kind_of_field(strata_guess *guess, const st_text_field *field) {
    strata_bytes text = field->text;
    const char *at = text.data;
    if (field->null) return ST_SEEN_NULL;
    if (text.size == 0) return ST_SEEN_STRING;
    bool zero = text.size > 1 && at[0] == '0' && at[1] >= '0' && at[1] <= '9';
    if (st_bytes_are(text, "true") || st_bytes_are(text, "false")) return ST_SEEN_BOOL;
    strata_value value;
    if (!zero && at[0] != '+' && st_value_from_text(&guess->memory, STRATA_INT, text, &value, NULL) == STRATA_OK)
        return kind_of_int(value.as.integer);
    bool real = !zero && strchr("0123456789-.", at[0]) != NULL && is(guess, STRATA_DOUBLE, text);
    uint32_t kind = real ? kind_of_real(text) : 0;
    if (real && ((kind & ST_SEEN_LONG) == 0 || is(guess, STRATA_DECIMAL, text))) return kind;
    return kind_of_string(guess, text);
}

/* Of a value that says its type itself. */
static uint32_t kind_of_type(strata_type type) {
    switch (type) {
    case STRATA_INT: return ST_SEEN_INT;
    case STRATA_FLOAT: return ST_SEEN_FLOAT;
    case STRATA_DOUBLE: return ST_SEEN_REAL;
    case STRATA_DECIMAL: return ST_SEEN_DECIMAL;
    case STRATA_DATE: return ST_SEEN_DATE;
    case STRATA_DATA: return ST_SEEN_DATA;
    case STRATA_UUID: return ST_SEEN_UUID;
    default: return ST_SEEN_OBJECT_ID;
    }
}

/* The class that the name of an object begins with, as in "Person#7"; nothing if it has none. */
static strata_bytes class_in(const st_json *name) {
    if (name == NULL || name->kind != ST_JSON_STRING || name->text.size == 0) return (strata_bytes){ NULL, 0 };
    const char *begin = name->text.data, *end = memchr(begin, '#', name->text.size);
    return (strata_bytes){ begin, end == NULL ? 0 : (size_t)(end - begin) };
}

/* Whether there is a reference in a value, or an object that one may lead to. */
static bool has_reference(const st_json *json) {
    if (json->kind != ST_JSON_OBJECT && json->kind != ST_JSON_ARRAY) return false;
    if (json->kind == ST_JSON_OBJECT && (st_json_member(json, "$ref") != NULL || st_json_member(json, "$refId") != NULL))
        return true;
    for (const st_json *entry = json->first; entry != NULL; entry = entry->next)
        if (has_reference(entry)) return true;
    return false;
}

static uint32_t kind_of_json(strata_guess *guess, const st_json *json) {
    int64_t number;
    strata_type type;
    switch (json->kind) {
    case ST_JSON_NULL: return ST_SEEN_NULL;
    case ST_JSON_FALSE: case ST_JSON_TRUE: return ST_SEEN_BOOL;
    case ST_JSON_NUMBER: return memchr(json->text.data, '.', json->text.size) == NULL && st_json_int(json, &number)
                                    ? kind_of_int(number) : kind_of_real(json->text);
    case ST_JSON_STRING: return kind_of_string(guess, json->text);
    case ST_JSON_ARRAY: return ST_SEEN_LIST;
    case ST_JSON_OBJECT: break;
    }
    if (json->count == 1 && st_bytes_are(json->first->name, "$key")) return ST_SEEN_KEY;
    return st_json_tag(json, &type) ? kind_of_type(type) : ST_SEEN_OBJECT;
}

/* ---- Records ---------------------------------------------------------- */

/* Notes an object that is a value: the class that it names, or else its properties. */
static strata_status note_inner(strata_guess *guess, st_guessed_values *values, const st_json *json,
                                strata_error *error) {
    const st_json *ref = st_json_member(json, "$ref");
    strata_bytes name = class_in(ref != NULL ? ref : st_json_member(json, "$refId"));
    if (name.size != 0) {
        st_guessed_table *table = st_guessed_table_of(&guess->guessed, name);
        if (table == NULL) return no_memory(error);
        table->referenced = table->referenced || ref != NULL;
        values->seen |= ST_SEEN_LINK;
        values->several = values->several || (values->target.size != 0 && values->target.data != table->name.data);
        values->target = table->name;
        return STRATA_OK;
    }
    values->seen |= ST_SEEN_OBJECT;
    st_guessed_table *shape = st_guessed_shape_of(&guess->guessed, values);
    if (shape == NULL) return no_memory(error);
    shape->hint = 0;
    for (const st_json *member = json->first; member != NULL; member = member->next) {
        if (is_ours(member->name) || shape->count == STRATA_MAX_COLUMNS) continue;
        if (st_guessed_column_of(&guess->guessed, shape, member->name) == NULL) return no_memory(error);
    }
    return STRATA_OK;
}

static strata_status note_value(strata_guess *guess, st_guessed_values *values, const st_json *json,
                                strata_error *error) {
    uint32_t kind = kind_of_json(guess, json);
    if (kind == ST_SEEN_OBJECT) return note_inner(guess, values, json, error);
    values->seen |= kind;
    strata_value value; /* JSON has numbers that no type holds */
    if ((kind & ST_SEEN_REAL) == 0 || (kind & ST_SEEN_LONG) == 0 || !guess->declares) return STRATA_OK;
    return st_value_from_json(&guess->memory, STRATA_DECIMAL, json, &value, error);
}

static strata_status note_entries(strata_guess *guess, st_guessed_values *values, const st_json *json,
                                  strata_error *error) {
    strata_status status = STRATA_OK;
    for (const st_json *entry = json->first; entry != NULL && status == STRATA_OK; entry = entry->next)
        status = note_value(guess, values, entry, error);
    return status;
}

/* Puts the property in front of a message. */
static strata_status of_property(const st_guessed_table *table, const st_guessed_column *column, strata_status status,
                                 strata_error *error) {
    strata_error inner;
    if (status == STRATA_OK || status == STRATA_NO_MEMORY || error == NULL) return status;
    inner = *error;
    return st_fail(error, status, 0, "%.*s.%.*s: %s", (int)st_utf8_fit(table->name.data, table->name.size, 60),
                   (const char *)table->name.data, (int)st_utf8_fit(column->name.data, column->name.size, 60),
                   (const char *)column->name.data, inner.message);
}

static strata_status note_member(strata_guess *guess, st_guessed_table *table, const st_json *member, bool outer,
                                 strata_error *error) {
    if (!table->known && !is_taken(guess, member->name)) return no_name(table, member->name, error);
    if (is_ours(member->name)) return STRATA_OK;
    st_guessed_column *column = st_guessed_column_of(&guess->guessed, table, member->name);
    if (column == NULL) return table->count == STRATA_MAX_COLUMNS ? STRATA_OK : no_memory(error);
    if (column->last == table->records)
        return of_property(table, column, st_fail(error, STRATA_TYPE, 0, "the record has it twice"), error);
    column->last = table->records;
    column->count++;
    bool key = outer && (st_bytes_are(column->name, "_id") || st_bytes_are(column->name, "id"));
    if (key && (member->kind == ST_JSON_STRING || member->kind == ST_JSON_NUMBER) &&
        !st_guessed_note_key(column, member->text))
        return no_memory(error);
    column->refers = column->refers || has_reference(member);
    guess->declares = !table->known;
    strata_status status = note_value(guess, &column->values, member, error);
    if (status == STRATA_OK && member->kind == ST_JSON_ARRAY)
        status = note_entries(guess, &column->elements, member, error);
    if (status == STRATA_OK && member->kind == ST_JSON_OBJECT)
        status = note_entries(guess, &column->entries, member, error);
    return of_property(table, column, status, error);
}

static strata_status note_members(strata_guess *guess, strata_bytes name, const st_json *json, bool outer,
                                  strata_error *error) {
    st_guessed_table *table = st_guessed_table_of(&guess->guessed, name);
    if (table == NULL) return no_memory(error);
    table->records++;
    table->outer += outer;
    table->hint = 0;
    strata_status status = STRATA_OK;
    for (const st_json *member = json->first; member != NULL && status == STRATA_OK; member = member->next)
        status = note_member(guess, table, member, outer, error);
    return status;
}

/* Notes the class to which a value of any type links by a primary key. */
static strata_status note_link(strata_guess *guess, const st_json *link, strata_error *error) {
    if (link == NULL || link->kind != ST_JSON_ARRAY || link->count != 2 || link->first->kind != ST_JSON_STRING ||
        link->first->next->kind == ST_JSON_OBJECT)
        return STRATA_OK;
    st_guessed_table *table = st_guessed_table_of(&guess->guessed, link->first->text);
    if (table == NULL) return no_memory(error);
    table->keyed = true;
    return STRATA_OK;
}

/* Notes the objects inside of a value that say of which class they are. */
static strata_status note_inside(strata_guess *guess, const st_json *json, strata_error *error) {
    strata_status status = STRATA_OK;
    for (const st_json *entry = json->first; entry != NULL && status == STRATA_OK; entry = entry->next) {
        if (entry->kind != ST_JSON_OBJECT && entry->kind != ST_JSON_ARRAY) continue;
        strata_bytes name = class_in(entry->kind == ST_JSON_OBJECT ? st_json_member(entry, "$refId") : NULL);
        if (name.size != 0) status = note_members(guess, name, entry, false, error);
        if (status == STRATA_OK) status = note_link(guess, st_json_member(entry, "$link"), error);
        if (status == STRATA_OK) status = note_inside(guess, entry, error);
    }
    return status;
}

static strata_status note_object(strata_guess *guess, const st_record *record, strata_error *error) {
    st_json *json;
    strata_status status = st_json_parse(&guess->memory, record->text, &json, error);
    if (status != STRATA_OK) return status;
    if (json->kind != ST_JSON_OBJECT) return st_fail(error, STRATA_TYPE, 0, "expected an object of JSON");
    const st_json *schema = st_json_member(json, "$schema"), *class_name = st_json_member(json, "$class");
    if (json->count == 1 && schema != NULL && schema->kind == ST_JSON_STRING)
        return st_guessed_copy(&guess->guessed, schema->text, &guess->declaration) ? STRATA_OK : no_memory(error);
    strata_bytes name = record->table;
    if (guess->options.table != NULL && name.size == 0)
        name = (strata_bytes){ guess->options.table, strlen(guess->options.table) };
    if (class_name != NULL && class_name->kind == ST_JSON_STRING) name = class_name->text;
    if (name.size == 0 || guess->declaration.data != NULL) return STRATA_OK;
    bool elsewhere = json->count == 1 && st_json_member(json, "$ref") != NULL; /* another record brings it */
    if (elsewhere) return STRATA_OK;
    status = note_members(guess, name, json, true, error);
    return status == STRATA_OK ? note_inside(guess, json, error) : status;
}

/* Notes the name of the next field. One without a name, or with that of what is no property, has a column that is none,
 * either. */
static strata_status note_name(strata_guess *guess, st_guessed_table *table, strata_bytes name, strata_error *error) {
    char number[24];
    size_t position = table->count;
    bool nameless = name.size == 0;
    if (!nameless && guess->options.columns == NULL && !is_taken(guess, name)) return no_name(table, name, error);
    if (nameless || st_bytes_are(name, "$class"))
        name = (strata_bytes){ number, (size_t)snprintf(number, sizeof number, "$%zu", position) };
    table->hint = position;
    st_guessed_column *column = st_guessed_column_of(&guess->guessed, table, name);
    if (column == NULL) return position == STRATA_MAX_COLUMNS ? STRATA_OK : no_memory(error);
    if (table->count == position) return st_same_name(name, error);
    column->nameless = nameless && (guess->options.flags & STRATA_IMPORT_IGNORE_UNKNOWN) == 0;
    return STRATA_OK;
}

static strata_status note_names(strata_guess *guess, st_guessed_table *table, strata_error *error) {
    strata_status status = STRATA_OK;
    guess->has_names = true;
    guess->records.fields = guess->fields.count;
    table->asked_for = true;
    for (size_t i = 0; i < guess->fields.count && status == STRATA_OK; i++)
        status = note_name(guess, table, guess->fields.list[i].text, error);
    return status;
}

static strata_status note_fields(strata_guess *guess, const st_record *record, strata_error *error) {
    const strata_import_options *options = &guess->options;
    strata_bytes name = { options->table, strlen(options->table) };
    st_guessed_table *table = st_guessed_table_of(&guess->guessed, name);
    if (table == NULL) return no_memory(error);
    strata_status status = st_fields_read(&guess->fields, &guess->memory, options->format, options->separator,
                                          record->text, error);
    if (status == STRATA_OK && !guess->has_names) return note_names(guess, table, error);
    if (status == STRATA_OK) status = st_fields_check(&guess->fields, guess->records.fields, error);
    for (size_t i = 0; i < guess->fields.count && i < table->count && status == STRATA_OK; i++)
        if (table->columns[i].nameless) status = st_field_check_nameless(&guess->fields, i, error);
    if (status != STRATA_OK) return status;
    table->records++;
    table->outer++;
    for (size_t i = 0; i < guess->fields.count && i < table->count; i++) {
        table->columns[i].count++;
        table->columns[i].values.seen |= kind_of_field(guess, &guess->fields.list[i]);
    }
    return STRATA_OK;
}

/* A record that no import would take ends the guess, too, unless the program wants to be told of such ones. */
static strata_status take_record(void *context, const st_record *record, strata_error *error) {
    strata_guess *guess = context;
    strata_error reason;
    st_arena_reset(&guess->memory);
    bool columns = guess->options.format == STRATA_TEXT_CSV || guess->options.format == STRATA_TEXT_PLAIN;
    bool header = columns && !guess->has_names;
    strata_status status = st_utf8_valid(record->text.data, record->text.size)
                               ? columns ? note_fields(guess, record, &reason) : note_object(guess, record, &reason)
                               : st_fail(&reason, STRATA_TYPE, 0, "the record is not valid UTF-8");
    if (status == STRATA_OK) return status;
    if (status == STRATA_TYPE && !header && guess->options.refused != NULL) return STRATA_OK;
    if (error != NULL) *error = reason;
    return status == STRATA_TYPE ? st_at_line(record, status, error) : status;
}

/* ---- Opening ---------------------------------------------------------- */

strata_status strata_guess_finish(strata_guess *guess, const char *primary, strata_declaration **out,
                                  strata_error *error) {
    if (guess == NULL || out == NULL)
        return st_fail(error, STRATA_MISUSE, 0, "types are guessed without a guess, or to nowhere");
    strata_status status = st_records_end(&guess->records, error);
    if (status != STRATA_OK) return status;
    if (guess->declaration.data != NULL) {
        status = strata_declaration_parse(guess->declaration.data, guess->declaration.size, out, error);
        for (size_t i = 0; i < guess->guessed.count && status == STRATA_OK; i++)
            if (guess->guessed.tables[i]->known) st_declaration_leave_out(*out, guess->guessed.tables[i]->name);
        return status;
    }
    bool json = guess->options.format == STRATA_TEXT_LINES || guess->options.format == STRATA_TEXT_DOCUMENT;
    return st_guessed_declare(&guess->guessed, json, primary, out, error);
}

strata_status strata_guess_open(const strata_import_options *options, strata_guess **out, strata_error *error) {
    if (out == NULL) return st_fail(error, STRATA_MISUSE, 0, "a guess is opened to nowhere");
    strata_guess *guess = calloc(1, sizeof *guess);
    if (guess == NULL) return no_memory(error);
    strata_status status = st_import_options_read(&guess->options, options, error);
    bool columns = guess->options.format == STRATA_TEXT_CSV || guess->options.format == STRATA_TEXT_PLAIN;
    if (status == STRATA_OK && columns && guess->options.table == NULL)
        status = st_fail(error, STRATA_MISUSE, 0, "lines of CSV and plain columns need a class: set `table`");
    guess->guessed.passes_over = guess->options.refused != NULL;
    st_records_begin(&guess->records, guess->options.format, guess->options.separator, take_record, guess);
    if (status == STRATA_OK && columns && guess->options.columns != NULL) {
        strata_bytes class_name = { guess->options.table, strlen(guess->options.table) };
        st_guessed_table *table = st_guessed_table_of(&guess->guessed, class_name);
        guess->has_names = true;
        guess->records.fields = guess->options.column_count;
        for (uint32_t i = 0; table != NULL && i < guess->options.column_count; i++) {
            const char *name = guess->options.columns[i];
            if (status == STRATA_OK) status = note_name(guess, table, (strata_bytes){ name, strlen(name) }, error);
            if (table->count > i) table->columns[i].nameless = false; /* it is passed over on purpose */
        }
        if (table != NULL) table->asked_for = true;
        if (table == NULL) status = no_memory(error);
    }
    if (status == STRATA_OK) *out = guess;
    else strata_guess_close(guess);
    return status;
}

strata_status strata_guess_leave_out(strata_guess *guess, const char *name, strata_error *error) {
    if (guess == NULL || name == NULL)
        return st_fail(error, STRATA_MISUSE, 0, "a class is left out of no guess, or has no name");
    st_guessed_table *table = st_guessed_table_of(&guess->guessed, (strata_bytes){ name, strlen(name) });
    if (table == NULL) return no_memory(error);
    table->known = true;
    return STRATA_OK;
}

strata_status strata_guess_feed(strata_guess *guess, const void *text, size_t size, strata_error *error) {
    if (guess == NULL || (text == NULL && size != 0))
        return st_fail(error, STRATA_MISUSE, 0, "a guess gets no guess, or no text");
    return st_records_feed(&guess->records, (strata_bytes){ text, size }, error);
}

void strata_guess_close(strata_guess *guess) {
    if (guess == NULL) return;
    st_records_free(&guess->records);
    st_arena_free(&guess->memory);
    st_guessed_free(&guess->guessed);
    st_fields_free(&guess->fields);
    free(guess);
}
