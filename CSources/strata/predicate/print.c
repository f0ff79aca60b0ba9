/* SPDX-License-Identifier: MIT
 * print.c -- a predicate as text, which reads back as the same predicate. */
#include <math.h>
#include <stdio.h>

#include "predicate/keyword.h"
#include "predicate/number.h"
#include "predicate/tree.h"
#include "strata_decimal.h"

/* Where the text goes. What does not fit is only counted. */
typedef struct printer {
    char *buffer;
    size_t size, length;
} printer;

static void put(printer *to, const char *text, size_t size) {
    if (to->length < to->size) {
        size_t room = to->size - to->length;
        memcpy(to->buffer + to->length, text, size < room ? size : room);
    }
    to->length += size;
}

static void put_text(printer *to, const char *text) { put(to, text, strlen(text)); }

/* ---- Words ------------------------------------------------------------ */

static void put_string(printer *to, strata_bytes string) {
    const char *bytes = string.data;
    size_t plain = 0;
    put_text(to, "'");
    for (size_t i = 0; i < string.size; i++) {
        uint8_t byte = (uint8_t)bytes[i];
        if (byte != '\'' && byte != '\\' && byte >= 0x20 && byte != 0x7F) continue;
        char escape[8];
        put(to, bytes + plain, i - plain);
        plain = i + 1;
        if (byte == '\'' || byte == '\\') snprintf(escape, sizeof escape, "\\%c", byte);
        else snprintf(escape, sizeof escape, "\\u%04X", byte);
        put_text(to, escape);
    }
    if (string.size != 0) put(to, bytes + plain, string.size - plain);
    put_text(to, "'");
}

static void put_name(printer *to, strata_bytes name, bool after_dot) {
    bool identifier = st_is_identifier(name);
    bool word = identifier && (after_dot ? st_keyword_of(name) == ST_WORD_SELF : st_keyword_of(name) != ST_WORD_NONE);
    if (!identifier || word) put_text(to, "#");
    if (identifier) put(to, name.data, name.size);
    else put_string(to, name);
}

static void put_int(printer *to, int64_t number) {
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)number);
    put_text(to, text);
}

static void put_real(printer *to, double number, bool single) {
    char text[ST_NUMBER_TEXT];
    if (isnan(number)) put_text(to, "'nan'");
    else if (isinf(number)) put_text(to, number < 0 ? "'-inf'" : "'inf'");
    else put(to, text, st_number_print(number, single, text));
}

/* ---- Constants -------------------------------------------------------- */

static void put_hex(printer *to, const uint8_t *bytes, size_t size, bool hyphens) {
    static const char digits[] = "0123456789abcdef";
    put_text(to, "'");
    for (size_t i = 0; i < size; i++) {
        char pair[2] = { digits[bytes[i] >> 4], digits[bytes[i] & 15] };
        if (hyphens && (i == 4 || i == 6 || i == 8 || i == 10)) put_text(to, "-");
        put(to, pair, 2);
    }
    put_text(to, "'");
}

static void put_function(printer *to, const char *name, double number, bool single) {
    put_text(to, name);
    put_text(to, "(");
    put_real(to, number, single);
    put_text(to, ")");
}

static void put_decimal(printer *to, const strata_value *value) {
    char text[STRATA_DECIMAL_TEXT];
    strata_decimal_print(strata_decimal_load(value->as.fixed), text);
    put_text(to, "decimal('");
    put_text(to, text);
    put_text(to, "')");
}

static void put_object(printer *to, const strata_value *value) {
    put_text(to, "object(");
    put_int(to, value->table);
    put_text(to, ", ");
    put_int(to, (int64_t)value->as.link);
    put_text(to, ")");
}

static void put_bytes(printer *to, const char *name, const void *bytes, size_t size, bool hyphens) {
    put_text(to, name);
    put_text(to, "(");
    put_hex(to, bytes, size, hyphens);
    put_text(to, ")");
}

static void put_value(printer *to, const strata_value *value) {
    switch (value->type) {
    case STRATA_BOOL: put_text(to, value->as.boolean ? "true" : "false"); return;
    case STRATA_INT: put_int(to, value->as.integer); return;
    case STRATA_FLOAT: put_function(to, "float", (double)value->as.single, true); return;
    case STRATA_DOUBLE:
        if (isfinite(value->as.real)) put_real(to, value->as.real, false);
        else put_function(to, "double", value->as.real, false);
        return;
    case STRATA_DATE: put_function(to, "date", value->as.real, false); return;
    case STRATA_STRING: put_string(to, value->as.bytes); return;
    case STRATA_DATA: put_bytes(to, "data", value->as.bytes.data, value->as.bytes.size, false); return;
    case STRATA_NESTED: put_bytes(to, "nested", value->as.bytes.data, value->as.bytes.size, false); return;
    case STRATA_UUID: put_bytes(to, "uuid", value->as.fixed, 16, true); return;
    case STRATA_OBJECT_ID: put_bytes(to, "objectId", value->as.fixed, 12, false); return;
    case STRATA_DECIMAL: put_decimal(to, value); return;
    case STRATA_LINK: put_object(to, value); return;
    default: put_text(to, "nil"); return;
    }
}

static void put_points(printer *to, const strata_geo_point *points, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        put_text(to, i == 0 ? "[" : ", [");
        put_real(to, points[i].longitude, false);
        put_text(to, ", ");
        put_real(to, points[i].latitude, false);
        put_text(to, "]");
    }
}

static void put_shape(printer *to, const strata_shape *shape) {
    const strata_geo_point *points = shape->points;
    put_text(to, shape->kind == STRATA_BOX ? "geoBox(" : shape->kind == STRATA_CIRCLE ? "geoCircle(" : "geoPolygon(");
    if (shape->kind != STRATA_POLYGON) put_points(to, points, shape->point_count);
    for (uint32_t i = 0; i < shape->ring_count; i++) {
        put_text(to, i == 0 ? "{" : ", {");
        put_points(to, points, shape->ring_sizes[i]);
        put_text(to, "}");
        points += shape->ring_sizes[i];
    }
    if (shape->kind == STRATA_CIRCLE) {
        put_text(to, ", ");
        put_real(to, shape->radius, false);
    }
    put_text(to, ")");
}

static void put_constant(printer *to, const strata_argument *constant) {
    switch (constant->kind) {
    case STRATA_ARGUMENT_VALUE: put_value(to, &constant->value); return;
    case STRATA_ARGUMENT_SHAPE: put_shape(to, constant->shape); return;
    case STRATA_ARGUMENT_NOTHING: put_text(to, "nothing()"); return;
    case STRATA_ARGUMENT_LIST:
        put_text(to, "{");
        for (uint32_t i = 0; i < constant->value_count; i++) {
            if (i != 0) put_text(to, ", ");
            put_value(to, &constant->values[i]);
        }
        put_text(to, "}");
        return;
    }
}

/* ---- Paths ------------------------------------------------------------ */

static void put_component(printer *to, const st_component *c, bool after_dot) {
    switch (c->kind) {
    case ST_COMPONENT_NAME: put_name(to, c->text, after_dot); return;
    case ST_COMPONENT_SELF: put_text(to, "SELF"); return;
    case ST_COMPONENT_KEYS: put_text(to, "@allKeys"); return;
    case ST_COMPONENT_VALUES: put_text(to, "@allValues"); return;
    case ST_COMPONENT_AGGREGATE:
        put_text(to, "@");
        put_text(to, st_aggregate_text(c->aggregate));
        return;
    case ST_COMPONENT_KEY: put_string(to, c->text); return;
    case ST_COMPONENT_POSITION: put_int(to, c->position); return;
    case ST_COMPONENT_EACH: put_text(to, "#any"); return;
    }
}

static void put_path(printer *to, const st_term *path) {
    if (path->variable.size != 0) {
        put_text(to, "$");
        put(to, path->variable.data, path->variable.size);
    }
    for (uint32_t i = 0; i < path->component_count; i++) {
        const st_component *c = &path->components[i];
        bool key = c->kind == ST_COMPONENT_KEY, position = c->kind == ST_COMPONENT_POSITION;
        bool bracket = key || position || c->kind == ST_COMPONENT_EACH;
        bool dot = !bracket && (i != 0 || path->variable.size != 0);
        if (bracket || dot) put_text(to, bracket ? "[" : ".");
        put_component(to, c, dot);
        if (bracket) put_text(to, "]");
    }
}

/* ---- Clauses ---------------------------------------------------------- */

static void put_clause(printer *to, const st_clause *clause);

static void put_term(printer *to, const st_term *term) {
    if (term->kind == ST_TERM_CONSTANT) put_constant(to, &term->constant);
    if (term->kind == ST_TERM_SUBQUERY) put_text(to, "SUBQUERY(");
    if (term->kind != ST_TERM_CONSTANT) put_path(to, term);
    if (term->kind == ST_TERM_SUBQUERY) {
        put_text(to, ", $");
        put(to, term->element.data, term->element.size);
        put_text(to, ", ");
        put_clause(to, term->condition);
        put_text(to, ").@count");
    }
}

static void put_comparison(printer *to, const st_clause *clause) {
    static const char *const quantifiers[] = { "", "ANY ", "NONE " }, *const options[] = { "", "[c]", "[d]", "[cd]" };
    put_text(to, quantifiers[clause->quantifier]);
    put_term(to, &clause->left);
    put_text(to, " ");
    put_text(to, st_operator_text(clause->op));
    put_text(to, options[clause->options & 3]);
    put_text(to, " ");
    put_term(to, &clause->right);
}

static void put_clause(printer *to, const st_clause *clause) {
    if (clause->op >= STRATA_EQUAL) {
        put_comparison(to, clause);
        return;
    }
    if (clause->op == STRATA_NOT || clause->child_count == 0) put_text(to, st_operator_text(clause->op));
    if (clause->op == STRATA_NOT) put_text(to, " ");
    for (const st_clause *child = clause->first; child != NULL; child = child->next) {
        bool joined = child->op == STRATA_AND || child->op == STRATA_OR;
        if (joined) put_text(to, "(");
        put_clause(to, child);
        if (joined) put_text(to, ")");
        if (child->next == NULL) continue;
        put_text(to, " ");
        put_text(to, st_operator_text(clause->op));
        put_text(to, " ");
    }
}

size_t strata_predicate_print(const strata_predicate *predicate, char *buffer, size_t size) {
    printer to = { buffer, size == 0 ? 0 : size - 1, 0 };
    if (predicate != NULL) put_clause(&to, predicate->root);
    if (size != 0) buffer[to.length < size ? to.length : size - 1] = 0;
    return to.length;
}
