/* SPDX-License-Identifier: MIT
 * path.c -- paths: names with dots between them, and what may stand in brackets. */
#include "predicate/path.h"

#include "predicate/argument.h"

bool st_path_add(st_parser *parser, size_t count, st_component component) {
    if (count >= ST_PREDICATE_COMPONENTS) {
        return st_lexer_fail(&parser->lexer, component.column, "a path has at most %d parts", ST_PREDICATE_COMPONENTS);
    }
    parser->components[count] = component;
    return true;
}

/* ---- Aggregates ------------------------------------------------------- */

static bool is_text(strata_bytes a, const char *b) { return a.size == strlen(b) && memcmp(a.data, b, a.size) == 0; }

/* The component that `@text` names. */
static bool component_of_at(st_parser *parser, strata_bytes text, uint32_t column, st_component *out) {
    *out = (st_component){ .kind = ST_COMPONENT_AGGREGATE, .column = column };
    for (strata_aggregate each = STRATA_COUNT; each <= STRATA_AVERAGE; each = (strata_aggregate)(each + 1)) {
        if (!is_text(text, st_aggregate_text(each))) continue;
        out->aggregate = each;
        return true;
    }
    out->kind = is_text(text, "allKeys") ? ST_COMPONENT_KEYS : ST_COMPONENT_VALUES;
    if (out->kind == ST_COMPONENT_KEYS || is_text(text, "allValues")) return true;
    int shown = text.size < 40 ? (int)text.size : 40;
    const char *fix = is_text(text, "size") ? "; the number of elements is @count" : "";
    return st_lexer_fail(&parser->lexer, column,
                         "@%.*s is none of @count, @min, @max, @sum, @avg, @allKeys and @allValues%s", shown,
                         (const char *)text.data, fix);
}

/* ---- Brackets --------------------------------------------------------- */

static bool is_any(strata_bytes text) {
    const char *bytes = text.data;
    return text.size == 4 && bytes[0] == '#' && (bytes[1] | 32) == 'a' && (bytes[2] | 32) == 'n' &&
           (bytes[3] | 32) == 'y';
}

/* The component that an argument in brackets stands for. */
static bool bracket_argument(st_parser *parser, char format, st_component *component) {
    strata_argument copy;
    const strata_argument *argument = st_consume_argument(parser);
    if (argument == NULL) return false;
    if (argument->kind == STRATA_ARGUMENT_VALUE && argument->value.type == STRATA_INT && format != 'K') {
        component->kind = ST_COMPONENT_POSITION;
        component->position = argument->value.as.integer;
        return true;
    }
    if (argument->kind != STRATA_ARGUMENT_VALUE || argument->value.type != STRATA_STRING) {
        return st_lexer_fail(&parser->lexer, component->column, "in brackets stands a string, a whole number or #any");
    }
    if (!st_copy_argument(parser, argument, component->column, &copy)) return false;
    component->text = copy.value.as.bytes;
    component->kind = format == 'K' && is_any(component->text) ? ST_COMPONENT_EACH : ST_COMPONENT_KEY;
    return true;
}

/* What stands in brackets; the token is the one behind the opening bracket. */
static bool parse_bracket(st_parser *parser, size_t count) {
    st_lexer *lexer = &parser->lexer;
    const st_token *token = &lexer->token;
    st_component component = { .column = token->column, .text = token->text };
    if (token->kind == ST_TOKEN_STRING) {
        component.kind = ST_COMPONENT_KEY;
    } else if (token->kind == ST_TOKEN_INT) {
        component.kind = ST_COMPONENT_POSITION;
        component.position = token->integer;
    } else if (token->kind == ST_TOKEN_NAME && token->escaped && st_keyword_of(token->text) == ST_WORD_ANY) {
        component.kind = ST_COMPONENT_EACH;
    } else if (token->kind == ST_TOKEN_FORMAT || token->kind == ST_TOKEN_NUMBERED) {
        if (!bracket_argument(parser, token->format, &component)) return false;
    } else {
        return st_lexer_expected(lexer, "a string, a whole number or #any in brackets");
    }
    return st_lexer_next(lexer) && st_lexer_consume_mark(lexer, ']') && st_path_add(parser, count, component);
}

/* ---- Key paths in arguments ------------------------------------------- */

/* A name ends at the next dot or bracket, and may have any other characters in it. */
static size_t end_of_component(const char *text, size_t at, size_t size) {
    while (at < size && text[at] != '.' && text[at] != '[') at++;
    return at;
}

static bool key_path_component(st_parser *parser, strata_bytes text, uint32_t column, size_t count) {
    const char *bytes = text.data;
    st_component component = { .kind = ST_COMPONENT_NAME, .column = column, .text = text };
    if (text.size == 0) return st_lexer_fail(&parser->lexer, column, "the key path for %%K has an empty name in it");
    if (bytes[0] == '@') {
        if (!component_of_at(parser, (strata_bytes){ bytes + 1, text.size - 1 }, column, &component)) return false;
    } else if (st_keyword_of(text) == ST_WORD_SELF) {
        component.kind = ST_COMPONENT_SELF;
    } else if (bytes[0] == '#' && text.size > 1) {
        component.text = (strata_bytes){ bytes + 1, text.size - 1 };
    }
    return st_path_add(parser, count, component);
}

/* What stands in brackets is read by a lexer of its own. */
static bool key_path_bracket(st_parser *parser, strata_bytes text, uint32_t column, size_t *at, size_t count) {
    st_lexer inner;
    size_t from = *at + 1;
    bool good = st_lexer_begin(&inner, (const uint8_t *)text.data + from, text.size - from, parser->memory, NULL);
    st_token first = inner.token;
    good = good && st_lexer_next(&inner) && st_lexer_on_mark(&inner, ']');
    if (inner.status == STRATA_NO_MEMORY) return st_lexer_no_memory(&parser->lexer);
    bool each = first.kind == ST_TOKEN_NAME && first.escaped && st_keyword_of(first.text) == ST_WORD_ANY;
    if (!good || !(each || first.kind == ST_TOKEN_STRING || first.kind == ST_TOKEN_INT)) {
        return st_lexer_fail(&parser->lexer, column,
                             "the key path for %%K has no string, whole number or #any in its brackets");
    }
    st_component component = { .column = column, .text = first.text, .position = first.integer };
    component.kind = each ? ST_COMPONENT_EACH : first.kind == ST_TOKEN_INT ? ST_COMPONENT_POSITION : ST_COMPONENT_KEY;
    *at = from + inner.token.end;
    return st_path_add(parser, count, component);
}

/* Adds the components of the key path in an argument. */
static bool parse_key_path(st_parser *parser, strata_bytes text, uint32_t column, size_t *count) {
    strata_argument copy, whole = { .kind = STRATA_ARGUMENT_VALUE };
    whole.value = strata_string(text.data, text.size);
    if (!st_copy_argument(parser, &whole, column, &copy)) return false;
    text = copy.value.as.bytes;
    const char *bytes = text.data;
    for (size_t at = 0;;) {
        size_t end = end_of_component(bytes, at, text.size);
        if (!key_path_component(parser, (strata_bytes){ bytes + at, end - at }, column, (*count)++)) return false;
        at = end;
        while (at < text.size && bytes[at] == '[') {
            if (!key_path_bracket(parser, text, column, &at, (*count)++)) return false;
        }
        if (at == text.size) return true;
        if (bytes[at] != '.') return st_lexer_fail(&parser->lexer, column, "the key path for %%K goes on behind a ]");
        at++;
    }
}

/* ---- Paths ------------------------------------------------------------ */

/* One component, but for brackets. Behind a dot a keyword is a name, too. */
static bool parse_component(st_parser *parser, size_t *count) {
    st_lexer *lexer = &parser->lexer;
    const st_token *token = &lexer->token;
    st_component component = { .kind = ST_COMPONENT_NAME, .column = token->column, .text = token->text };
    if (token->kind == ST_TOKEN_FORMAT && token->format == 'K') {
        const strata_argument *argument = st_consume_argument(parser);
        if (argument == NULL) return false;
        if (argument->kind != STRATA_ARGUMENT_VALUE || argument->value.type != STRATA_STRING) {
            return st_lexer_fail(lexer, token->column, "the argument for %%K is a string, which is a key path");
        }
        return parse_key_path(parser, argument->value.as.bytes, token->column, count) && st_lexer_next(lexer);
    }
    if (token->kind == ST_TOKEN_AT) {
        if (!component_of_at(parser, token->text, token->column, &component)) return false;
    } else if (st_lexer_on_word(lexer, ST_WORD_SELF)) {
        component.kind = ST_COMPONENT_SELF;
    } else if (token->kind != ST_TOKEN_NAME) {
        return st_lexer_expected(lexer, "the name of a property");
    }
    return st_lexer_next(lexer) && st_path_add(parser, (*count)++, component);
}

bool st_parse_components(st_parser *parser, size_t count, st_term *out) {
    st_lexer *lexer = &parser->lexer;
    bool first = count == 0 && out->variable.size == 0;
    if (first && !parse_component(parser, &count)) return false;
    while (st_lexer_on_mark(lexer, '.') || st_lexer_on_mark(lexer, '[')) {
        bool dot = st_lexer_on_mark(lexer, '.');
        if (!st_lexer_next(lexer)) return false;
        if (dot ? !parse_component(parser, &count) : !parse_bracket(parser, count++)) return false;
    }
    out->components = st_copy(parser->memory, parser->components, count * sizeof *parser->components);
    out->component_count = (uint32_t)count;
    return out->components != NULL || st_lexer_no_memory(lexer);
}
