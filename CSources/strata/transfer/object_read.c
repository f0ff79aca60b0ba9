/* SPDX-License-Identifier: MIT
 * object_read.c -- what a record says about objects, checked against the columns of their tables. */
#include "transfer/object_read.h"

#include "base/status.h"
#include "transfer/mixed_read.h"
#include "transfer/value_read.h"

enum { DEEPEST = 100 };

static strata_status no_memory(strata_error *error) { return st_no_memory(error, "reading a record"); }

/* ---- Items ------------------------------------------------------------ */

/* Puts the property in front of a message. */
static strata_status of_property(const st_read_table *table, uint32_t column, strata_status status,
                                 strata_error *error) {
    strata_error inner;
    if (status == STRATA_OK || error == NULL) return status;
    inner = *error;
    return st_fail(error, status, 0, "%s.%s: %s", table->info.name, table->columns[column].name, inner.message);
}

static strata_status check_size(const strata_value *value, strata_error *error) {
    bool bytes = value->type == STRATA_STRING || value->type == STRATA_DATA;
    if (!bytes || value->as.bytes.size <= STRATA_MAX_VALUE) return STRATA_OK;
    return st_fail(error, STRATA_TOO_LARGE, 0, "a value has at most 16 MiB, not %llu bytes",
                   (unsigned long long)value->as.bytes.size);
}

/* The name of an object: a number or a string. */
static strata_status read_key(const st_json *json, strata_bytes *out, strata_error *error) {
    if (json->kind != ST_JSON_NUMBER && json->kind != ST_JSON_STRING)
        return st_fail(error, STRATA_TYPE, 0, "\"$key\" is neither a number nor a string");
    if (json->text.size == 0 || json->text.size > STRATA_MAX_MAP_KEY)
        return st_fail(error, STRATA_TYPE, 0, "\"$key\" is empty or too long");
    *out = json->text;
    return STRATA_OK;
}

static strata_status read_link(st_reading *r, uint32_t target, const st_json *json, st_item *out,
                               strata_error *error) {
    st_read_table *table;
    strata_status status = st_read_table_of(r, target, &table, error);
    if (status != STRATA_OK) return status;
    bool embedded = (table->info.flags & STRATA_TABLE_EMBEDDED) != 0;
    out->link.table = target;
    const st_json *key = json->kind == ST_JSON_OBJECT && json->count == 1 ? st_json_member(json, "$key") : NULL;
    if (key == NULL && json->kind == ST_JSON_OBJECT) key = st_json_member(json, "$ref");
    if (key != NULL && !embedded) {
        out->kind = ST_ITEM_LINK;
        return read_key(key, &out->link.key, error);
    }
    if (json->kind == ST_JSON_OBJECT) {
        out->kind = ST_ITEM_OBJECT;
        return st_object_from_json(r, target, json, &out->object, error);
    }
    if (embedded) return st_fail(error, STRATA_TYPE, 0, "expected an object of JSON, since %s is embedded",
                                 table->info.name);
    if (table->info.primary == UINT32_MAX)
        return st_fail(error, STRATA_TYPE, 0, "%s has no primary key; a link to it is {\"$key\": ...}",
                       table->info.name);
    out->kind = ST_ITEM_LINK;
    return st_value_from_json(r->memory, table->columns[table->info.primary].type, json, &out->link.primary, error);
}

/* One value of a column, or one element. */
static strata_status read_one(st_reading *r, const strata_column_info *column, bool nullable,
                              const st_json *json, st_item *out, strata_error *error) {
    strata_status status;
    *out = (st_item){ .kind = ST_ITEM_VALUE, .value = strata_null() };
    if (column->type == STRATA_MIXED) {
        out->kind = ST_ITEM_MIXED;
        out->json = json;
        return st_mixed_check(r, json, column->collection == STRATA_SET, error);
    }
    if (json->kind == ST_JSON_NULL)
        return nullable ? STRATA_OK : st_fail(error, STRATA_TYPE, 0, "null, and a value is required");
    if (column->type == STRATA_LINK) return read_link(r, column->target, json, out, error);
    status = st_value_from_json(r->memory, column->type, json, &out->value, error);
    return status == STRATA_OK ? check_size(&out->value, error) : status;
}

static strata_status read_many(st_reading *r, const strata_column_info *column, const st_json *json,
                               st_item *out, strata_error *error) {
    bool map = column->collection == STRATA_MAP;
    if (json->kind != (map ? ST_JSON_OBJECT : ST_JSON_ARRAY)) {
        char text[64];
        return st_fail(error, STRATA_TYPE, 0, "%s is not %s", st_json_describe(json, text, sizeof text),
                       map ? "an object of JSON with the entries of the map" : "an array");
    }
    *out = (st_item){ .kind = ST_ITEM_MANY, .count = json->count };
    out->items = st_arena_alloc(r->memory, json->count * sizeof *out->items + 1);
    out->names = map ? st_arena_alloc(r->memory, json->count * sizeof *out->names + 1) : NULL;
    if (out->items == NULL || (map && out->names == NULL)) return no_memory(error);
    bool nullable = (column->flags & STRATA_COLUMN_NULLABLE) != 0 || (map && column->type == STRATA_LINK);
    if (!map && column->type == STRATA_LINK) nullable = false;
    strata_status status = STRATA_OK;
    uint32_t i = 0;
    for (const st_json *entry = json->first; entry != NULL && status == STRATA_OK; entry = entry->next, i++) {
        if (map) out->names[i] = entry->name;
        if (map && entry->name.size > STRATA_MAX_MAP_KEY)
            return st_fail(error, STRATA_TOO_LARGE, 0, "a key of a map has at most 1024 bytes");
        status = read_one(r, column, nullable, entry, &out->items[i], error);
    }
    return status;
}

static strata_status read_item(st_reading *r, const strata_column_info *column, const st_json *json,
                               st_item *out, strata_error *error) {
    bool nullable = (column->flags & STRATA_COLUMN_NULLABLE) != 0 || column->type == STRATA_LINK;
    if (column->collection != STRATA_SINGLE) return read_many(r, column, json, out, error);
    return read_one(r, column, nullable, json, out, error);
}

/* ---- Objects ---------------------------------------------------------- */

static strata_status make_object(st_reading *r, uint32_t number, st_object **out, st_read_table **out_table,
                                 strata_error *error) {
    strata_status status = st_read_table_of(r, number, out_table, error);
    if (status != STRATA_OK) return status;
    uint32_t count = (*out_table)->info.column_count;
    st_object *object = st_arena_alloc(r->memory, sizeof *object);
    st_item *items = st_arena_alloc(r->memory, count * sizeof *items + 1);
    if (object == NULL || items == NULL) return no_memory(error);
    for (uint32_t i = 0; i < count; i++) items[i].kind = ST_ITEM_NONE;
    *object = (st_object){ number, count, { NULL, 0 }, items };
    *out = object;
    return STRATA_OK;
}

static strata_status read_member(st_reading *r, st_object *object, st_read_table *table, const st_json *member,
                                 strata_error *error) {
    uint32_t column = st_read_column(table, member->name);
    if (column == UINT32_MAX) {
        if (st_bytes_are(member->name, "$class")) return STRATA_OK;
        if (st_bytes_are(member->name, "$key") || st_bytes_are(member->name, "$refId"))
            return read_key(member, &object->key, error);
        return r->ignore_unknown ? STRATA_OK : st_no_property(table, member->name, error);
    }
    if (object->items[column].kind != ST_ITEM_NONE)
        return of_property(table, column, st_fail(error, STRATA_TYPE, 0, "the record has it twice"), error);
    strata_status status = read_item(r, &table->columns[column], member, &object->items[column], error);
    return of_property(table, column, status, error);
}

strata_status st_object_from_json(st_reading *r, uint32_t number, const st_json *json, st_object **out,
                                  strata_error *error) {
    st_read_table *table;
    if (json->kind != ST_JSON_OBJECT) return st_fail(error, STRATA_TYPE, 0, "expected an object of JSON");
    if (r->depth == DEEPEST)
        return st_fail(error, STRATA_TOO_LARGE, 0, "more than %d objects are inside each other", DEEPEST);
    strata_status status = make_object(r, number, out, &table, error);
    r->depth++;
    if (status == STRATA_OK) table->hint = 0;
    for (const st_json *member = json->first; member != NULL && status == STRATA_OK; member = member->next)
        status = read_member(r, *out, table, member, error);
    r->depth--;
    return status;
}

/* A field is JSON where its column holds more than a number or text. */
static strata_status read_field(st_reading *r, const st_read_table *table, uint32_t number,
                                const st_text_field *field, st_item *out, strata_error *error) {
    const strata_column_info *column = &table->columns[number];
    static const st_json null = { .kind = ST_JSON_NULL };
    st_json *json;
    bool single = column->collection == STRATA_SINGLE;
    strata_type type = column->type;
    st_read_table *target = NULL;
    strata_status status = STRATA_OK;
    if (type == STRATA_LINK) {
        status = st_read_table_of(r, column->target, &target, error);
        if (status != STRATA_OK) return status;
        char first = field->text.size > 0 ? *(const char *)field->text.data : 0;
        bool is_json = first == '{' || first == '"';
        if (target->info.primary == UINT32_MAX || is_json) type = STRATA_MIXED;
        else type = target->columns[target->info.primary].type;
    }
    if (field->null) {
        /* An empty field is nothing said of a collection, and an empty string where there can be no null. */
        bool nullable = (column->flags & STRATA_COLUMN_NULLABLE) != 0 || column->type == STRATA_LINK ||
                        column->type == STRATA_MIXED;
        if (!single) return STRATA_OK;
        if (nullable || type != STRATA_STRING) return read_item(r, column, &null, out, error);
    }
    if (!single || type == STRATA_MIXED) {
        status = st_json_parse(r->memory, field->text, &json, error);
        return status == STRATA_OK ? read_item(r, column, json, out, error) : status;
    }
    strata_bytes text = field->null ? (strata_bytes){ "", 0 } : field->text;
    *out = (st_item){ .kind = target == NULL ? ST_ITEM_VALUE : ST_ITEM_LINK, .link.table = column->target };
    strata_value *value = target == NULL ? &out->value : &out->link.primary;
    status = st_value_from_text(r->memory, type, text, value, error);
    return status == STRATA_OK ? check_size(value, error) : status;
}

strata_status st_object_from_fields(st_reading *r, uint32_t number, const st_fields *fields,
                                    const uint32_t *columns, uint32_t count, st_object **out, strata_error *error) {
    st_read_table *table;
    strata_status status = st_fields_check(fields, count, error);
    if (status == STRATA_OK) status = make_object(r, number, out, &table, error);
    for (uint32_t i = 0; i < count && status == STRATA_OK; i++) {
        const st_text_field *field = &fields->list[i];
        if (columns[i] == (uint32_t)ST_FIELD_KEY && !field->null) (*out)->key = field->text;
        if (columns[i] == (uint32_t)ST_FIELD_NAMELESS) status = st_field_check_nameless(fields, i, error);
        if (columns[i] >= table->info.column_count) continue;
        status = read_field(r, table, columns[i], field, &(*out)->items[columns[i]], error);
        status = of_property(table, columns[i], status, error);
    }
    return status;
}
