/* SPDX-License-Identifier: MIT
 *
 * literal.c -- constants with their type in front of them.
 *
 * strata_predicate_print() writes them for constants that only arguments can give, so that its text can be parsed
 * again:
 *
 *     float(1.5)  double('inf')  decimal('1.50')  date(0.0)  data('0aff')  uuid('...')  objectId('...')
 *     date('2001-01-01')  nested('1c00...')  object(3, 17)  nothing()  geoBox([7, 46], [8, 47])
 *     geoCircle([7, 46], 0.1)  geoPolygon({[7, 46], ...}, {...})
 */
#include "predicate/literal.h"

#include <math.h>

#include "predicate/argument.h"
#include "predicate/date_text.h"
#include "predicate/string.h"
#include "strata_decimal.h"

/* ---- Numbers ---------------------------------------------------------- */

/* A finite number, inf, -inf or nan. */
static bool parse_real(st_parser *parser, double *out) {
    st_lexer *lexer = &parser->lexer;
    const st_token *token = &lexer->token;
    *out = 0;
    if (token->kind == ST_TOKEN_REAL) *out = token->real;
    else if (token->kind == ST_TOKEN_INT) *out = (double)token->integer;
    else if (token->kind == ST_TOKEN_STRING && token->text.size <= 4 && token->text.size >= 3) {
        const char *text = token->text.data;
        bool minus = text[0] == '-';
        if (token->text.size == (minus ? 4u : 3u) && memcmp(text + minus, "inf", 3) == 0) {
            *out = minus ? -(double)INFINITY : (double)INFINITY;
        } else if (token->text.size == 3 && memcmp(text, "nan", 3) == 0) {
            *out = (double)NAN;
        } else {
            return st_lexer_expected(lexer, "a number");
        }
    } else {
        return st_lexer_expected(lexer, "a number");
    }
    return st_lexer_next(lexer);
}

static bool parse_float(st_parser *parser, strata_argument *out) {
    double number;
    if (!parse_real(parser, &number)) return false;
    out->value = strata_float((float)number);
    return true;
}

static bool parse_double(st_parser *parser, strata_argument *out) {
    double number;
    if (!parse_real(parser, &number)) return false;
    out->value = strata_double(number);
    return true;
}

/* '2000-01-31T12:00:00Z', or seconds since 2001. */
static bool parse_date(st_parser *parser, strata_argument *out) {
    double number;
    const st_token *token = &parser->lexer.token;
    bool text = token->kind == ST_TOKEN_STRING && st_date_read(token->text.data, token->text.size, &number);
    if (token->kind == ST_TOKEN_STRING && !text && token->text.size > 4)
        return st_lexer_expected(&parser->lexer, "a date such as '2000-01-31T12:00:00Z'");
    if (text ? !st_lexer_next(&parser->lexer) : !parse_real(parser, &number)) return false;
    out->value = strata_date(number);
    return true;
}

/* ---- Bytes ------------------------------------------------------------ */

static bool parse_string(st_parser *parser, strata_bytes *out) {
    *out = parser->lexer.token.text;
    return parser->lexer.token.kind == ST_TOKEN_STRING || st_lexer_expected(&parser->lexer, "a string");
}

static bool parse_decimal(st_parser *parser, strata_argument *out) {
    strata_bytes text;
    strata_decimal number;
    strata_error why;
    if (!parse_string(parser, &text)) return false;
    if (strata_decimal_parse(text.data, text.size, &number, &why) != STRATA_OK) {
        return st_lexer_fail(&parser->lexer, parser->lexer.token.column, "%s", why.message);
    }
    out->value = strata_decimal_value(number);
    return st_lexer_next(&parser->lexer);
}

/* The bytes that a string of hexadecimal digits stands for; hyphens between bytes are skipped. There must be `size`
 * bytes, unless it is SIZE_MAX. */
static bool parse_hex(st_parser *parser, size_t size, strata_bytes *out) {
    st_lexer *lexer = &parser->lexer;
    strata_bytes text;
    if (!parse_string(parser, &text)) return false;
    const uint8_t *digits = text.data;
    uint8_t *bytes = st_arena_alloc(parser->memory, text.size / 2 + 1);
    size_t filled = 0;
    bool good = true;
    if (bytes == NULL) return st_lexer_no_memory(lexer);
    for (size_t at = 0; at < text.size && good;) {
        if (digits[at] == '-') {
            at++;
            continue;
        }
        int high = st_hex_value(digits[at]), low = at + 1 < text.size ? st_hex_value(digits[at + 1]) : -1;
        good = high >= 0 && low >= 0;
        if (good) bytes[filled++] = (uint8_t)(high << 4 | low);
        at += 2;
    }
    if (!good || (size != SIZE_MAX && filled != size) || filled > STRATA_MAX_VALUE) {
        uint32_t column = lexer->token.column;
        if (size != SIZE_MAX) return st_lexer_fail(lexer, column, "these are not %zu hex digits", 2 * size);
        return st_lexer_fail(lexer, column, "these are no pairs of hex digits");
    }
    *out = (strata_bytes){ bytes, filled };
    return st_lexer_next(lexer);
}

static bool parse_data(st_parser *parser, strata_argument *out) {
    strata_bytes bytes;
    if (!parse_hex(parser, SIZE_MAX, &bytes)) return false;
    out->value = strata_data(bytes.data, bytes.size);
    return true;
}

/* The bytes of a list or map of values of any type. */
static bool parse_nested(st_parser *parser, strata_argument *out) {
    strata_argument given = { .kind = STRATA_ARGUMENT_VALUE, .value = { .type = STRATA_NESTED } };
    uint32_t column = parser->lexer.token.column;
    return parse_hex(parser, SIZE_MAX, &given.value.as.bytes) && st_copy_argument(parser, &given, column, out);
}

static bool parse_uuid(st_parser *parser, strata_argument *out) {
    strata_bytes bytes;
    if (!parse_hex(parser, 16, &bytes)) return false;
    out->value.type = STRATA_UUID;
    memcpy(out->value.as.fixed, bytes.data, 16);
    return true;
}

static bool parse_object_id(st_parser *parser, strata_argument *out) {
    strata_bytes bytes;
    if (!parse_hex(parser, 12, &bytes)) return false;
    out->value.type = STRATA_OBJECT_ID;
    memcpy(out->value.as.fixed, bytes.data, 12);
    return true;
}

/* ---- Objects ---------------------------------------------------------- */

static bool parse_whole(st_parser *parser, int64_t least, int64_t most, int64_t *out) {
    const st_token *token = &parser->lexer.token;
    if (token->kind != ST_TOKEN_INT || token->integer < least || token->integer > most) {
        return st_lexer_expected(&parser->lexer, "the number of a table and an object key");
    }
    *out = token->integer;
    return st_lexer_next(&parser->lexer);
}

static bool parse_object(st_parser *parser, strata_argument *out) {
    int64_t table = 0, key = 0;
    if (!parse_whole(parser, 0, UINT32_MAX, &table) || !st_lexer_consume_mark(&parser->lexer, ',') ||
        !parse_whole(parser, INT64_MIN, INT64_MAX, &key)) {
        return false;
    }
    if (key == 0) return st_lexer_expected(&parser->lexer, "an object key other than 0");
    out->value = strata_link((uint64_t)key);
    out->value.table = (uint32_t)table;
    return true;
}

static bool parse_nothing(st_parser *parser, strata_argument *out) {
    (void)parser;
    out->kind = STRATA_ARGUMENT_NOTHING;
    return true;
}

/* ---- Shapes ----------------------------------------------------------- */

/* [longitude, latitude] */
static bool parse_point(st_parser *parser, st_buffer *points) {
    strata_geo_point point;
    st_lexer *lexer = &parser->lexer;
    if (!st_lexer_consume_mark(lexer, '[') || !parse_real(parser, &point.longitude)) return false;
    if (!st_lexer_consume_mark(lexer, ',') || !parse_real(parser, &point.latitude)) return false;
    if (!st_lexer_consume_mark(lexer, ']')) return false;
    return st_buffer_append(points, &point, sizeof point) || st_lexer_no_memory(lexer);
}

/* {point, point, ...} */
static bool parse_ring(st_parser *parser, st_buffer *points, st_buffer *rings) {
    st_lexer *lexer = &parser->lexer;
    uint32_t count = 0;
    if (!st_lexer_consume_mark(lexer, '{')) return false;
    do {
        if (count != 0 && !st_lexer_next(lexer)) return false;
        if (!parse_point(parser, points)) return false;
        count++;
    } while (st_lexer_on_mark(lexer, ','));
    if (!st_lexer_consume_mark(lexer, '}')) return false;
    return st_buffer_append(rings, &count, sizeof count) || st_lexer_no_memory(lexer);
}

static bool parse_shape_points(st_parser *parser, strata_shape *shape, st_buffer *points, st_buffer *rings) {
    st_lexer *lexer = &parser->lexer;
    if (shape->kind != STRATA_POLYGON) {
        if (!parse_point(parser, points) || !st_lexer_consume_mark(lexer, ',')) return false;
        return shape->kind == STRATA_BOX ? parse_point(parser, points) : parse_real(parser, &shape->radius);
    }
    if (!parse_ring(parser, points, rings)) return false;
    while (st_lexer_on_mark(lexer, ',')) {
        if (!st_lexer_next(lexer) || !parse_ring(parser, points, rings)) return false;
    }
    return true;
}

static bool parse_shape(st_parser *parser, strata_shape_kind kind, strata_argument *out) {
    strata_argument given = { .kind = STRATA_ARGUMENT_SHAPE, .value = strata_null() };
    strata_shape shape = { .kind = kind };
    st_buffer points = { 0 }, rings = { 0 };
    uint32_t column = parser->lexer.token.column;
    bool good = parse_shape_points(parser, &shape, &points, &rings);
    if (good) {
        shape.points = (const strata_geo_point *)(const void *)points.data;
        shape.point_count = (uint32_t)(points.size / sizeof(strata_geo_point));
        shape.ring_sizes = (const uint32_t *)(const void *)rings.data;
        shape.ring_count = (uint32_t)(rings.size / sizeof(uint32_t));
        given.shape = &shape;
        good = st_copy_argument(parser, &given, column, out);
    }
    st_buffer_free(&points);
    st_buffer_free(&rings);
    return good;
}

static bool parse_box(st_parser *parser, strata_argument *out) { return parse_shape(parser, STRATA_BOX, out); }
static bool parse_circle(st_parser *parser, strata_argument *out) { return parse_shape(parser, STRATA_CIRCLE, out); }
static bool parse_polygon(st_parser *parser, strata_argument *out) { return parse_shape(parser, STRATA_POLYGON, out); }

/* ---- The whole -------------------------------------------------------- */

static const struct {
    const char *name;
    bool (*parse)(st_parser *parser, strata_argument *out);
} literals[] = {
    { "float", parse_float },   { "double", parse_double },    { "decimal", parse_decimal }, { "date", parse_date },
    { "data", parse_data },     { "uuid", parse_uuid },        { "objectId", parse_object_id },
    { "object", parse_object }, { "nothing", parse_nothing },  { "geoBox", parse_box },
    { "geoCircle", parse_circle }, { "geoPolygon", parse_polygon }, { "nested", parse_nested },
};

bool st_parse_typed(st_parser *parser, strata_bytes name, uint32_t column, strata_argument *out) {
    int shown = name.size < 40 ? (int)name.size : 40;
    *out = (strata_argument){ .value = strata_null() };
    if (!st_lexer_consume_mark(&parser->lexer, '(')) return false;
    for (size_t i = 0; i < sizeof literals / sizeof literals[0]; i++) {
        if (name.size != strlen(literals[i].name) || memcmp(name.data, literals[i].name, name.size) != 0) continue;
        return literals[i].parse(parser, out) && st_lexer_consume_mark(&parser->lexer, ')');
    }
    return st_lexer_fail(&parser->lexer, column, "there is no function %.*s", shown, (const char *)name.data);
}
