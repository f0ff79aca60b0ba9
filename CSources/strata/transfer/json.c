/* SPDX-License-Identifier: MIT
 * json.c -- JSON (RFC 8259) as a tree. */
#include "transfer/json.h"

#include "base/status.h"

typedef struct json_reader {
    const char *begin, *at, *end;
    st_arena *memory;
    strata_error *error;
    unsigned depth;
} json_reader;

static strata_status fail(json_reader *r, const char *what) {
    return st_fail(r->error, STRATA_TYPE, 0, "at column %llu: %s", (unsigned long long)(r->at - r->begin) + 1, what);
}

static void skip_space(json_reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) r->at++;
}

/* ---- Strings ---------------------------------------------------------- */

static bool hex4(json_reader *r, uint32_t *out) {
    *out = 0;
    if (r->end - r->at < 4) return false;
    for (int i = 0; i < 4; i++, r->at++) {
        char c = *r->at;
        uint32_t digit = c >= '0' && c <= '9' ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10) : 16;
        if (digit == 16) return false;
        *out = *out << 4 | digit;
    }
    return true;
}

static size_t put_code_point(uint32_t c, char *out) {
    if (c < 0x80) return out[0] = (char)c, 1;
    if (c < 0x800) return out[0] = (char)(0xC0 | c >> 6), out[1] = (char)(0x80 | (c & 63)), 2;
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12), out[1] = (char)(0x80 | (c >> 6 & 63)), out[2] = (char)(0x80 | (c & 63));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18), out[1] = (char)(0x80 | (c >> 12 & 63));
    out[2] = (char)(0x80 | (c >> 6 & 63)), out[3] = (char)(0x80 | (c & 63));
    return 4;
}

/* Behind the backslash and the "u". */
static strata_status read_unicode(json_reader *r, char *out, size_t *length) {
    uint32_t high, low;
    if (!hex4(r, &high)) return fail(r, "expected four hexadecimal digits");
    if (high >= 0xDC00 && high < 0xE000) return fail(r, "the second half of a character without the first");
    if (high >= 0xD800 && high < 0xDC00) {
        if (r->end - r->at < 6 || r->at[0] != '\\' || r->at[1] != 'u')
            return fail(r, "the first half of a character without the second");
        r->at += 2;
        if (!hex4(r, &low) || low < 0xDC00 || low >= 0xE000)
            return fail(r, "the first half of a character without the second");
        high = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    }
    *length += put_code_point(high, out + *length);
    return STRATA_OK;
}

static strata_status read_escape(json_reader *r, char *out, size_t *length) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (++r->at == r->end) return fail(r, "the string is not closed");
    char c = *r->at++;
    if (c == 'u') return read_unicode(r, out, length);
    const char *found = c == 0 ? NULL : strchr(from, c);
    if (found == NULL) return r->at--, fail(r, "no such escape in a string");
    out[(*length)++] = to[found - from];
    return STRATA_OK;
}

/* The end of what needs no decoding: a quote, a backslash, a control character, or the end of the text. */
static const char *plain_end(const char *at, const char *end) {
    while (at < end && *at != '"' && *at != '\\' && (unsigned char)*at >= 0x20) at++;
    return at;
}

static strata_status read_string(json_reader *r, strata_bytes *out) {
    const char *from = ++r->at;
    r->at = plain_end(r->at, r->end);
    if (r->at < r->end && *r->at == '"') {
        *out = (strata_bytes){ from, (size_t)(r->at++ - from) };
        return STRATA_OK;
    }
    /* A decoded string is not longer than its text. */
    const char *close = r->at;
    while (close < r->end && *close != '"') close += *close == '\\' && r->end - close > 1 ? 2 : 1;
    char *copy = st_arena_alloc(r->memory, (size_t)(close - from) + 4);
    size_t length = (size_t)(r->at - from);
    if (copy == NULL) return st_no_memory(r->error, "reading JSON");
    memcpy(copy, from, length);
    while (r->at < r->end && *r->at != '"') {
        if ((unsigned char)*r->at < 0x20) return fail(r, "a control character in a string is to be escaped");
        if (*r->at == '\\') {
            strata_status status = read_escape(r, copy, &length);
            if (status != STRATA_OK) return status;
            continue;
        }
        const char *stop = plain_end(r->at, r->end);
        memcpy(copy + length, r->at, (size_t)(stop - r->at));
        length += (size_t)(stop - r->at);
        r->at = stop;
    }
    if (r->at == r->end) return fail(r, "the string is not closed");
    r->at++;
    *out = (strata_bytes){ copy, length };
    return STRATA_OK;
}

/* ---- Numbers and words ------------------------------------------------ */

static bool take_digits(json_reader *r) {
    const char *from = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') r->at++;
    return r->at > from;
}

static strata_status read_number(json_reader *r, st_json *out) {
    const char *from = r->at;
    if (*r->at == '-') r->at++;
    bool zero = r->at < r->end && *r->at == '0';
    const char *whole = r->at;
    if (!take_digits(r) || (zero && r->at - whole > 1)) return fail(r, "this is no number of JSON");
    if (r->at < r->end && *r->at == '.' && (r->at++, !take_digits(r))) return fail(r, "expected a digit");
    if (r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
        r->at++;
        if (r->at < r->end && (*r->at == '+' || *r->at == '-')) r->at++;
        if (!take_digits(r)) return fail(r, "expected a digit");
    }
    out->kind = ST_JSON_NUMBER;
    out->text = (strata_bytes){ from, (size_t)(r->at - from) };
    return STRATA_OK;
}

static strata_status read_word(json_reader *r, st_json *out) {
    static const struct { const char *word; st_json_kind kind; } words[] = {
        { "null", ST_JSON_NULL }, { "true", ST_JSON_TRUE }, { "false", ST_JSON_FALSE } };
    for (size_t i = 0; i < 3; i++) {
        size_t size = strlen(words[i].word);
        if ((size_t)(r->end - r->at) < size || memcmp(r->at, words[i].word, size) != 0) continue;
        r->at += size;
        out->kind = words[i].kind;
        return STRATA_OK;
    }
    return fail(r, "expected a value of JSON");
}

/* ---- Values ----------------------------------------------------------- */

static strata_status read_value(json_reader *r, strata_bytes name, st_json **out);

static strata_status read_name(json_reader *r, strata_bytes *out) {
    if (r->at == r->end || *r->at != '"') return fail(r, "expected the name of a property, in quotes");
    strata_status status = read_string(r, out);
    if (status != STRATA_OK) return status;
    skip_space(r);
    if (r->at == r->end || *r->at != ':') return fail(r, "expected ':'");
    r->at++;
    return STRATA_OK;
}

static strata_status read_entries(json_reader *r, st_json *out, char close) {
    st_json **last = &out->first;
    r->at++;
    skip_space(r);
    if (r->at < r->end && *r->at == close) return r->at++, STRATA_OK;
    for (;;) {
        strata_bytes name = { NULL, 0 };
        skip_space(r);
        strata_status status = close == '}' ? read_name(r, &name) : STRATA_OK;
        if (status == STRATA_OK) status = read_value(r, name, last);
        if (status != STRATA_OK) return status;
        out->count++;
        last = &(*last)->next;
        skip_space(r);
        if (r->at < r->end && *r->at == close) return r->at++, STRATA_OK;
        if (r->at == r->end || *r->at != ',') return fail(r, close == '}' ? "expected ',' or '}'" : "expected ',' or ']'");
        r->at++;
    }
}

static strata_status read_value(json_reader *r, strata_bytes name, st_json **out) {
    st_json *value = st_arena_alloc(r->memory, sizeof *value);
    if (value == NULL) return st_no_memory(r->error, "reading JSON");
    skip_space(r);
    *value = (st_json){ .name = name, .column = (uint32_t)(r->at - r->begin) + 1 };
    *out = value;
    if (r->at == r->end) return fail(r, "expected a value of JSON, and the text ends");
    char c = *r->at;
    if (c == '"') return value->kind = ST_JSON_STRING, read_string(r, &value->text);
    if (c == '-' || (c >= '0' && c <= '9')) return read_number(r, value);
    if (c != '{' && c != '[') return read_word(r, value);
    if (++r->depth > ST_JSON_DEPTH) return fail(r, "more than 200 arrays and objects are inside each other");
    value->kind = c == '{' ? ST_JSON_OBJECT : ST_JSON_ARRAY;
    strata_status status = read_entries(r, value, c == '{' ? '}' : ']');
    r->depth--;
    return status;
}

strata_status st_json_parse(st_arena *memory, strata_bytes text, st_json **out, strata_error *error) {
    const char *data = text.size == 0 ? "" : text.data;
    json_reader r = { data, data, data + text.size, memory, error, 0 };
    strata_status status = read_value(&r, (strata_bytes){ NULL, 0 }, out);
    if (status != STRATA_OK) return status;
    skip_space(&r);
    return r.at == r.end ? STRATA_OK : fail(&r, "there is something behind the value");
}

const st_json *st_json_member(const st_json *object, const char *name) {
    const st_json *found = NULL;
    if (object->kind != ST_JSON_OBJECT) return NULL;
    for (const st_json *member = object->first; member != NULL; member = member->next)
        if (st_bytes_are(member->name, name)) found = member;
    return found;
}
