/* SPDX-License-Identifier: MIT
 * fields.c -- a line of CSV or plain columns, cut into its fields. */
#include "transfer/fields.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/status.h"
#include "base/utf8.h"

typedef struct field_reader {
    const char *begin, *at, *end;
    st_arena *memory;
    char separator;
    strata_error *error;
} field_reader;

static strata_status fail(const field_reader *r, const char *what) {
    return st_fail(r->error, STRATA_TYPE, 0, "at column %llu: %s", (unsigned long long)(r->at - r->begin) + 1, what);
}

/* Behind the first quote. Two quotes stand for one. */
static strata_status read_quoted(field_reader *r, st_text_field *out) {
    const char *from = ++r->at;
    char *copy = NULL;
    size_t length = 0;
    for (;;) {
        const char *quote = memchr(r->at, '"', (size_t)(r->end - r->at));
        if (quote == NULL) return r->at = from - 1, fail(r, "this quote is not closed");
        bool doubled = quote + 1 < r->end && quote[1] == '"';
        if (copy == NULL && !doubled) {
            out->text = (strata_bytes){ from, (size_t)(quote - from) };
            r->at = quote + 1;
            return STRATA_OK;
        }
        if (copy == NULL && (copy = st_arena_alloc(r->memory, (size_t)(r->end - from))) == NULL)
            return st_no_memory(r->error, "reading a line");
        size_t part = (size_t)(quote - r->at) + doubled;
        memcpy(copy + length, r->at, part);
        length += part;
        r->at = quote + 1 + doubled;
        if (doubled) continue;
        out->text = (strata_bytes){ copy, length };
        return STRATA_OK;
    }
}

static strata_status read_csv(field_reader *r, st_text_field *out) {
    if (r->at < r->end && *r->at == '"') {
        strata_status status = read_quoted(r, out);
        if (status != STRATA_OK) return status;
        return r->at == r->end || *r->at == r->separator ? STRATA_OK
                                                         : fail(r, "there is something behind the closing quote");
    }
    const char *from = r->at, *stop = memchr(r->at, r->separator, (size_t)(r->end - r->at));
    r->at = stop == NULL ? r->end : stop;
    out->text = (strata_bytes){ from, (size_t)(r->at - from) };
    out->null = out->text.size == 0;
    return STRATA_OK;
}

static strata_status read_plain(field_reader *r, st_text_field *out) {
    const char *from = r->at, *stop = memchr(r->at, '\t', (size_t)(r->end - r->at));
    if (stop == NULL) stop = r->end;
    out->text = (strata_bytes){ from, (size_t)(stop - from) };
    out->null = out->text.size == 2 && memcmp(from, "\\N", 2) == 0;
    if (out->null || out->text.size == 0 || memchr(from, '\\', out->text.size) == NULL) return r->at = stop, STRATA_OK;
    char *copy = st_arena_alloc(r->memory, out->text.size);
    size_t length = 0;
    if (copy == NULL) return st_no_memory(r->error, "reading a line");
    for (; r->at < stop; r->at++) {
        if (*r->at != '\\') {
            copy[length++] = *r->at;
            continue;
        }
        if (++r->at == stop) return fail(r, "a backslash at the end of a field");
        static const char from_letters[] = "tnr\\", to_bytes[] = "\t\n\r\\";
        const char *found = *r->at == 0 ? NULL : strchr(from_letters, *r->at);
        if (found == NULL) return fail(r, "no such escape; there are \\t, \\n, \\r, \\\\ and \\N");
        copy[length++] = to_bytes[found - from_letters];
    }
    out->text = (strata_bytes){ copy, length };
    return STRATA_OK;
}

strata_status st_fields_read(st_fields *fields, st_arena *memory, strata_text_format format, char separator,
                             strata_bytes line, strata_error *error) {
    const char *data = line.size == 0 ? "" : line.data;
    bool csv = format == STRATA_TEXT_CSV;
    field_reader r = { data, data, data + line.size, memory, csv ? separator : '\t', error };
    fields->count = 0;
    for (;; r.at++) {
        if (!st_array_grow((void **)&fields->list, &fields->capacity, fields->count, sizeof *fields->list))
            return st_no_memory(error, "reading a line");
        st_text_field *field = &fields->list[fields->count++];
        *field = (st_text_field){ .column = (uint32_t)(r.at - r.begin) + 1 };
        strata_status status = csv ? read_csv(&r, field) : read_plain(&r, field);
        if (status != STRATA_OK || r.at == r.end) return status;
    }
}

strata_status st_fields_check(const st_fields *fields, size_t names, strata_error *error) {
    if (fields->count == names) return STRATA_OK;
    return st_fail(error, STRATA_TYPE, 0, "the line has %llu fields, and %llu are named",
                   (unsigned long long)fields->count, (unsigned long long)names);
}

strata_status st_field_check_nameless(const st_fields *fields, size_t position, strata_error *error) {
    const st_text_field *field = &fields->list[position];
    if (field->null || field->text.size == 0) return STRATA_OK;
    return st_fail(error, STRATA_TYPE, 0, "field %llu holds something, and its column has no name",
                   (unsigned long long)position + 1);
}

strata_status st_same_name(strata_bytes name, strata_error *error) {
    return st_fail(error, STRATA_TYPE, 0, "two fields are called '%.*s'", (int)st_utf8_fit(name.data, name.size, 60),
                   (const char *)name.data);
}

void st_fields_free(st_fields *fields) {
    free(fields->list);
    *fields = (st_fields){ .list = NULL };
}
