/* SPDX-License-Identifier: MIT
 * path.c -- names with dots between them, and what may stand in brackets. */
#include "base/status.h"
#include "predicate/parser.h"

bool st_add_part(st_parser *parser, size_t count, st_part part) {
    if (count >= ST_PREDICATE_PARTS) {
        return st_lexer_fail(&parser->lexer, part.column, "a path has at most %d parts", ST_PREDICATE_PARTS);
    }
    parser->parts[count] = part;
    return true;
}

/* ---- Aggregates ------------------------------------------------------- */

static bool is_text(strata_bytes a, const char *b) { return a.size == strlen(b) && memcmp(a.data, b, a.size) == 0; }

bool st_part_of_at(st_parser *parser, strata_bytes text, uint32_t column, st_part *out) {
    *out = (st_part){ .kind = ST_PART_AGGREGATE, .column = column };
    for (strata_aggregate each = STRATA_COUNT; each <= STRATA_AVERAGE; each = (strata_aggregate)(each + 1)) {
        if (!is_text(text, st_aggregate_text(each))) continue;
        out->aggregate = each;
        return true;
    }
    out->kind = is_text(text, "allKeys") ? ST_PART_KEYS : ST_PART_VALUES;
    if (out->kind == ST_PART_KEYS || is_text(text, "allValues")) return true;
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

/* What an argument in brackets stands for. */
static bool bracket_argument(st_parser *parser, char format, st_part *part) {
    strata_argument copy;
    const strata_argument *argument = st_take_argument(parser);
    if (argument == NULL) return false;
    if (argument->kind == STRATA_ARGUMENT_VALUE && argument->value.type == STRATA_INT && format != 'K') {
        part->kind = ST_PART_POSITION;
        part->position = argument->value.as.integer;
        return true;
    }
    if (argument->kind != STRATA_ARGUMENT_VALUE || argument->value.type != STRATA_STRING) {
        return st_lexer_fail(&parser->lexer, part->column, "in brackets stands a string, a whole number or #any");
    }
    if (!st_copy_argument(parser, argument, part->column, &copy)) return false;
    part->text = copy.value.as.bytes;
    part->kind = format == 'K' && is_any(part->text) ? ST_PART_EACH : ST_PART_KEY;
    return true;
}

/* Behind the opening bracket, up to behind the closing one. */
static bool parse_bracket(st_parser *parser, size_t count) {
    st_lexer *lexer = &parser->lexer;
    const st_token *token = &lexer->token;
    st_part part = { .column = token->column, .text = token->text };
    if (token->kind == ST_TOKEN_STRING) {
        part.kind = ST_PART_KEY;
    } else if (token->kind == ST_TOKEN_INT) {
        part.kind = ST_PART_POSITION;
        part.position = token->integer;
    } else if (token->kind == ST_TOKEN_NAME && token->escaped && st_keyword_of(token->text) == ST_WORD_ANY) {
        part.kind = ST_PART_EACH;
    } else if (token->kind == ST_TOKEN_FORMAT || token->kind == ST_TOKEN_NUMBERED) {
        if (!bracket_argument(parser, token->format, &part)) return false;
    } else {
        return st_lexer_expected(lexer, "a string, a whole number or #any in brackets");
    }
    return st_lexer_next(lexer) && st_lexer_take_mark(lexer, ']') && st_add_part(parser, count, part);
}

/* ---- Paths ------------------------------------------------------------ */

/* Behind a dot: also what is a keyword elsewhere is a name here. */
static bool parse_part(st_parser *parser, size_t *count) {
    st_lexer *lexer = &parser->lexer;
    const st_token *token = &lexer->token;
    st_part part = { .kind = ST_PART_NAME, .column = token->column, .text = token->text };
    if (token->kind == ST_TOKEN_FORMAT && token->format == 'K') {
        const strata_argument *argument = st_take_argument(parser);
        if (argument == NULL) return false;
        if (argument->kind != STRATA_ARGUMENT_VALUE || argument->value.type != STRATA_STRING) {
            return st_lexer_fail(lexer, token->column, "the argument for %%K is a string, which is a key path");
        }
        return st_parse_key_path(parser, argument->value.as.bytes, token->column, count) && st_lexer_next(lexer);
    }
    if (token->kind == ST_TOKEN_AT) {
        if (!st_part_of_at(parser, token->text, token->column, &part)) return false;
    } else if (st_lexer_on_word(lexer, ST_WORD_SELF)) {
        part.kind = ST_PART_SELF;
    } else if (token->kind != ST_TOKEN_NAME) {
        return st_lexer_expected(lexer, "the name of a property");
    }
    return st_lexer_next(lexer) && st_add_part(parser, (*count)++, part);
}

bool st_parse_parts(st_parser *parser, size_t count, st_term *out) {
    st_lexer *lexer = &parser->lexer;
    bool first = count == 0 && out->variable.size == 0;
    if (first && !parse_part(parser, &count)) return false;
    while (st_lexer_on_mark(lexer, '.') || st_lexer_on_mark(lexer, '[')) {
        bool dot = st_lexer_on_mark(lexer, '.');
        if (!st_lexer_next(lexer)) return false;
        if (dot ? !parse_part(parser, &count) : !parse_bracket(parser, count++)) return false;
    }
    out->parts = st_copy(parser->memory, parser->parts, count * sizeof *parser->parts);
    out->part_count = (uint32_t)count;
    return out->parts != NULL || st_lexer_no_memory(lexer);
}

/* ---- Key paths in arguments ------------------------------------------- */

/* A name reaches to the next dot or bracket, whatever it consists of. */
static size_t end_of_part(const char *text, size_t at, size_t size) {
    while (at < size && text[at] != '.' && text[at] != '[') at++;
    return at;
}

static bool key_path_part(st_parser *parser, strata_bytes text, uint32_t column, size_t count) {
    const char *bytes = text.data;
    st_part part = { .kind = ST_PART_NAME, .column = column, .text = text };
    if (text.size == 0) return st_lexer_fail(&parser->lexer, column, "the key path for %%K has an empty name in it");
    if (bytes[0] == '@') {
        if (!st_part_of_at(parser, (strata_bytes){ bytes + 1, text.size - 1 }, column, &part)) return false;
    } else if (st_keyword_of(text) == ST_WORD_SELF) {
        part.kind = ST_PART_SELF;
    } else if (bytes[0] == '#' && text.size > 1) {
        part.text = (strata_bytes){ bytes + 1, text.size - 1 };
    }
    return st_add_part(parser, count, part);
}

/* What is in brackets is read like anything else. */
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
    st_part part = { .column = column, .text = first.text, .position = first.integer };
    part.kind = each ? ST_PART_EACH : first.kind == ST_TOKEN_INT ? ST_PART_POSITION : ST_PART_KEY;
    *at = from + inner.token.end;
    return st_add_part(parser, count, part);
}

bool st_parse_key_path(st_parser *parser, strata_bytes text, uint32_t column, size_t *count) {
    strata_argument copy, whole = { .kind = STRATA_ARGUMENT_VALUE };
    whole.value = strata_string(text.data, text.size);
    if (!st_copy_argument(parser, &whole, column, &copy)) return false;
    text = copy.value.as.bytes;
    const char *bytes = text.data;
    for (size_t at = 0;;) {
        size_t end = end_of_part(bytes, at, text.size);
        if (!key_path_part(parser, (strata_bytes){ bytes + at, end - at }, column, (*count)++)) return false;
        at = end;
        while (at < text.size && bytes[at] == '[') {
            if (!key_path_bracket(parser, text, column, &at, (*count)++)) return false;
        }
        if (at == text.size) return true;
        if (bytes[at] != '.') return st_lexer_fail(&parser->lexer, column, "the key path for %%K goes on behind a ]");
        at++;
    }
}
