/* SPDX-License-Identifier: MIT
 * mixed_read.c -- mixed values from JSON. */
#include "transfer/mixed_read.h"

#include "base/status.h"
#include "base/utf8.h"
#include "predicate/number.h"
#include "transfer/value_read.h"

typedef struct mixed_builder {
    st_reading *reading;
    st_link_resolver resolve; /* NULL: links are only checked */
    void *context;
    strata_error *error;
} mixed_builder;

/* ---- Tags ------------------------------------------------------------- */

static const struct { const char *name; strata_type type; } tags[] = {
    { "$float", STRATA_FLOAT }, { "$double", STRATA_DOUBLE }, { "$decimal", STRATA_DECIMAL }, { "$date", STRATA_DATE },
    { "$data", STRATA_DATA }, { "$uuid", STRATA_UUID }, { "$oid", STRATA_OBJECT_ID }, { "$link", STRATA_LINK },
    { "$numberInt", STRATA_INT }, { "$numberLong", STRATA_INT }, { "$numberDouble", STRATA_DOUBLE },
    { "$numberDecimal", STRATA_DECIMAL },
};

/* The type that an object with one member stands for; STRATA_NULL: it is a map. */
static strata_type tag_of(const st_json *json) {
    if (json->kind != ST_JSON_OBJECT || json->count != 1) return STRATA_NULL;
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (st_bytes_are(json->first->name, tags[i].name)) return tags[i].type;
    return STRATA_NULL;
}

static strata_status read_link(mixed_builder *b, const st_json *json, strata_value *out) {
    strata_column_info column = { "", STRATA_LINK, STRATA_SINGLE, 0, 0 };
    st_reference link = { .table = 0, .primary = strata_null(), .key = { NULL, 0 } };
    st_read_table *table;
    uint64_t key = 1;
    if (json->kind != ST_JSON_ARRAY || json->count != 2 || json->first->kind != ST_JSON_STRING)
        return st_fail(b->error, STRATA_TYPE, 0, "\"$link\" is not [\"Class\", key]");
    strata_status status = st_table_named(b->reading->view, json->first->text, &column.target, b->error);
    if (status == STRATA_OK) status = st_read_table_of(b->reading, column.target, &table, b->error);
    if (status != STRATA_OK) return status;
    if ((table->info.flags & STRATA_TABLE_EMBEDDED) != 0)
        return st_fail(b->error, STRATA_TYPE, 0, "a value of any type cannot link to %s, which is embedded",
                       table->info.name);
    const st_json *named = st_json_member(json->first->next, "$key");
    link.table = column.target;
    if (named != NULL && named->text.size > 0 && named->text.size <= STRATA_MAX_MAP_KEY) link.key = named->text;
    else if (named != NULL || table->info.primary == UINT32_MAX)
        return st_fail(b->error, STRATA_TYPE, 0, "a link to %s is [\"%s\", {\"$key\": ...}]%s", table->info.name,
                       table->info.name, table->info.primary == UINT32_MAX ? ", since it has no primary key" : "");
    else status = st_value_from_json(b->reading->memory, table->columns[table->info.primary].type, json->first->next,
                                     &link.primary, b->error);
    if (status == STRATA_OK && b->resolve != NULL) status = b->resolve(b->context, &link, &key, b->error);
    *out = b->resolve == NULL ? strata_null() : strata_mixed_link(column.target, key);
    return status;
}

/* ---- Values ----------------------------------------------------------- */

/* A number of which 64 bits or a double would not keep the digits is a decimal. */
static strata_status read_number(mixed_builder *b, const st_json *json, strata_value *out) {
    bool whole = st_number_is_whole(json->text.data, json->text.size);
    if (!whole && st_number_is_kept(json->text.data, json->text.size))
        return st_value_from_json(b->reading->memory, STRATA_DOUBLE, json, out, b->error);
    if (whole && st_value_from_json(b->reading->memory, STRATA_INT, json, out, NULL) == STRATA_OK) return STRATA_OK;
    return st_value_from_json(b->reading->memory, STRATA_DECIMAL, json, out, b->error);
}

/* A value that is neither a list nor a map. */
static strata_status read_scalar(mixed_builder *b, const st_json *json, strata_value *out) {
    strata_type tag = tag_of(json);
    if (tag == STRATA_LINK) return read_link(b, json->first, out);
    if (tag != STRATA_NULL) {
        if (json->first->kind == ST_JSON_NULL)
            return st_fail(b->error, STRATA_TYPE, 0, "\"%.*s\" is null", (int)json->first->name.size, (const char *)json->first->name.data);
        return st_value_from_json(b->reading->memory, tag, json, out, b->error);
    }
    switch (json->kind) {
    case ST_JSON_NULL: *out = strata_null(); return STRATA_OK;
    case ST_JSON_FALSE: case ST_JSON_TRUE: *out = strata_bool(json->kind == ST_JSON_TRUE); return STRATA_OK;
    case ST_JSON_NUMBER: return read_number(b, json, out);
    default: *out = strata_string(json->text.data, json->text.size); return STRATA_OK;
    }
}

/* A reference, as Realm Studio writes it, or the name of an object that one leads to: a map would be neither. */
static strata_status refuse_reference(bool refers, strata_error *error) {
    const char *name = refers ? "$ref" : "$refId";
    return st_fail(error, STRATA_TYPE, 0,
                   "\"%s\" %s, which a value of any type does not take; declare the class of this property before the "
                   "import, or write \"$%s\" if it is the key of a map",
                   name, refers ? "is a link to an object" : "names an object", name);
}

/* A key of a map: "$$a" stands for "$a". What begins with one of them alone would be a type that there is not. */
static strata_status read_map_key(const st_json *entry, strata_bytes *out, strata_error *error) {
    strata_bytes key = entry->name;
    const char *text = key.data;
    *out = key;
    if (key.size == 0 || text[0] != '$') return STRATA_OK;
    *out = (strata_bytes){ text + 1, key.size - 1 };
    if (key.size > 1 && text[1] == '$') return STRATA_OK;
    bool refers = st_bytes_are(key, "$ref");
    if (refers || st_bytes_are(key, "$refId")) return refuse_reference(refers, error);
    int length = (int)st_utf8_fit(text, key.size, 60);
    return st_fail(error, STRATA_TYPE, 0,
                   "\"%.*s\" does not say a type here; as a key of a map it is written \"$%.*s\"", length, text, length,
                   text);
}

static bool is_nested(const st_json *json) {
    return json->kind == ST_JSON_ARRAY || (json->kind == ST_JSON_OBJECT && tag_of(json) == STRATA_NULL);
}

static strata_status build(mixed_builder *b, const st_json *json, const strata_bytes *key) {
    strata_nested *n = b->reading->nested;
    bool map = json->kind == ST_JSON_OBJECT;
    strata_status status = map ? strata_nested_begin_map(n, key, b->error) : strata_nested_begin_list(n, key, b->error);
    for (const st_json *entry = json->first; entry != NULL && status == STRATA_OK; entry = entry->next) {
        strata_bytes name = entry->name;
        strata_value value;
        if (map) status = read_map_key(entry, &name, b->error);
        if (status != STRATA_OK) return status;
        if (is_nested(entry)) {
            status = build(b, entry, map ? &name : NULL);
            continue;
        }
        status = read_scalar(b, entry, &value);
        if (status != STRATA_OK) return status;
        status = map ? strata_nested_put(n, name, &value, b->error) : strata_nested_append(n, &value, b->error);
    }
    return status == STRATA_OK ? strata_nested_end(n, b->error) : status;
}

strata_status st_mixed_build(st_reading *reading, const st_json *json, st_link_resolver resolve, void *context,
                             strata_value *out, strata_error *error) {
    mixed_builder b = { reading, resolve, context, error };
    if (!is_nested(json)) return read_scalar(&b, json, out);
    strata_nested_reset(reading->nested);
    strata_status status = build(&b, json, NULL);
    return status == STRATA_OK ? strata_nested_finish(reading->nested, out, error) : status;
}

strata_status st_mixed_check(st_reading *reading, const st_json *json, bool of_set, strata_error *error) {
    strata_value value;
    if (of_set && is_nested(json)) return st_fail(error, STRATA_TYPE, 0, "a set cannot hold a list or map");
    strata_status status = st_mixed_build(reading, json, NULL, NULL, &value, error);
    if (status == STRATA_MISUSE) return st_fail(error, STRATA_TYPE, 0, "this cannot be a value of any type");
    if (status != STRATA_OK) return status;
    bool bytes = value.type == STRATA_STRING || value.type == STRATA_DATA || value.type == STRATA_NESTED;
    if (!bytes || value.as.bytes.size <= STRATA_MAX_VALUE) return STRATA_OK;
    return st_fail(error, STRATA_TOO_LARGE, 0, "a value has at most 16 MiB, not %llu bytes",
                   (unsigned long long)value.as.bytes.size);
}
