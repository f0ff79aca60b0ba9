/* SPDX-License-Identifier: MIT
 * term.c -- what stands on either side of an operator. */
#include "predicate/term.h"

#include <math.h>

#include "base/array.h"
#include "predicate/argument.h"
#include "predicate/literal.h"
#include "predicate/number.h"
#include "predicate/parse.h"
#include "predicate/path.h"
#include "strata_decimal.h"

/* ---- Constants -------------------------------------------------------- */

static bool constant_term(st_parser *parser, st_term *out, strata_value value) {
    out->kind = ST_TERM_CONSTANT;
    out->constant = (strata_argument){ .kind = STRATA_ARGUMENT_VALUE, .value = value };
    return st_lexer_next(&parser->lexer);
}

/* A number with a point or an exponent, or a whole one that does not fit 64 bits: a double, or a decimal if that has
 * digits which a double would lose. */
static bool real_term(st_parser *parser, st_term *out) {
    const st_token *token = &parser->lexer.token;
    const char *text = (const char *)parser->lexer.text + token->start;
    size_t size = token->end - token->start;
    strata_decimal exact;
    strata_error why;
    if (st_number_is_kept(text, size) || strata_decimal_parse(text, size, &exact, &why) != STRATA_OK)
        return constant_term(parser, out, strata_double(token->real));
    return constant_term(parser, out, strata_decimal_value(exact));
}

/* Checks the argument for %d or %f, which is a number, and makes it a whole one or a double. */
static bool number_argument(st_parser *parser, char format, strata_argument *argument) {
    strata_value *value = &argument->value;
    uint32_t column = parser->lexer.token.column;
    bool whole = value->type == STRATA_INT || value->type == STRATA_BOOL;
    bool number = whole || value->type == STRATA_FLOAT || value->type == STRATA_DOUBLE;
    double real = value->type == STRATA_FLOAT ? (double)value->as.single : number && !whole ? value->as.real : 0;
    if (argument->kind != STRATA_ARGUMENT_VALUE || !number) {
        return st_lexer_fail(&parser->lexer, column, "the argument for %%%c is a number; use %%@", format);
    }
    if (whole && value->type == STRATA_BOOL) *value = strata_int(value->as.boolean);
    if (format == 'f') {
        if (whole) *value = strata_double((double)value->as.integer);
        else *value = strata_double(real);
        return true;
    }
    if (whole) return true;
    if (!(real >= -9223372036854775808.0 && real < 9223372036854775808.0) || floor(real) != real) {
        return st_lexer_fail(&parser->lexer, column, "the argument for %%d is a whole number; use %%f or %%@");
    }
    *value = strata_int((int64_t)real);
    return true;
}

static bool parse_argument(st_parser *parser, st_term *out) {
    const st_token *token = &parser->lexer.token;
    char format = token->kind == ST_TOKEN_FORMAT ? token->format : '@';
    const strata_argument *argument = st_consume_argument(parser);
    out->kind = ST_TERM_CONSTANT;
    if (argument == NULL || !st_copy_argument(parser, argument, token->column, &out->constant)) return false;
    if (format != '@' && !number_argument(parser, format, &out->constant)) return false;
    return st_lexer_next(&parser->lexer);
}

/* ---- Subqueries ------------------------------------------------------- */

static bool is_variable(const st_parser *parser, strata_bytes name) {
    for (const st_scope *scope = parser->scope; scope != NULL; scope = scope->outer) {
        if (scope->variable.size == name.size && memcmp(scope->variable.data, name.data, name.size) == 0) return true;
    }
    return false;
}

static bool parse_path(st_parser *parser, st_term *out) {
    st_lexer *lexer = &parser->lexer;
    out->kind = ST_TERM_PATH;
    if (lexer->token.kind == ST_TOKEN_VARIABLE) {
        strata_bytes name = lexer->token.text;
        if (!is_variable(parser, name)) {
            return st_lexer_fail(lexer, lexer->token.column, "no SUBQUERY around this has the variable $%.*s",
                                 name.size < 40 ? (int)name.size : 40, (const char *)name.data);
        }
        out->variable = name;
        if (!st_lexer_next(lexer)) return false;
    }
    return st_parse_components(parser, 0, out);
}

/* ".@count" */
static bool parse_count(st_parser *parser) {
    st_lexer *lexer = &parser->lexer;
    bool dot = st_lexer_on_mark(lexer, '.');
    if (dot && !st_lexer_next(lexer)) return false;
    strata_bytes name = lexer->token.text;
    bool count = dot && lexer->token.kind == ST_TOKEN_AT && name.size == 5 && memcmp(name.data, "count", 5) == 0;
    return count ? st_lexer_next(lexer) : st_lexer_expected(lexer, ".@count behind SUBQUERY(...)");
}

static bool parse_subquery(st_parser *parser, st_term *out) {
    enum { DEEPEST = 20 };
    st_lexer *lexer = &parser->lexer;
    uint32_t depth = parser->scope == NULL ? 1 : parser->scope->depth + 1;
    if (depth > DEEPEST) {
        return st_lexer_fail(lexer, lexer->token.column, "SUBQUERY is nested more than %d deep", DEEPEST);
    }
    if (!st_lexer_next(lexer) || !st_lexer_consume_mark(lexer, '(') || !parse_path(parser, out) ||
        !st_lexer_consume_mark(lexer, ',')) {
        return false;
    }
    out->kind = ST_TERM_SUBQUERY;
    if (lexer->token.kind != ST_TOKEN_VARIABLE) return st_lexer_expected(lexer, "a variable, such as $x");
    out->element = lexer->token.text;
    st_scope scope = { out->element, parser->scope, depth };
    if (is_variable(parser, out->element)) {
        return st_lexer_fail(lexer, lexer->token.column, "$%.*s is the variable of a SUBQUERY around this one",
                             out->element.size < 40 ? (int)out->element.size : 40, (const char *)out->element.data);
    }
    if (!st_lexer_next(lexer) || !st_lexer_consume_mark(lexer, ',')) return false;
    parser->scope = &scope;
    out->condition = st_parse_condition(parser);
    parser->scope = scope.outer;
    return out->condition != NULL && st_lexer_consume_mark(lexer, ')') && parse_count(parser);
}

/* ---- Terms ------------------------------------------------------------ */

bool st_on_rest(const st_lexer *lexer) {
    const st_token *token = &lexer->token;
    if (token->kind == ST_TOKEN_NAME) return token->word >= ST_WORD_IN && token->word <= ST_WORD_MATCHES;
    return token->kind == ST_TOKEN_COMPARE || st_lexer_on_mark(lexer, '.') || st_lexer_on_mark(lexer, '[');
}

bool st_parse_rest(st_parser *parser, const st_token *name, st_term *out) {
    st_component component = { .kind = ST_COMPONENT_NAME, .column = name->column, .text = name->text };
    out->kind = ST_TERM_PATH;
    out->column = name->column;
    return st_path_add(parser, 0, component) && st_parse_components(parser, 1, out);
}

/* A name is the type of a constant if a parenthesis follows, otherwise the beginning of a path. */
static bool parse_name(st_parser *parser, st_term *out) {
    st_lexer *lexer = &parser->lexer;
    st_token name = lexer->token;
    out->kind = ST_TERM_PATH;
    if (!st_lexer_next(lexer)) return false;
    if (st_lexer_on_mark(lexer, '(') && !name.escaped) {
        out->kind = ST_TERM_CONSTANT;
        return st_parse_typed(parser, name.text, name.column, &out->constant);
    }
    return st_parse_rest(parser, &name, out);
}

bool st_on_condition_end(const st_lexer *lexer) {
    st_token_kind kind = lexer->token.kind;
    bool joined = kind == ST_TOKEN_AND || kind == ST_TOKEN_OR || st_lexer_on_word(lexer, ST_WORD_AND) ||
                  st_lexer_on_word(lexer, ST_WORD_OR);
    return joined || kind == ST_TOKEN_END || st_lexer_on_mark(lexer, ')');
}

/* Can the comparison end before the token? */
static bool on_end(const st_parser *parser) {
    return parser->behind_operator && st_on_condition_end(&parser->lexer);
}

/* A keyword that makes no sense here is taken for the name of a property if what follows makes sense behind one. */
static bool parse_keyword(st_parser *parser, st_term *out) {
    st_lexer *lexer = &parser->lexer;
    st_token word = lexer->token;
    if (!st_lexer_next(lexer)) return false;
    if (st_on_rest(lexer) || on_end(parser)) return st_parse_rest(parser, &word, out);
    if (word.word == ST_WORD_ALL) {
        return st_lexer_fail(lexer, word.column,
                             "ALL is not supported; write NONE with the opposite, such as NONE dogs.age < 3 for ALL "
                             "dogs.age >= 3");
    }
    return st_lexer_fail(lexer, word.column,
                         "expected a property or a constant, found the keyword %.*s; a property of that name is "
                         "written #%.*s", (int)word.text.size, (const char *)word.text.data, (int)word.text.size,
                         (const char *)word.text.data);
}

static bool parse_word(st_parser *parser, st_term *out) {
    st_lexer *lexer = &parser->lexer;
    const st_token *token = &lexer->token;
    switch (token->word) {
    case ST_WORD_NONE: return parse_name(parser, out);
    case ST_WORD_SELF: return parse_path(parser, out);
    case ST_WORD_TRUE: return constant_term(parser, out, strata_bool(true));
    case ST_WORD_FALSE: return constant_term(parser, out, strata_bool(false));
    case ST_WORD_NULL: return constant_term(parser, out, strata_null());
    case ST_WORD_SUBQUERY: return parse_subquery(parser, out);
    default: return parse_keyword(parser, out);
    }
}

bool st_parse_term(st_parser *parser, st_term *out) {
    st_lexer *lexer = &parser->lexer;
    const st_token *token = &lexer->token;
    *out = (st_term){ .column = token->column };
    switch (token->kind) {
    case ST_TOKEN_NAME: return token->escaped ? parse_name(parser, out) : parse_word(parser, out);
    case ST_TOKEN_VARIABLE: return parse_path(parser, out);
    case ST_TOKEN_INT: return constant_term(parser, out, strata_int(token->integer));
    case ST_TOKEN_REAL: return real_term(parser, out);
    case ST_TOKEN_STRING:
        if (token->text.size > STRATA_MAX_VALUE) return st_lexer_fail(lexer, token->column, "the string is too long");
        return constant_term(parser, out, strata_string(token->text.data, token->text.size));
    case ST_TOKEN_NUMBERED: return parse_argument(parser, out);
    case ST_TOKEN_FORMAT: return token->format == 'K' ? parse_path(parser, out) : parse_argument(parser, out);
    case ST_TOKEN_AT:
        return st_lexer_fail(lexer, token->column, "an aggregate stands behind a collection, such as dogs.@count");
    case ST_TOKEN_MARK:
        if (token->mark == '{') return st_lexer_fail(lexer, token->column, "a list stands behind IN or BETWEEN");
        return st_lexer_expected(lexer, "a property or a constant");
    default: return st_lexer_expected(lexer, "a property or a constant");
    }
}

/* ---- Lists ------------------------------------------------------------ */

static bool add_value(st_parser *parser, size_t count, const st_term *term) {
    if (term->kind != ST_TERM_CONSTANT || term->constant.kind != STRATA_ARGUMENT_VALUE) {
        return st_lexer_fail(&parser->lexer, term->column, "only constants can stand in a list");
    }
    if (count == STRATA_MAX_CONSTANTS) {
        return st_lexer_fail(&parser->lexer, term->column, "a list has at most %d values", STRATA_MAX_CONSTANTS);
    }
    if (!st_array_grow(&parser->values.items, &parser->values.capacity, count,
                                              sizeof(strata_value))) {
        return st_lexer_no_memory(&parser->lexer);
    }
    ((strata_value *)parser->values.items)[count] = term->constant.value;
    return true;
}

/* Lists cannot be nested, so that the values of the only one are collected in the parser. */
static bool parse_list(st_parser *parser, st_term *out) {
    st_lexer *lexer = &parser->lexer;
    size_t count = 0;
    *out = (st_term){ .kind = ST_TERM_CONSTANT, .column = lexer->token.column };
    if (!st_lexer_consume_mark(lexer, '{')) return false;
    while (!st_lexer_on_mark(lexer, '}')) {
        st_term term;
        if (count != 0 && !st_lexer_on_mark(lexer, ',')) return st_lexer_expected(lexer, ", or }");
        if (count != 0 && !st_lexer_next(lexer)) return false;
        if (!st_parse_term(parser, &term) || !add_value(parser, count, &term)) return false;
        count++;
    }
    out->constant.kind = STRATA_ARGUMENT_LIST;
    out->constant.values = st_copy(parser->memory, parser->values.items, count * sizeof *out->constant.values);
    out->constant.value_count = (uint32_t)count;
    return out->constant.values == NULL ? st_lexer_no_memory(lexer) : st_lexer_next(lexer);
}

bool st_parse_set(st_parser *parser, st_term *out) {
    return st_lexer_on_mark(&parser->lexer, '{') ? parse_list(parser, out) : st_parse_term(parser, out);
}
