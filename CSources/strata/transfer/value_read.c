/* SPDX-License-Identifier: MIT
 * value_read.c -- values from text and JSON. */
#include "transfer/value_read.h"

#include <math.h>
#include <stdio.h>

#include "base/status.h"
#include "base/utf8.h"
#include "predicate/number.h"
#include "transfer/base64.h"
#include "predicate/date_text.h"
#include "value/decimal_text.h"

/* ---- Messages --------------------------------------------------------- */

const char *st_json_describe(const st_json *json, char *out, size_t size) {
    int length = (int)st_utf8_fit(json->text.data, json->text.size, 40);
    const char *more = (size_t)length < json->text.size ? "..." : "";
    switch (json->kind) {
    case ST_JSON_NULL: return "null";
    case ST_JSON_FALSE: return "false";
    case ST_JSON_TRUE: return "true";
    case ST_JSON_ARRAY: return "an array";
    case ST_JSON_OBJECT: return "an object";
    case ST_JSON_NUMBER: snprintf(out, size, "%.*s%s", length, (const char *)json->text.data, more); return out;
    case ST_JSON_STRING: break;
    }
    snprintf(out, size, "\"%.*s%s\"", length, length == 0 ? "" : (const char *)json->text.data, more);
    return out;
}

static const char *example(strata_type type) {
    switch (type) {
    case STRATA_BOOL: return "true or false";
    case STRATA_INT: return "a whole number of 64 bits";
    case STRATA_FLOAT: case STRATA_DOUBLE: return "a number";
    case STRATA_DATA: return "base64";
    case STRATA_DATE: return "a date, such as 2026-11-23T20:15:00Z";
    case STRATA_UUID: return "a UUID, such as 123e4567-e89b-12d3-a456-426614174000";
    case STRATA_OBJECT_ID: return "24 hexadecimal digits";
    case STRATA_DECIMAL: return "a decimal number, such as 1.10";
    default: return "a string";
    }
}

static strata_status no_fit(strata_type type, strata_bytes text, strata_error *error) {
    int length = (int)st_utf8_fit(text.data, text.size, 40);
    return st_fail(error, STRATA_TYPE, 0, "\"%.*s%s\" is not %s", length, length == 0 ? "" : (const char *)text.data,
                   (size_t)length < text.size ? "..." : "", example(type));
}

/* A number that is none for its type, or too large for it. */
static strata_status no_real(strata_type type, strata_bytes text, strata_error *error) {
    strata_decimal decimal;
    int length = (int)st_utf8_fit(text.data, text.size, 40);
    /* Decimals have words for what is no finite number, all with an n, which doubles write otherwise. */
    bool is_word = text.size > 0 && (memchr(text.data, 'n', text.size) || memchr(text.data, 'N', text.size));
    if (is_word || strata_decimal_parse(text.data, text.size, &decimal, NULL) != STRATA_OK)
        return no_fit(type, text, error);
    return st_fail(error, STRATA_TYPE, 0, "\"%.*s%s\" is more than a %s holds", length, (const char *)text.data,
                   (size_t)length < text.size ? "..." : "", type == STRATA_FLOAT ? "float" : "double");
}

static strata_status no_exact_fit(strata_bytes text, strata_error *error) {
    int length = (int)st_utf8_fit(text.data, text.size, 40);
    return st_fail(error, STRATA_TYPE, 0, "\"%.*s%s\" has more digits than a decimal, which has 34, or a larger exponent",
                   length, (const char *)text.data, (size_t)length < text.size ? "..." : "");
}

/* ---- Text ------------------------------------------------------------- */

static bool read_bool(strata_bytes text, bool *out) {
    *out = st_bytes_are(text, "true") || st_bytes_are(text, "1") || st_bytes_are(text, "TRUE") ||
           st_bytes_are(text, "True");
    return *out || st_bytes_are(text, "false") || st_bytes_are(text, "0") || st_bytes_are(text, "FALSE") ||
           st_bytes_are(text, "False");
}

static bool read_int(strata_bytes text, int64_t *out) {
    const char *at = text.data, *end = at + text.size;
    uint64_t number = 0, limit = INT64_MAX;
    bool negative = text.size > 0 && *at == '-';
    if (text.size > 0 && (*at == '-' || *at == '+')) at++;
    if (at == end) return false;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9') return false;
        uint64_t digit = (uint64_t)(*at - '0');
        if (number > (limit + negative - digit) / 10) return false;
        number = number * 10 + digit;
    }
    *out = negative ? (int64_t)(0 - number) : (int64_t)number;
    return true;
}

/* Numbers as people write them; not those that only C reads, such as 0x10. */
static bool read_real(strata_bytes text, double *out) {
    if (st_bytes_are(text, "NaN")) return *out = (double)NAN, true;
    if (st_bytes_are(text, "Infinity")) return *out = (double)INFINITY, true;
    if (st_bytes_are(text, "-Infinity")) return *out = -(double)INFINITY, true;
    for (size_t i = 0; i < text.size; i++)
        if (memchr("0123456789+-.eE", ((const char *)text.data)[i], 15) == NULL) return false;
    return text.size > 0 && st_number_read(text.data, text.size, out);
}

static bool read_hex(strata_bytes text, size_t size, uint8_t *out) {
    const char *at = text.data, *end = at + text.size;
    for (size_t i = 0; i < 2 * size; i++, at++) {
        if (size == 16 && at < end && *at == '-') at++;
        if (at >= end) return false;
        char c = *at;
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                                 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
        if (digit < 0) return false;
        out[i / 2] = (uint8_t)(out[i / 2] << 4 | digit);
    }
    return at == end;
}

static strata_status read_data(st_arena *memory, strata_bytes text, strata_value *out, strata_error *error) {
    size_t size = 0;
    uint8_t *bytes = st_arena_alloc(memory, text.size / 4 * 3 + 4);
    if (bytes == NULL) return st_no_memory(error, "reading a value");
    if (!st_base64_read(text.size == 0 ? "" : text.data, text.size, bytes, &size))
        return no_fit(STRATA_DATA, text, error);
    *out = strata_data(bytes, size);
    return STRATA_OK;
}

strata_status st_value_from_text(st_arena *memory, strata_type type, strata_bytes text, strata_value *out,
                                 strata_error *error) {
    strata_decimal decimal;
    bool fits = true;
    *out = strata_null();
    out->type = type;
    if (text.size == 0) text.data = "";
    switch (type) {
    case STRATA_BOOL: fits = read_bool(text, &out->as.boolean); break;
    case STRATA_INT: fits = read_int(text, &out->as.integer); break;
    case STRATA_FLOAT: {
        double number = 0;
        fits = read_real(text, &number) && (!isfinite(number) || isfinite((float)number));
        out->as.single = (float)number;
        break;
    }
    case STRATA_DOUBLE: fits = read_real(text, &out->as.real); break;
    case STRATA_DATE: fits = st_date_read(text.data, text.size, &out->as.real); break;
    case STRATA_UUID: fits = read_hex(text, 16, out->as.fixed); break;
    case STRATA_OBJECT_ID: fits = read_hex(text, 12, out->as.fixed); break;
    case STRATA_DATA: return read_data(memory, text, out, error);
    case STRATA_DECIMAL:
        fits = st_decimal_read_exactly(text.data, text.size, &decimal);
        if (!fits && strata_decimal_parse(text.data, text.size, &decimal, NULL) == STRATA_OK)
            return no_exact_fit(text, error);
        if (fits) *out = strata_decimal_value(decimal);
        break;
    default: out->as.bytes = text; break;
    }
    if (fits) return STRATA_OK;
    bool real = type == STRATA_FLOAT || type == STRATA_DOUBLE;
    return real ? no_real(type, text, error) : no_fit(type, text, error);
}

/* ---- JSON ------------------------------------------------------------- */

bool st_json_int(const st_json *json, int64_t *out) {
    strata_decimal number;
    if (json->kind != ST_JSON_NUMBER) return false;
    if (read_int(json->text, out)) return true;
    return st_decimal_read_exactly(json->text.data, json->text.size, &number) && strata_decimal_to_int64(number, out);
}

/* Values that say their type themselves, as in values of any type, or as other programs write them. */
static const struct {
    const char *name;
    strata_type type;
} tags[] = {
    { "$numberInt", STRATA_INT },     { "$numberLong", STRATA_INT },        { "$float", STRATA_FLOAT },
    { "$double", STRATA_DOUBLE },     { "$numberDouble", STRATA_DOUBLE },   { "$decimal", STRATA_DECIMAL },
    { "$numberDecimal", STRATA_DECIMAL }, { "$date", STRATA_DATE },         { "$data", STRATA_DATA },
    { "$uuid", STRATA_UUID },         { "$oid", STRATA_OBJECT_ID },
};

bool st_json_tag(const st_json *json, strata_type *out) {
    if (json->kind != ST_JSON_OBJECT || json->count != 1) return false;
    const st_json *inner = json->first;
    if (inner->kind != ST_JSON_STRING && inner->kind != ST_JSON_NUMBER) return false;
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        if (!st_bytes_are(inner->name, tags[i].name)) continue;
        *out = tags[i].type;
        return true;
    }
    return false;
}

/* The string or number in an object such as {"$oid": "..."}, if that is of the type; otherwise the value itself. */
static const st_json *untagged(strata_type type, const st_json *json) {
    strata_type tag;
    return st_json_tag(json, &tag) && tag == type ? json->first : json;
}

strata_status st_value_from_json(st_arena *memory, strata_type type, const st_json *json, strata_value *out,
                                 strata_error *error) {
    char text[64];
    const st_json *given = json;
    *out = strata_null();
    if (json->kind == ST_JSON_NULL) return STRATA_OK;
    json = untagged(type, json);
    bool number = json->kind == ST_JSON_NUMBER, string = json->kind == ST_JSON_STRING;
    switch (type) {
    case STRATA_BOOL:
        if (json->kind != ST_JSON_TRUE && json->kind != ST_JSON_FALSE) break;
        *out = strata_bool(json->kind == ST_JSON_TRUE);
        return STRATA_OK;
    case STRATA_INT:
        out->type = STRATA_INT;
        if (json != given && string) return st_value_from_text(memory, type, json->text, out, error);
        if (!st_json_int(json, &out->as.integer)) break;
        return STRATA_OK;
    case STRATA_FLOAT: case STRATA_DOUBLE: {
        bool odd = string && json->text.size > 0 && strchr("NI-", *(const char *)json->text.data) != NULL;
        if (!number && !odd && json == given) break;
        return st_value_from_text(memory, type, json->text, out, error);
    }
    case STRATA_DECIMAL:
        if (!number && !string) break;
        return st_value_from_text(memory, type, json->text, out, error);
    default:
        if (!string) break;
        return st_value_from_text(memory, type, json->text, out, error);
    }
    return st_fail(error, STRATA_TYPE, 0, "%s is not %s", st_json_describe(json, text, sizeof text), example(type));
}
