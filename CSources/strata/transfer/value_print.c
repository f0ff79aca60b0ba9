/* SPDX-License-Identifier: MIT
 * value_print.c -- objects and values as JSON, and cells as text. */
#include "transfer/value_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/interrupt.h"
#include "base/status.h"
#include "base/utf8.h"
#include "predicate/number.h"
#include "strata_decimal.h"
#include "strata_export.h"
#include "strata_mixed.h"
#include "transfer/base64.h"
#include "predicate/date_text.h"

enum { DEEPEST = 100, BATCH = 64 };

static strata_status no_memory(strata_error *error) { return st_no_memory(error, "writing text"); }

static strata_status printed(bool room, strata_error *error) { return room ? STRATA_OK : no_memory(error); }

/* ---- Words ------------------------------------------------------------ */

static bool put(st_printer *p, const void *bytes, size_t size) { return st_buffer_append(&p->out, bytes, size); }

bool st_print_text(st_printer *p, const char *text) { return put(p, text, strlen(text)); }

static bool put_escape(st_printer *p, uint8_t byte) {
    static const char digits[] = "0123456789abcdef";
    switch (byte) {
    case '"': return put(p, "\\\"", 2);
    case '\\': return put(p, "\\\\", 2);
    case '\n': return put(p, "\\n", 2);
    case '\r': return put(p, "\\r", 2);
    case '\t': return put(p, "\\t", 2);
    default: break;
    }
    char escape[6] = { '\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15] };
    return put(p, escape, sizeof escape);
}

/* With it begin in UTF-8 the controls U+0080 to U+009F, which terminals obey as well, and the 32 characters behind. */
enum { LATIN = 0xC2 };

/* Whether a byte of a string has to be escaped, or begins what may have to be. */
static bool is_special(uint8_t byte) {
    return byte < 0x20 || byte == '"' || byte == '\\' || byte == 0x7F || byte == LATIN;
}

/* The high bit of each byte of a word that is 0, and perhaps of bytes above the first one of these. */
static uint64_t zeros_of(uint64_t word) {
    return (word - UINT64_C(0x0101010101010101)) & ~word & UINT64_C(0x8080808080808080);
}

/* The high bit of each special byte of a word, and perhaps of bytes above the first one of these. */
static uint64_t specials_of(uint64_t word) {
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t controls = (word - each * 0x20) & ~word & each * 0x80; /* bytes below 0x20, as zeros_of() */
    return controls | zeros_of(word ^ each * '"') | zeros_of(word ^ each * '\\') | zeros_of(word ^ each * 0x7F) |
           zeros_of(word ^ each * LATIN);
}

/* Sixteen bytes that are compared at once. */
typedef uint8_t lanes __attribute__((vector_size(16)));

/* How many of sixteen bytes come before the first special one. */
static size_t plain_lanes(const uint8_t *bytes) {
    lanes all;
    uint64_t halves[2];
    memcpy(&all, bytes, sizeof all);
    lanes special = (lanes)((all < 0x20) | (all == '"') | (all == '\\') | (all == 0x7F) | (all == LATIN));
    memcpy(halves, &special, sizeof halves);
    if (halves[0] != 0) return (size_t)__builtin_ctzll(halves[0]) / 8;
    return halves[1] != 0 ? 8 + (size_t)__builtin_ctzll(halves[1]) / 8 : sizeof all;
}

/* How many bytes come before the first special one. The last word of a string may overlap what was looked at. */
static size_t plain_length(const uint8_t *bytes, size_t size) {
    size_t at = 0;
    for (; size - at >= sizeof(lanes); at += sizeof(lanes)) {
        size_t plain = plain_lanes(bytes + at);
        if (plain < sizeof(lanes)) return at + plain;
    }
    while (at < size && size >= sizeof(uint64_t)) {
        size_t from = size - at >= sizeof(uint64_t) ? at : size - sizeof(uint64_t);
        uint64_t special = specials_of(strata_load64(bytes + from));
        if (special != 0) return from + (size_t)__builtin_ctzll(special) / 8;
        at = from + sizeof(uint64_t);
    }
    while (at < size && !is_special(bytes[at])) at++;
    return at;
}

/* Writes what a special byte begins. Returns how many bytes that is; 0 if there is no memory. */
static size_t put_special(st_printer *p, const uint8_t *bytes, size_t size) {
    if (bytes[0] != LATIN) return put_escape(p, bytes[0]);
    if (size == 1 || bytes[1] >= 0xA0) return put(p, bytes, 1);
    return put_escape(p, bytes[1]) ? 2 : 0; /* its second byte is its number */
}

static bool put_escaped(st_printer *p, strata_bytes string) {
    const uint8_t *bytes = string.data;
    size_t left = string.size;
    while (true) {
        size_t plain = plain_length(bytes, left);
        if (!put(p, bytes, plain)) return false;
        if (plain == left) return true;
        size_t taken = put_special(p, bytes + plain, left - plain);
        if (taken == 0) return false;
        bytes += plain + taken;
        left -= plain + taken;
    }
}

bool st_print_string(st_printer *p, strata_bytes string) {
    return put(p, "\"", 1) && put_escaped(p, string) && put(p, "\"", 1);
}

bool st_print_int(st_printer *p, int64_t number) {
    char text[20];
    size_t at = sizeof text;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do text[--at] = (char)('0' + rest % 10);
    while ((rest /= 10) != 0);
    if (number < 0) text[--at] = '-';
    return put(p, text + at, sizeof text - at);
}

static size_t print_word(const char *word, char *out) {
    size_t length = strlen(word);
    memcpy(out, word, length + 1);
    return length;
}

static size_t print_real(double number, bool single, char *out) {
    if (isfinite(number)) return st_number_print(number, single, out);
    return print_word(isnan(number) ? "NaN" : number < 0 ? "-Infinity" : "Infinity", out);
}

static size_t print_date(double seconds, char *out) {
    size_t length = st_date_print(seconds, out);
    out[length] = 0;
    return length;
}

static size_t print_hex(const uint8_t *bytes, size_t size, bool hyphens, char *out) {
    static const char digits[] = "0123456789abcdef";
    size_t length = 0;
    for (size_t i = 0; i < size; i++) {
        if (hyphens && (i == 4 || i == 6 || i == 8 || i == 10)) out[length++] = '-';
        out[length++] = digits[bytes[i] >> 4];
        out[length++] = digits[bytes[i] & 15];
    }
    out[length] = 0;
    return length;
}

_Static_assert((int)STRATA_VALUE_TEXT >= (int)STRATA_DECIMAL_TEXT && (int)STRATA_VALUE_TEXT >= (int)ST_NUMBER_TEXT &&
                   (int)STRATA_VALUE_TEXT >= (int)ST_DATE_TEXT,
               "every value has room for its text");

size_t strata_value_print(const strata_value *v, char out[STRATA_VALUE_TEXT]) {
    out[0] = 0;
    if (v == NULL) return 0;
    switch (v->type) {
    case STRATA_BOOL: return print_word(v->as.boolean ? "true" : "false", out);
    case STRATA_INT: return (size_t)snprintf(out, STRATA_VALUE_TEXT, "%" PRId64, v->as.integer);
    case STRATA_FLOAT: return print_real((double)v->as.single, true, out);
    case STRATA_DOUBLE: return print_real(v->as.real, false, out);
    case STRATA_DATE: return print_date(v->as.real, out);
    case STRATA_UUID: return print_hex(v->as.fixed, 16, true, out);
    case STRATA_OBJECT_ID: return print_hex(v->as.fixed, 12, false, out);
    case STRATA_DECIMAL: return strata_decimal_print(strata_decimal_load(v->as.fixed), out);
    default: return 0;
    }
}

static bool put_base64(st_printer *p, strata_bytes data) {
    size_t length = st_base64_length(data.size);
    if (!st_buffer_reserve(&p->out, length)) return false;
    st_base64_print(data.data, data.size, (char *)p->out.data + p->out.size);
    p->out.size += length;
    return true;
}

/* "...", as one sign. */
static bool put_ellipsis(st_printer *p) { return st_print_text(p, "\xE2\x80\xA6"); }

/* What is printed of some text. */
static strata_bytes beginning(const st_printer *p, strata_bytes text) {
    if (p->preview == 0 || text.size <= p->preview) return text;
    return (strata_bytes){ text.data, st_utf8_fit(text.data, text.size, p->preview) };
}

static bool put_text(st_printer *p, strata_bytes text, bool escaped) {
    strata_bytes shown = beginning(p, text);
    bool room = shown.size == 0 || (escaped ? put_escaped(p, shown) : put(p, shown.data, shown.size));
    return room && (shown.size == text.size || put_ellipsis(p));
}

static bool put_data(st_printer *p, strata_bytes data) {
    strata_bytes shown = data;
    if (p->preview != 0 && shown.size > p->preview) shown.size = p->preview;
    return put_base64(p, shown) && (shown.size == data.size || put_ellipsis(p));
}

/* Whether enough elements were printed. */
static bool is_enough(const st_printer *p, uint64_t printed_elements) {
    return p->preview != 0 && printed_elements >= (p->preview + 7) / 8;
}

/* A value other than null, a link or a nested one, as text without quotes. Strings are not escaped. */
static bool put_bare(st_printer *p, const strata_value *v) {
    char text[STRATA_VALUE_TEXT];
    switch (v->type) {
    case STRATA_INT: return st_print_int(p, v->as.integer);
    case STRATA_STRING: return put_text(p, v->as.bytes, false);
    case STRATA_DATA: return put_data(p, v->as.bytes);
    default: return put(p, text, strata_value_print(v, text));
    }
}

/* The same in JSON. */
static bool put_scalar(st_printer *p, const strata_value *v) {
    bool number = v->type == STRATA_BOOL || v->type == STRATA_INT || (v->type == STRATA_FLOAT && isfinite(v->as.single)) ||
                  (v->type == STRATA_DOUBLE && isfinite(v->as.real));
    if (number) return put_bare(p, v);
    if (v->type == STRATA_STRING) return put(p, "\"", 1) && put_text(p, v->as.bytes, true) && put(p, "\"", 1);
    return put(p, "\"", 1) && put_bare(p, v) && put(p, "\"", 1);
}

/* ---- Links ------------------------------------------------------------ */

/* Whether a string would be read back as JSON, where a field may be that, too. */
static bool looks_like_json(const strata_value *v) {
    if (v->type != STRATA_STRING || v->as.bytes.size == 0) return false;
    char first = *(const char *)v->as.bytes.data;
    return first == '{' || first == '"';
}

/* Whether a value is longer than what is printed of it. */
static bool is_cut(const st_printer *p, const strata_value *v) {
    bool bytes = v->type == STRATA_STRING || v->type == STRATA_DATA;
    return p->preview != 0 && bytes && v->as.bytes.size > p->preview;
}

/* The primary key of an object, as `bare` text or JSON; or {"$key": number}, which also leads there where the beginning
 * of a key would not. */
static strata_status put_link(st_printer *p, uint32_t number, uint64_t key, bool bare, strata_error *error) {
    const st_printed_table *table;
    strata_row row;
    strata_value primary = strata_null();
    strata_status status = st_printer_table(p, number, &table, error);
    if (status == STRATA_OK && table->info.primary != UINT32_MAX) {
        status = strata_row_bind(p->view, number, key, &row, error);
        if (status == STRATA_OK) status = strata_row_get(&row, table->info.primary, &primary, error);
        if (status == STRATA_NOT_FOUND) status = STRATA_OK;
        if (status == STRATA_OK && is_cut(p, &primary)) primary = strata_null();
        if (status == STRATA_OK && strata_value_is_outside(&primary)) {
            size_t size = primary.as.bytes.size;
            p->primary.size = 0;
            if (!st_buffer_reserve(&p->primary, size + 1)) return no_memory(error);
            status = strata_row_read(&row, table->info.primary, 0, p->primary.data, size, &size, error);
            primary.as.bytes = (strata_bytes){ p->primary.data, size };
            primary.table = 0;
        }
    }
    if (status != STRATA_OK) return status;
    if (looks_like_json(&primary)) bare = false;
    if (primary.type != STRATA_NULL) return printed(bare ? put_bare(p, &primary) : put_scalar(p, &primary), error);
    return printed(st_print_text(p, "{\"$key\":") && st_print_int(p, (int64_t)key) && put(p, "}", 1), error);
}

static strata_status put_embedded(st_printer *p, uint32_t table, uint64_t key, strata_error *error) {
    strata_row row;
    if (p->depth == DEEPEST)
        return st_fail(error, STRATA_TOO_LARGE, 0, "more than %d embedded objects are inside each other", DEEPEST);
    strata_status status = strata_row_bind(p->view, table, key, &row, error);
    if (status == STRATA_NOT_FOUND) return printed(st_print_text(p, "null"), error);
    p->depth++;
    if (status == STRATA_OK) status = st_print_object(p, &row, false, error);
    p->depth--;
    return status;
}

/* ---- Mixed values ----------------------------------------------------- */

static strata_status put_mixed(st_printer *p, const strata_value *v, strata_error *error);

static bool put_tagged(st_printer *p, const char *tag, const strata_value *v) {
    return st_print_text(p, "{\"$") && st_print_text(p, tag) && st_print_text(p, "\":") && put_scalar(p, v) &&
           put(p, "}", 1);
}

static strata_status put_nested(st_printer *p, strata_bytes bytes, strata_error *error) {
    strata_nested_iterator entries;
    strata_bytes key;
    strata_value value;
    strata_status status = strata_nested_open(bytes, &entries, error);
    if (status != STRATA_OK) return status;
    bool map = entries.kind == STRATA_MAP;
    if (!put(p, map ? "{" : "[", 1)) return no_memory(error);
    for (uint32_t i = 0; (status = strata_nested_next(&entries, &key, &value)) == STRATA_OK; i++) {
        bool dollar = map && key.size > 0 && *(const char *)key.data == '$';
        bool room = i == 0 || put(p, ",", 1);
        if (is_enough(p, i)) {
            room = room && st_print_text(p, map ? "\"\xE2\x80\xA6\":null" : "\"\xE2\x80\xA6\"");
            return printed(room && put(p, map ? "}" : "]", 1), error);
        }
        if (map) room = room && put(p, "\"", 1) && put(p, "$", dollar ? 1 : 0) && put_escaped(p, key) && put(p, "\":", 2);
        status = room ? put_mixed(p, &value, error) : no_memory(error);
        if (status == STRATA_OK && i % BATCH == BATCH - 1) status = st_printer_look(p, BATCH, error);
        if (status != STRATA_OK) return status;
    }
    if (status != STRATA_END) return st_fail(error, STRATA_CORRUPT, 0, "a list or map in a value is damaged");
    return printed(put(p, map ? "}" : "]", 1), error);
}

static strata_status put_mixed_link(st_printer *p, const strata_value *v, strata_error *error) {
    const st_printed_table *table;
    strata_status status = st_printer_table(p, v->table, &table, error);
    if (status != STRATA_OK) return status;
    strata_bytes name = { table->info.name, strlen(table->info.name) };
    if (!st_print_text(p, "{\"$link\":[") || !st_print_string(p, name) || !put(p, ",", 1)) return no_memory(error);
    status = put_link(p, v->table, v->as.link, false, error);
    return status == STRATA_OK ? printed(put(p, "]}", 2), error) : status;
}

static strata_status put_mixed(st_printer *p, const strata_value *v, strata_error *error) {
    switch (v->type) {
    case STRATA_NULL: return printed(st_print_text(p, "null"), error);
    case STRATA_BOOL: case STRATA_INT: case STRATA_STRING: return printed(put_scalar(p, v), error);
    case STRATA_FLOAT: return printed(put_tagged(p, "float", v), error);
    case STRATA_DOUBLE:
        return printed(isfinite(v->as.real) ? put_scalar(p, v) : put_tagged(p, "double", v), error);
    case STRATA_DECIMAL: return printed(put_tagged(p, "decimal", v), error);
    case STRATA_DATE: return printed(put_tagged(p, "date", v), error);
    case STRATA_DATA: return printed(put_tagged(p, "data", v), error);
    case STRATA_UUID: return printed(put_tagged(p, "uuid", v), error);
    case STRATA_OBJECT_ID: return printed(put_tagged(p, "oid", v), error);
    case STRATA_LINK: return put_mixed_link(p, v, error);
    case STRATA_NESTED: return put_nested(p, v->as.bytes, error);
    default: return st_fail(error, STRATA_CORRUPT, 0, "a value has an unknown type");
    }
}

/* ---- Cells ------------------------------------------------------------ */

/* A value of a column in JSON. Its bytes are lent. */
static strata_status put_value(st_printer *p, const st_printed_column *column, const strata_value *v,
                               strata_error *error) {
    if (column->info.type == STRATA_MIXED) return put_mixed(p, v, error);
    if (v->type == STRATA_NULL) return printed(st_print_text(p, "null"), error);
    if (v->type != STRATA_LINK) return printed(put_scalar(p, v), error);
    if (column->embeds) return put_embedded(p, column->info.target, v->as.link, error);
    return put_link(p, column->info.target, v->as.link, false, error);
}

/* Lends what a value of a row, or an element, has outside; of text and data that are cut, one byte more than is shown.
 * `position` is UINT64_MAX for a single value. */
static strata_status lend(st_printer *p, strata_row *row, uint32_t column, uint64_t position, strata_value *v,
                          strata_error *error) {
    size_t size = v->as.bytes.size, read = 0;
    if (!strata_value_is_outside(v)) return STRATA_OK;
    st_buffer *bytes = &p->bytes;
    bytes->size = 0;
    if (size > STRATA_MAX_VALUE) return st_fail(error, STRATA_CORRUPT, 0, "a value has an impossible size");
    bool cut = p->preview != 0 && v->type != STRATA_NESTED && size > p->preview;
    if (cut) size = (size_t)p->preview + 1;
    if (!st_buffer_reserve(bytes, size + 1)) return no_memory(error);
    strata_status status = position == UINT64_MAX
                               ? strata_row_read(row, column, 0, bytes->data, size, &read, error)
                               : strata_collection_read(row, column, position, 0, bytes->data, size, &read, error);
    v->as.bytes = (strata_bytes){ bytes->data, read };
    v->table = 0;
    return status;
}

static strata_status put_elements(st_printer *p, strata_row *row, const st_printed_column *column,
                                  strata_error *error) {
    strata_value values[BATCH];
    strata_bytes keys[BATCH];
    uint64_t count;
    bool map = column->info.collection == STRATA_MAP;
    strata_status status = strata_collection_size(row, column->number, &count, error);
    if (status == STRATA_OK) status = printed(put(p, map ? "{" : "[", 1), error);
    bool cut = count > 0 && is_enough(p, count - 1);
    if (cut) count = (p->preview + 7) / 8;
    for (uint64_t from = 0; from < count && status == STRATA_OK; from += BATCH) {
        uint64_t some = count - from < BATCH ? count - from : BATCH;
        status = st_printer_look(p, some, error);
        if (status == STRATA_OK) status = strata_collection_get(row, column->number, from, some, values, error);
        if (status == STRATA_OK && map) status = strata_map_keys(row, column->number, from, some, keys, error);
        for (uint64_t i = 0; i < some && status == STRATA_OK; i++) {
            bool room = from + i == 0 || put(p, ",", 1);
            if (map) room = room && st_print_string(p, keys[i]) && put(p, ":", 1);
            status = printed(room, error);
            if (status == STRATA_OK) status = lend(p, row, column->number, from + i, &values[i], error);
            if (status == STRATA_OK) status = put_value(p, column, &values[i], error);
        }
    }
    if (status == STRATA_OK && cut)
        status = printed(st_print_text(p, map ? ",\"\xE2\x80\xA6\":null" : ",\"\xE2\x80\xA6\""), error);
    return status == STRATA_OK ? printed(put(p, map ? "}" : "]", 1), error) : status;
}

static strata_status read_cell(st_printer *p, strata_row *row, const st_printed_column *column, strata_value *out,
                               strata_error *error) {
    strata_status status = strata_row_get(row, column->number, out, error);
    return status == STRATA_OK ? lend(p, row, column->number, UINT64_MAX, out, error) : status;
}

strata_status st_print_cell(st_printer *p, strata_row *row, const st_printed_column *column, bool *out_null,
                            bool *out_text, strata_error *error) {
    strata_value v;
    *out_null = *out_text = false;
    if (column->info.collection != STRATA_SINGLE) return put_elements(p, row, column, error);
    strata_status status = read_cell(p, row, column, &v, error);
    if (status != STRATA_OK) return status;
    *out_null = v.type == STRATA_NULL;
    if (*out_null) return STRATA_OK;
    *out_text = v.type == STRATA_STRING || v.type == STRATA_DATA || v.type == STRATA_LINK;
    if (column->info.type == STRATA_MIXED || column->embeds) return put_value(p, column, &v, error);
    if (v.type == STRATA_LINK) return put_link(p, column->info.target, v.as.link, true, error);
    return printed(put_bare(p, &v), error);
}

/* The most common cells without a value in between: numbers, and strings that lie in the row. `*out_done` is false if
 * the cell is another one, or damaged; then nothing was printed. The row is current. */
static bool put_common(st_printer *p, const strata_row *row, const st_printed_column *column, bool *out_done) {
    strata_bytes text;
    bool nullable = (column->info.flags & STRATA_COLUMN_NULLABLE) != 0;
    *out_done = false;
    if (column->info.type != STRATA_INT && column->info.type != STRATA_STRING) return true;
    if (nullable && strata_row_null(row, column->number)) {
        *out_done = true;
        return put(p, "null", 4);
    }
    if (column->info.type == STRATA_INT) {
        *out_done = true;
        return st_print_int(p, strata_row_int(row, column->number));
    }
    if (!strata_row_bytes(row, column->number, &text)) return true;
    *out_done = true;
    return put(p, "\"", 1) && put_text(p, text, true) && put(p, "\"", 1);
}

static strata_status put_cell(st_printer *p, strata_row *row, const st_printed_column *column, strata_error *error) {
    strata_value v;
    bool done;
    if (column->info.collection != STRATA_SINGLE) return put_elements(p, row, column, error);
    if (strata_row_current(row)) {
        if (!put_common(p, row, column, &done)) return no_memory(error);
        if (done) return STRATA_OK;
    }
    strata_status status = read_cell(p, row, column, &v, error);
    return status == STRATA_OK ? put_value(p, column, &v, error) : status;
}

/* ---- Objects ---------------------------------------------------------- */

strata_status st_row_needs_key(const strata_row *row, const st_printed_table *table, bool *out, strata_error *error) {
    strata_value primary = strata_null();
    strata_status status = STRATA_OK;
    if (table->info.primary != UINT32_MAX) status = strata_row_get(row, table->info.primary, &primary, error);
    *out = primary.type == STRATA_NULL;
    return status;
}

static strata_status put_marks(st_printer *p, const strata_row *row, const st_printed_table *table, bool class_name,
                               bool *first, strata_error *error) {
    bool needs_key = false, embedded = (table->info.flags & STRATA_TABLE_EMBEDDED) != 0, room = true;
    strata_status status = STRATA_OK;
    if (class_name) {
        room = st_print_text(p, "\"$class\":") &&
               st_print_string(p, (strata_bytes){ table->info.name, strlen(table->info.name) });
        *first = false;
    }
    if ((p->flags & STRATA_EXPORT_KEYS) != 0 && !embedded) status = st_row_needs_key(row, table, &needs_key, error);
    if (status == STRATA_OK && needs_key) {
        room = room && st_print_text(p, *first ? "\"$key\":" : ",\"$key\":") && st_print_int(p, (int64_t)row->key);
        *first = false;
    }
    return status == STRATA_OK ? printed(room, error) : status;
}

strata_status st_print_object(st_printer *p, strata_row *row, bool class_name, strata_error *error) {
    const st_printed_table *table;
    bool first = true;
    strata_status status = st_printer_table(p, row->table, &table, error);
    if (status == STRATA_OK) status = printed(put(p, "{", 1), error);
    if (status == STRATA_OK) status = put_marks(p, row, table, class_name, &first, error);
    for (uint32_t i = 0; i < table->column_count && status == STRATA_OK; i++) {
        const st_printed_column *column = &table->columns[i];
        if (!put(p, column->prefix + first, column->prefix_size - first)) return no_memory(error);
        first = false;
        status = put_cell(p, row, column, error);
        table = &p->tables[row->table];
    }
    return status == STRATA_OK ? printed(put(p, "}", 1), error) : status;
}

/* ---- Fetching --------------------------------------------------------- */

static void fetch_cell(const strata_row *row, uint32_t column) {
    uint32_t entry = strata_block_entry(row->block, column);
    __builtin_prefetch(row->block + strata_entry_offset(entry) + (size_t)row->slot * strata_entry_width(entry));
}

static void fetch_string(const strata_row *row, uint32_t column) {
    enum { LINE = 64 };
    strata_bytes text;
    if (!strata_row_bytes(row, column, &text)) return;
    __builtin_prefetch(text.data);
    if (text.size > LINE) __builtin_prefetch((const uint8_t *)text.data + LINE);
}

void st_printer_fetch(const st_printed_table *table, const strata_row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (rows[i].block == NULL || !strata_row_current(&rows[i])) continue;
        for (uint32_t c = 0; c < table->column_count; c++) fetch_cell(&rows[i], table->columns[c].number);
    }
    for (uint32_t c = 0; c < table->column_count; c++) {
        const strata_column_info *info = &table->columns[c].info;
        if (info->type != STRATA_STRING || info->collection != STRATA_SINGLE) continue;
        for (size_t i = 0; i < count; i++) {
            if (rows[i].block == NULL || !strata_row_current(&rows[i])) continue;
            fetch_string(&rows[i], table->columns[c].number);
        }
    }
}

/* ---- Tables ----------------------------------------------------------- */

strata_status st_printer_open(st_printer *p, strata_view *view, strata_error *error) {
    uint32_t count = strata_table_count(view);
    *p = (st_printer){ .view = view, .tables = calloc((size_t)count + 1, sizeof *p->tables), .table_count = count };
    return printed(p->tables != NULL, error);
}

static void forget(st_printed_table *table) {
    for (uint32_t i = 0; i < table->column_count; i++) free(table->columns[i].prefix);
    free(table->columns);
    *table = (st_printed_table){ .known = false };
}

strata_status st_printer_look(const st_printer *p, uint64_t steps, strata_error *error) {
    return st_interrupt_check_work(p->interrupt, steps, "an export", error);
}

void st_printer_close(st_printer *p) {
    for (uint32_t i = 0; i < p->table_count; i++) forget(&p->tables[i]);
    free(p->tables);
    st_buffer_free(&p->out);
    st_buffer_free(&p->bytes);
    st_buffer_free(&p->primary);
    *p = (st_printer){ .view = NULL };
}

/* What stands in front of each value of a column in JSON. */
static bool make_prefix(st_printed_column *column) {
    st_printer p = { .view = NULL };
    strata_bytes name = { column->info.name, strlen(column->info.name) };
    bool room = put(&p, ",", 1) && st_print_string(&p, name) && put(&p, ":", 1);
    column->prefix = (char *)p.out.data;
    column->prefix_size = p.out.size;
    return room;
}

static strata_status add_column(st_printer *p, st_printed_table *table, uint32_t number, uint32_t column,
                                strata_error *error) {
    st_printed_column *to = &table->columns[table->column_count];
    strata_table_info target;
    *to = (st_printed_column){ .number = column };
    if (strata_column_get(p->view, number, column, &to->info) != STRATA_OK || to->info.name[0] == 0) return STRATA_OK;
    table->column_count++;
    if (to->info.type == STRATA_LINK && strata_table_get(p->view, to->info.target, &target) == STRATA_OK)
        to->embeds = (target.flags & STRATA_TABLE_EMBEDDED) != 0;
    return printed(make_prefix(to), error);
}

strata_status st_printer_choose(st_printer *p, uint32_t number, const uint32_t *columns, uint32_t count,
                                strata_error *error) {
    st_printed_table *table = number < p->table_count ? &p->tables[number] : NULL;
    if (table != NULL) forget(table);
    if (table == NULL || strata_table_get(p->view, number, &table->info) != STRATA_OK || table->info.name[0] == 0)
        return st_fail(error, STRATA_MISUSE, 0, "there is no table with the number %u", number);
    if (columns == NULL) count = table->info.column_count;
    table->columns = calloc((size_t)count + 1, sizeof *table->columns);
    if (table->columns == NULL) return no_memory(error);
    table->known = true;
    strata_status status = STRATA_OK;
    for (uint32_t i = 0; i < count && status == STRATA_OK; i++)
        status = add_column(p, table, number, columns == NULL ? i : columns[i], error);
    return status;
}

strata_status st_printer_table(st_printer *p, uint32_t number, const st_printed_table **out, strata_error *error) {
    strata_status status = STRATA_OK;
    if (number >= p->table_count || !p->tables[number].known)
        status = st_printer_choose(p, number, NULL, 0, error);
    *out = number < p->table_count ? &p->tables[number] : NULL;
    return status;
}
