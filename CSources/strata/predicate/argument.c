/* SPDX-License-Identifier: MIT
 * argument.c -- the constants that are given beside the text. */
#include "predicate/argument.h"

#include <math.h>

#include "base/utf8.h"
#include "geo/shape.h"
#include "strata_decimal.h"
#include "value/mixed.h"

const strata_argument *st_consume_argument(st_parser *parser) {
    const st_token *token = &parser->lexer.token;
    uint64_t number = token->kind == ST_TOKEN_NUMBERED ? (uint64_t)token->integer : parser->next_argument;
    if (number < parser->argument_count) {
        if (token->kind == ST_TOKEN_FORMAT) parser->next_argument++;
        return &parser->arguments[number];
    }
    st_lexer_fail(&parser->lexer, token->column, "no argument for %.*s; %u %s given", (int)(token->end - token->start),
                  (const char *)parser->lexer.text + token->start, parser->argument_count,
                  parser->argument_count == 1 ? "was" : "were");
    return NULL;
}

static bool copy_bytes(st_parser *parser, strata_bytes *bytes) {
    if (bytes->size == 0) {
        *bytes = (strata_bytes){ "", 0 };
        return true;
    }
    bytes->data = st_copy(parser->memory, bytes->data, bytes->size);
    return bytes->data != NULL || st_lexer_no_memory(&parser->lexer);
}

/* Why nothing can be compared with the value; NULL if something can. */
static const char *flaw_of(const strata_value *value) {
    bool nested = value->type == STRATA_NESTED;
    bool bytes = nested || value->type == STRATA_STRING || value->type == STRATA_DATA;
    if (value->type > STRATA_NESTED || value->type == STRATA_MIXED) return "a value of no known type";
    if (bytes && value->as.bytes.size > STRATA_MAX_VALUE) return "a value that is too large";
    if (bytes && value->as.bytes.size != 0 && value->as.bytes.data == NULL) return "a value without an address";
    if (value->type == STRATA_STRING && !st_utf8_valid(value->as.bytes.data, value->as.bytes.size)) {
        return "a string that is not UTF-8";
    }
    if (nested && st_mixed_flaw(value, UINT32_MAX) != NULL) return "a list or map that is not well formed";
    if (value->type == STRATA_LINK && value->as.link == 0) return "the object key 0; use null for no object";
    return NULL;
}

/* Equal constants have equal bytes: there is one NaN of each type, and a bool is 0 or 1. */
static bool copy_value(st_parser *parser, const strata_value *value, uint32_t column, strata_value *out) {
    const char *flaw = flaw_of(value);
    if (flaw != NULL) return st_lexer_fail(&parser->lexer, column, "the argument is %s", flaw);
    *out = strata_null();
    out->type = value->type;
    switch (value->type) {
    case STRATA_NULL: return true;
    case STRATA_BOOL: out->as.boolean = value->as.boolean; return true;
    case STRATA_FLOAT: out->as.single = isnan(value->as.single) ? (float)NAN : value->as.single; return true;
    case STRATA_DOUBLE:
    case STRATA_DATE: out->as.real = isnan(value->as.real) ? (double)NAN : value->as.real; return true;
    case STRATA_UUID: memcpy(out->as.fixed, value->as.fixed, 16); return true;
    case STRATA_OBJECT_ID: memcpy(out->as.fixed, value->as.fixed, 12); return true;
    case STRATA_DECIMAL: *out = strata_decimal_value(strata_decimal_load(value->as.fixed)); return true;
    case STRATA_LINK:
        out->table = value->table;
        out->as.link = value->as.link;
        return true;
    case STRATA_STRING:
    case STRATA_DATA:
    case STRATA_NESTED: out->as.bytes = value->as.bytes; return copy_bytes(parser, &out->as.bytes);
    default: out->as.integer = value->as.integer; return true;
    }
}

static bool copy_values(st_parser *parser, const strata_argument *from, uint32_t column, strata_argument *out) {
    if (from->value_count != 0 && from->values == NULL) {
        return st_lexer_fail(&parser->lexer, column, "the argument is a list without an address");
    }
    if (from->value_count > STRATA_MAX_CONSTANTS) {
        return st_lexer_fail(&parser->lexer, column, "the argument is a list of %u values; there may be %d",
                             from->value_count, STRATA_MAX_CONSTANTS);
    }
    strata_value *values = st_arena_alloc(parser->memory, from->value_count * sizeof *values);
    if (values == NULL) return st_lexer_no_memory(&parser->lexer);
    for (uint32_t i = 0; i < from->value_count; i++) {
        if (!copy_value(parser, &from->values[i], column, &values[i])) return false;
    }
    out->values = values;
    out->value_count = from->value_count;
    return true;
}

static bool copy_shape(st_parser *parser, const strata_shape *from, uint32_t column, strata_argument *out) {
    strata_error why;
    strata_status status = st_shape_check(from, &why);
    if (status == STRATA_NO_MEMORY) return st_lexer_no_memory(&parser->lexer);
    if (status != STRATA_OK) return st_lexer_fail(&parser->lexer, column, "%s", why.message);
    strata_shape shape = *from;
    if (shape.kind != STRATA_CIRCLE) shape.radius = 0;
    if (shape.kind != STRATA_POLYGON) shape.ring_count = 0;
    out->shape = st_copy_shape(parser->memory, &shape);
    return out->shape != NULL || st_lexer_no_memory(&parser->lexer);
}

bool st_copy_argument(st_parser *parser, const strata_argument *argument, uint32_t column, strata_argument *out) {
    *out = (strata_argument){ .kind = argument->kind };
    switch (argument->kind) {
    case STRATA_ARGUMENT_VALUE: return copy_value(parser, &argument->value, column, &out->value);
    case STRATA_ARGUMENT_LIST: return copy_values(parser, argument, column, out);
    case STRATA_ARGUMENT_SHAPE: return copy_shape(parser, argument->shape, column, out);
    case STRATA_ARGUMENT_NOTHING: return true;
    }
    return st_lexer_fail(&parser->lexer, column, "the argument is of no known kind");
}
