/* SPDX-License-Identifier: MIT
 * records.c -- text that comes in pieces, cut into records. */
#include "transfer/records.h"

#include <string.h>

#include "base/status.h"
#include "strata_import.h"

strata_status st_at_line(const st_record *record, strata_status status, strata_error *error) {
    strata_error inner;
    if (error == NULL) return status;
    inner = *error;
    return st_fail(error, status, inner.system_code, "line %llu: %s", (unsigned long long)record->line, inner.message);
}

void st_records_begin(st_records *r, strata_text_format format, char separator, st_record_call call, void *context) {
    *r = (st_records){ .format = format, .separator = format == STRATA_TEXT_PLAIN ? '\t' : separator, .call = call,
                       .context = context, .line = 1, .begun = 1, .begins = true };
}

void st_records_free(st_records *r) {
    st_buffer_free(&r->pending);
    st_buffer_free(&r->table);
}

static strata_status keep(st_records *r, const char *text, size_t size, strata_error *error) {
    if (size > STRATA_MAX_RECORD - r->pending.size)
        return st_fail(error, STRATA_TOO_LARGE, 0, "line %llu: a record is larger than 256 MiB",
                       (unsigned long long)r->begun);
    if (size == 0 || st_buffer_append(&r->pending, text, size)) return STRATA_OK;
    return st_no_memory(error, "reading a record");
}

/* The record that ends with some bytes, which are all of it if nothing is pending. */
static strata_status complete(st_records *r, const char *text, size_t size, strata_error *error) {
    strata_bytes whole = { text, size };
    if (r->pending.size > 0) {
        strata_status status = keep(r, text, size, error);
        if (status != STRATA_OK) return status;
        whole = (strata_bytes){ r->pending.data, r->pending.size };
    }
    st_record record = { whole, { r->table.data, r->table.size }, r->begun };
    strata_status status = r->call(r->context, &record, error);
    r->pending.size = 0;
    return status;
}

/* ---- Lines ------------------------------------------------------------ */

/* Whether part of a line says nothing. A separator says that fields are empty, and where there is one field alone, a line
 * is its value whatever it has: an export writes such lines. */
static bool is_blank(const st_records *r, const void *text, size_t size) {
    const char *bytes = text;
    if (r->fields == 1) return false;
    if (r->fields > 1 && size > 0 && memchr(text, r->separator, size) != NULL) return false;
    for (size_t i = 0; i < size; i++)
        if (memchr(" \t\r", bytes[i], 3) == NULL) return false;
    return true;
}

static strata_status complete_line(st_records *r, const char *text, size_t size, strata_error *error) {
    strata_status status = STRATA_OK;
    bool carriage = size > 0 && text[size - 1] == '\r';
    if (size == 0 && r->pending.size > 0 && r->pending.data[r->pending.size - 1] == '\r') r->pending.size--;
    size -= carriage;
    bool blank = is_blank(r, r->pending.data, r->pending.size) && is_blank(r, text, size);
    if (!blank) status = complete(r, text, size, error);
    r->pending.size = 0;
    r->begun = ++r->line;
    return status;
}

static strata_status feed_lines(st_records *r, const char *at, const char *end, strata_error *error) {
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (line_end == NULL) return keep(r, at, (size_t)(end - at), error);
        strata_status status = complete_line(r, at, (size_t)(line_end - at), error);
        if (status != STRATA_OK) return status;
        at = line_end + 1;
    }
    return STRATA_OK;
}

/* A quote opens at the beginning of a field, and closes; right behind one that closed it opens again, since two of them
 * stand for one. Inside of a field that began without one it is a sign like others. */
static void quote_byte(st_records *r, char c) {
    bool closed = false;
    if (c == '"' && r->quoted) r->quoted = false, closed = true;
    else if (c == '"' && !r->inside) r->quoted = true;
    else if (!r->quoted && !r->closed) r->inside = c != r->separator;
    else if (!r->quoted && c == r->separator) r->inside = false;
    r->closed = closed;
}

static strata_status feed_csv(st_records *r, const char *at, const char *end, strata_error *error) {
    const char *from = at;
    for (; at < end; at++) {
        if (*at != '\n' || r->quoted) quote_byte(r, *at);
        if (*at != '\n') continue;
        if (r->quoted) {
            r->line++;
            continue;
        }
        r->inside = r->closed = false;
        strata_status status = complete_line(r, from, (size_t)(at - from), error);
        if (status != STRATA_OK) return status;
        from = at + 1;
    }
    return keep(r, from, (size_t)(end - from), error);
}

/* ---- Documents -------------------------------------------------------- */

/* What comes next in a document. */
enum {
    AT_BEGIN, AT_FIRST_NAME, AT_NAME, IN_NAME, AT_COLON, AT_ARRAY, AT_FIRST, AT_RECORD, IN_RECORD, AFTER_RECORD,
    AFTER_ARRAY, AT_END
};

static strata_status unexpected(const st_records *r, char c, strata_error *error) {
    static const char *const wanted[] = {
        "'{' or '['", "the name of a class, in quotes, or '}'", "the name of a class, in quotes", "a quote", "':'",
        "'[' and the objects of the class", "'{' and an object, or ']'", "'{' and an object", "the end of the object",
        "',' or ']'", "',' or '}'", "the end of the text" };
    return st_fail(error, STRATA_TYPE, 0, "line %llu: expected %s in the JSON document, not '%c'",
                   (unsigned long long)r->line, wanted[r->place], c);
}

static void begin_record(st_records *r) {
    r->place = IN_RECORD;
    r->depth = 0;
    r->in_string = r->escaped = false;
    r->begun = r->line;
}

/* A byte inside of a record. True if the record ends with it. */
static bool record_byte(st_records *r, char c) {
    if (r->in_string) {
        bool escapes = !r->escaped && c == '\\';
        if (!r->escaped && c == '"') r->in_string = false;
        r->escaped = escapes;
        return false;
    }
    if (c == '"') r->in_string = true;
    else if (c == '{' || c == '[') r->depth++;
    else if ((c == '}' || c == ']') && --r->depth == 0) return true;
    return false;
}

/* A byte between records. False if it does not belong there. */
static bool frame_byte(st_records *r, char c) {
    bool first = r->place == AT_FIRST_NAME || r->place == AT_FIRST;
    switch (r->place) {
    case AT_BEGIN:
        r->classes = c == '{';
        r->place = r->classes ? AT_FIRST_NAME : AT_FIRST;
        return c == '{' || c == '[';
    case AT_FIRST_NAME: case AT_NAME:
        r->table.size = 0;
        r->place = c == '"' ? IN_NAME : AT_END;
        return c == '"' || (first && c == '}');
    case AT_COLON: r->place = AT_ARRAY; return c == ':';
    case AT_ARRAY: r->place = AT_FIRST; return c == '[';
    case AT_FIRST: case AT_RECORD:
        if (c == '{') begin_record(r);
        else r->place = r->classes ? AFTER_ARRAY : AT_END;
        return c == '{' || (first && c == ']');
    case AFTER_RECORD:
        r->place = c == ',' ? AT_RECORD : r->classes ? AFTER_ARRAY : AT_END;
        return c == ',' || c == ']';
    case AFTER_ARRAY:
        r->place = c == ',' ? AT_NAME : AT_END;
        return c == ',' || c == '}';
    default: return false;
    }
}

static strata_status name_byte(st_records *r, char c, strata_error *error) {
    if (c == '"' && !r->escaped) {
        r->place = AT_COLON;
        return STRATA_OK;
    }
    r->escaped = !r->escaped && c == '\\';
    if (r->escaped) return STRATA_OK; /* names of classes need no other escapes than those of quotes */
    if (r->table.size > STRATA_MAX_TABLE_NAME)
        return st_fail(error, STRATA_TYPE, 0, "line %llu: the name of a class is too long",
                       (unsigned long long)r->line);
    return st_buffer_append(&r->table, &c, 1) ? STRATA_OK : st_no_memory(error, "reading a record");
}

static strata_status feed_document(st_records *r, const char *at, const char *end, strata_error *error) {
    const char *from = at; /* of the record, or what is left of it */
    strata_status status = STRATA_OK;
    for (; at < end && status == STRATA_OK; at++) {
        char c = *at;
        uint8_t place = r->place;
        if (c == '\n') r->line++;
        if (place == IN_NAME) {
            status = name_byte(r, c, error);
            continue;
        }
        if (place != IN_RECORD) {
            if (memchr(" \t\r\n", c, 4) != NULL) continue;
            from = at;
            if (!frame_byte(r, c)) return r->place = place, unexpected(r, c, error);
        }
        if (r->place != IN_RECORD || !record_byte(r, c)) continue;
        status = complete(r, from, (size_t)(at + 1 - from), error);
        r->place = AFTER_RECORD;
    }
    if (status == STRATA_OK && r->place == IN_RECORD) status = keep(r, from, (size_t)(end - from), error);
    return status;
}

/* ---- The whole -------------------------------------------------------- */

/* Leaves out a byte order mark with which the text begins. */
static const char *without_mark(st_records *r, const char *at, const char *end) {
    static const char mark[] = "\xEF\xBB\xBF";
    while (r->begins && at < end) {
        if (r->mark == 3 || *at != mark[r->mark]) r->begins = false;
        else r->mark++, at++;
    }
    return at;
}

strata_status st_records_feed(st_records *r, strata_bytes text, strata_error *error) {
    const char *at = text.data, *end = at + text.size;
    if (text.size == 0) return STRATA_OK;
    at = without_mark(r, at, end);
    if (r->format == STRATA_TEXT_DOCUMENT) return feed_document(r, at, end, error);
    return r->format == STRATA_TEXT_CSV ? feed_csv(r, at, end, error) : feed_lines(r, at, end, error);
}

uint64_t st_records_next_line(const st_records *r) {
    bool between = r->format == STRATA_TEXT_DOCUMENT && r->place != IN_RECORD;
    return between ? r->line : r->begun;
}

strata_status st_records_end(st_records *r, strata_error *error) {
    if (r->format == STRATA_TEXT_DOCUMENT) {
        if (r->place == AT_END || r->place == AT_BEGIN) return STRATA_OK;
        return st_fail(error, STRATA_TYPE, 0, "line %llu: the JSON document ends within %s",
                       (unsigned long long)r->line, r->place == IN_RECORD ? "an object" : "its frame");
    }
    if (r->quoted)
        return st_fail(error, STRATA_TYPE, 0, "line %llu: a quote is opened and never closed",
                       (unsigned long long)r->begun);
    return r->pending.size == 0 ? STRATA_OK : complete_line(r, "", 0, error);
}
