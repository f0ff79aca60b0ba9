/* SPDX-License-Identifier: MIT
 * guessed.c -- the types of what was seen. */
#include "transfer/guessed.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/utf8.h"
#include "predicate/suggestion.h"
#include "transfer/json.h"

/* ---- Tables and columns ----------------------------------------------- */

bool st_guessed_copy(st_guessed *guessed, strata_bytes name, strata_bytes *out) {
    char *copy = st_arena_alloc(&guessed->names, name.size + 1);
    if (copy == NULL) return false;
    if (name.size != 0) memcpy(copy, name.data, name.size);
    copy[name.size] = 0;
    *out = (strata_bytes){ copy, name.size };
    return true;
}

static bool same(strata_bytes a, strata_bytes b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static st_guessed_table *make_table(st_guessed *guessed) {
    st_guessed_table *table = st_arena_alloc(&guessed->names, sizeof *table);
    if (table == NULL) return NULL;
    *table = (st_guessed_table){ .primary = SIZE_MAX, .made_before = guessed->made };
    guessed->made = table;
    return table;
}

static st_guessed_table *find_table(const st_guessed *guessed, strata_bytes name) {
    for (size_t i = 0; i < guessed->count; i++)
        if (same(guessed->tables[i]->name, name)) return guessed->tables[i];
    return NULL;
}

st_guessed_table *st_guessed_table_of(st_guessed *guessed, strata_bytes name) {
    st_guessed_table *table = find_table(guessed, name);
    if (table != NULL) return table;
    if (guessed->count == STRATA_MAX_TABLES ||
        !st_array_grow((void **)&guessed->tables, &guessed->capacity, guessed->count, sizeof(void *)))
        return NULL;
    table = make_table(guessed);
    if (table == NULL || !st_guessed_copy(guessed, name, &table->name)) return NULL;
    guessed->tables[guessed->count++] = table;
    return table;
}

static size_t find_column(const st_guessed_table *table, size_t from, strata_bytes name) {
    for (size_t i = 0, at = from; i < table->count; i++, at++) {
        if (at >= table->count) at = 0;
        if (same(table->columns[at].name, name)) return at;
    }
    return SIZE_MAX;
}

st_guessed_column *st_guessed_column_of(st_guessed *guessed, st_guessed_table *table, strata_bytes name) {
    size_t at = find_column(table, table->hint, name);
    if (at != SIZE_MAX) {
        table->hint = at + 1;
        return &table->columns[at];
    }
    if (table->count == STRATA_MAX_COLUMNS ||
        !st_array_grow((void **)&table->columns, &table->capacity, table->count, sizeof *table->columns))
        return NULL;
    st_guessed_column *column = &table->columns[table->count];
    *column = (st_guessed_column){ .count = 0 };
    if (!st_guessed_copy(guessed, name, &column->name)) return NULL;
    table->count++;
    return column;
}

st_guessed_table *st_guessed_shape_of(st_guessed *guessed, st_guessed_values *values) {
    if (values->shape == NULL) values->shape = make_table(guessed);
    return values->shape;
}

bool st_guessed_note_key(st_guessed_column *column, strata_bytes text) {
    if (column->hash_count == ST_GUESSED_KEYS) return true;
    if (!st_array_grow((void **)&column->hashes, &column->hash_capacity, column->hash_count, sizeof(uint64_t)))
        return false;
    column->hashes[column->hash_count++] = st_hash(&st_hash_key_of_process, text.data, text.size);
    return true;
}

void st_guessed_free(st_guessed *guessed) {
    for (st_guessed_table *table = guessed->made; table != NULL; table = table->made_before) {
        for (size_t c = 0; c < table->count; c++) free(table->columns[c].hashes);
        free(table->columns);
    }
    free(guessed->tables);
    st_arena_free(&guessed->names);
}

/* ---- Types ------------------------------------------------------------ */

/* The type of values of these kinds. `json`: what does not fit one type is any; otherwise it is a string. */
static strata_type type_of(uint32_t seen, bool json) {
    switch (seen & ~(uint32_t)ST_SEEN_NULL) {
    case ST_SEEN_BOOL: return STRATA_BOOL;
    case ST_SEEN_INT: case ST_SEEN_INT | ST_SEEN_LONG: return STRATA_INT;
    case ST_SEEN_REAL | ST_SEEN_LONG: case ST_SEEN_REAL | ST_SEEN_INT | ST_SEEN_LONG: return STRATA_DECIMAL;
    case ST_SEEN_FLOAT: return STRATA_FLOAT;
    case ST_SEEN_REAL: case ST_SEEN_REAL | ST_SEEN_INT: return STRATA_DOUBLE;
    case ST_SEEN_DECIMAL: return STRATA_DECIMAL;
    case ST_SEEN_DATE: return STRATA_DATE;
    case ST_SEEN_DATA: return STRATA_DATA;
    case ST_SEEN_UUID: return STRATA_UUID;
    case ST_SEEN_OBJECT_ID: return STRATA_OBJECT_ID;
    case 0: return json ? STRATA_MIXED : STRATA_STRING;
    default: break;
    }
    uint32_t strings = ST_SEEN_NULL | ST_SEEN_DATE | ST_SEEN_UUID | ST_SEEN_OBJECT_ID | ST_SEEN_STRING;
    return !json || (seen & ~strings) == 0 ? STRATA_STRING : STRATA_MIXED;
}

static bool can_be_primary(strata_type type) {
    return type == STRATA_INT || type == STRATA_STRING || type == STRATA_UUID || type == STRATA_OBJECT_ID;
}

static int compare_hashes(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

/* Whether each record has another value there. */
static bool tells_apart(const st_guessed_table *table, st_guessed_column *column) {
    if (column->count < table->records || column->hash_count < table->outer || table->outer == 0) return false;
    if ((column->values.seen & ST_SEEN_NULL) != 0 || !can_be_primary(type_of(column->values.seen, true))) return false;
    st_sort_array(column->hashes, column->hash_count, sizeof *column->hashes, compare_hashes);
    for (size_t i = 1; i < column->hash_count; i++)
        if (column->hashes[i] == column->hashes[i - 1]) return false;
    return true;
}

/* Makes sure that an object can be told from others. A column that does not tell them apart is looked at once. */
static bool has_primary(st_guessed_table *table) {
    for (size_t c = 0; c < table->count && table->primary == SIZE_MAX; c++) {
        st_guessed_column *column = &table->columns[c];
        if (column->hash_count == 0) continue;
        if (tells_apart(table, column)) table->primary = c;
        else column->hash_count = 0;
    }
    return table->primary != SIZE_MAX;
}

/* ---- Links ------------------------------------------------------------ */

static bool has_shape(const st_guessed_table *table, const st_guessed_table *shape) {
    if (table->count != shape->count || table->outer == 0) return false;
    for (size_t c = 0; c < shape->count; c++)
        if (find_column(table, c, shape->columns[c].name) == SIZE_MAX) return false;
    return true;
}

/* The only table that has the properties. */
static st_guessed_table *with_shape(const st_guessed *guessed, const st_guessed_table *shape) {
    st_guessed_table *found = NULL;
    for (size_t i = 0; i < guessed->count; i++) {
        if (!has_shape(guessed->tables[i], shape)) continue;
        if (found != NULL) return NULL;
        found = guessed->tables[i];
    }
    return found;
}

/* The class that the values are objects of, or NULL. */
static st_guessed_table *find_target(const st_guessed *guessed, const st_guessed_values *values) {
    uint32_t seen = values->seen & ~(uint32_t)ST_SEEN_NULL;
    if (seen == 0 || (seen & ~(uint32_t)(ST_SEEN_LINK | ST_SEEN_OBJECT)) != 0 || values->several) return NULL;
    st_guessed_table *named = values->target.size == 0 ? NULL : find_table(guessed, values->target);
    if ((seen & ST_SEEN_OBJECT) == 0) return named != NULL && named->records != 0 ? named : NULL;
    st_guessed_table *shaped = with_shape(guessed, values->shape);
    if (shaped == NULL || ((seen & ST_SEEN_LINK) != 0 && shaped != named)) return NULL;
    return has_primary(shaped) ? shaped : NULL;
}

/* ---- Declaring -------------------------------------------------------- */

/* Of one value, or of what is in a collection. */
static strata_column_spec declare_values(const st_guessed *guessed, const st_guessed_values *values, bool json,
                                         bool single, strata_bytes *target) {
    strata_column_spec spec = { NULL, STRATA_MIXED, STRATA_SINGLE, 0, NULL };
    bool null = (values->seen & ST_SEEN_NULL) != 0;
    const st_guessed_table *class = find_target(guessed, values);
    if (class != NULL && (single || !null)) {
        spec.type = STRATA_LINK;
        spec.flags = single ? STRATA_COLUMN_NULLABLE : 0;
        *target = class->name;
    } else if ((values->seen & (ST_SEEN_LIST | ST_SEEN_OBJECT | ST_SEEN_LINK)) == 0) {
        spec.type = type_of(values->seen, json);
    }
    if (spec.type != STRATA_LINK && (null || spec.type == STRATA_MIXED)) spec.flags = STRATA_COLUMN_NULLABLE;
    return spec;
}

static strata_column_spec declare_column(const st_guessed *guessed, const st_guessed_table *table,
                                         const st_guessed_column *column, bool json, strata_bytes *target) {
    uint32_t seen = column->values.seen;
    *target = (strata_bytes){ NULL, 0 };
    strata_column_spec spec = declare_values(guessed, &column->values, json, true, target);
    if (seen == ST_SEEN_LIST) {
        spec = declare_values(guessed, &column->elements, true, false, target);
        spec.collection = STRATA_LIST;
    } else if (seen == ST_SEEN_OBJECT && spec.type == STRATA_MIXED) {
        strata_column_spec entries = declare_values(guessed, &column->entries, true, false, target);
        if (entries.type == STRATA_LINK || (entries.type != STRATA_MIXED && !column->refers)) {
            spec = entries;
            spec.collection = STRATA_MAP;
        }
    } else if (column->count < table->records) {
        spec.flags |= STRATA_COLUMN_NULLABLE;
    }
    return spec;
}

static bool is_property(const st_guessed_column *column) {
    return column->name.size != 0 && *(const char *)column->name.data != '$';
}

static strata_status no_primary(const st_guessed_table *table, const char *primary, strata_error *error) {
    st_suggestion similar = st_suggestion_begin((strata_bytes){ primary, strlen(primary) });
    for (size_t c = 0; c < table->count; c++)
        if (is_property(&table->columns[c])) st_suggestion_consider(&similar, table->columns[c].name.data);
    return st_fail(error, STRATA_NOT_FOUND, 0,
                   "no record of %.*s has a property '%s' that could be the primary key%s%s%s",
                   (int)st_utf8_fit(table->name.data, table->name.size, 60), (const char *)table->name.data, primary,
                   similar.best == NULL ? "" : "; did you mean '", similar.best == NULL ? "" : similar.best,
                   similar.best == NULL ? "" : "'?");
}

/* The column that a program wants to be the primary key. */
static strata_status set_primary(st_guessed *guessed, st_guessed_table *table, bool json, const char *primary,
                                 strata_error *error) {
    strata_bytes target;
    table->primary = find_column(table, 0, (strata_bytes){ primary, strlen(primary) });
    if (table->primary == SIZE_MAX || !is_property(&table->columns[table->primary]))
        return no_primary(table, primary, error);
    strata_column_spec spec = declare_column(guessed, table, &table->columns[table->primary], json, &target);
    if (spec.collection == STRATA_SINGLE && can_be_primary(spec.type)) return STRATA_OK;
    return st_fail(error, STRATA_TYPE, 0, "'%s' cannot be the primary key: it is neither an int, a string, a uuid nor "
                   "an objectId", primary);
}

/* Finds the keys of all tables that objects inside of others are of, before any of these is declared. */
static void find_targets(st_guessed *guessed) {
    for (size_t i = 0; i < guessed->count; i++)
        for (size_t c = 0; c < guessed->tables[i]->count; c++) {
            (void)find_target(guessed, &guessed->tables[i]->columns[c].values);
            (void)find_target(guessed, &guessed->tables[i]->columns[c].elements);
            (void)find_target(guessed, &guessed->tables[i]->columns[c].entries);
        }
}

/* Gives classes a primary key by which values link to their objects. */
static strata_status find_keyed(st_guessed *guessed, strata_error *error) {
    for (size_t i = 0; i < guessed->count; i++) {
        st_guessed_table *table = guessed->tables[i];
        bool declared = !table->known && table->records != 0;
        if (!table->keyed || !declared || has_primary(table) || guessed->passes_over) continue;
        return st_fail(error, STRATA_NOT_FOUND, 0,
                       "values of any type link to objects of %.*s by a primary key, and no property '_id' or 'id' "
                       "tells these apart: declare the class first, or name its primary key",
                       (int)st_utf8_fit(table->name.data, table->name.size, 60), (const char *)table->name.data);
    }
    return STRATA_OK;
}

/* Links by the key of an object cannot be declared without the class of that. */
static strata_status check_links(const st_guessed_table *table, strata_error *error) {
    for (size_t c = 0; c < table->count; c++) {
        const st_guessed_column *column = &table->columns[c];
        if (((column->values.seen | column->elements.seen | column->entries.seen) & ST_SEEN_KEY) == 0) continue;
        return st_fail(error, STRATA_TYPE, 0,
                       "'%.*s' of %.*s links to objects by their keys, and the text does not say of which class: declare "
                       "the classes first, or export all of a file, which puts its schema in front",
                       (int)st_utf8_fit(column->name.data, column->name.size, 60), (const char *)column->name.data,
                       (int)st_utf8_fit(table->name.data, table->name.size, 60), (const char *)table->name.data);
    }
    return STRATA_OK;
}

/* A reference is read as such only where a link is declared. */
static strata_status no_class(const st_guessed_table *table, const st_guessed_column *column, strata_error *error) {
    return st_fail(error, STRATA_TYPE, 0,
                   "'%.*s' of %.*s has references (\"$ref\", \"$refId\"), and the text does not say to which one "
                   "class: declare the classes first, or write \"$$ref\" and \"$$refId\" if they are keys of maps",
                   (int)st_utf8_fit(column->name.data, column->name.size, 60), (const char *)column->name.data,
                   (int)st_utf8_fit(table->name.data, table->name.size, 60), (const char *)table->name.data);
}

static strata_status declare_table(const st_guessed *guessed, const st_guessed_table *table, bool json,
                                   st_declaring *declaring, strata_error *error) {
    bool embedded = table->outer == 0 && !table->referenced && !table->asked_for;
    strata_status status = check_links(table, error);
    if (status == STRATA_OK)
        status = st_declaring_table(declaring, table->name, embedded ? STRATA_TABLE_EMBEDDED : 0, error);
    for (size_t c = 0; c < table->count && status == STRATA_OK; c++) {
        strata_bytes target;
        if (!is_property(&table->columns[c])) continue;
        strata_column_spec spec = declare_column(guessed, table, &table->columns[c], json, &target);
        if (c == table->primary) spec.flags = STRATA_COLUMN_PRIMARY | (spec.flags & STRATA_COLUMN_NULLABLE);
        bool lost = spec.type != STRATA_LINK && table->columns[c].refers && !guessed->passes_over;
        if (lost) return no_class(table, &table->columns[c], error);
        status = st_declaring_column(declaring, table->columns[c].name, target, &spec, error);
    }
    return status;
}

strata_status st_guessed_declare(st_guessed *guessed, bool json, const char *primary, strata_declaration **out,
                                 strata_error *error) {
    st_declaring declaring = { 0 };
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < guessed->count && primary != NULL && status == STRATA_OK; i++)
        if (guessed->tables[i]->outer != 0 && !guessed->tables[i]->known)
            status = set_primary(guessed, guessed->tables[i], json, primary, error);
    if (status != STRATA_OK) return status;
    find_targets(guessed);
    status = find_keyed(guessed, error);
    if (status == STRATA_OK) status = st_declaring_begin(&declaring, error);
    for (size_t i = 0; i < guessed->count && status == STRATA_OK; i++)
        if (!guessed->tables[i]->known && (guessed->tables[i]->records != 0 || guessed->tables[i]->count != 0))
            status = declare_table(guessed, guessed->tables[i], json, &declaring, error);
    if (status == STRATA_OK) status = st_declaring_end(&declaring, 0, out, error);
    st_declaring_free(&declaring);
    return status;
}
