/* SPDX-License-Identifier: MIT
 * lexer.c -- the tokens of a predicate. */
#include "predicate/lexer.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/status.h"
#include "base/utf8.h"
#include "predicate/number.h"
#include "predicate/string.h"

/* ---- Failures --------------------------------------------------------- */

bool st_lexer_fail(st_lexer *lexer, uint32_t column, const char *format, ...) {
    char what[400];
    va_list arguments;
    if (lexer->status != STRATA_OK) return false;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    lexer->status = st_fail(lexer->error, STRATA_MISUSE, 0, "at column %u: %s", column, what);
    return false;
}

bool st_lexer_no_memory(st_lexer *lexer) {
    if (lexer->status == STRATA_OK) lexer->status = st_no_memory(lexer->error, "parsing a predicate");
    return false;
}

bool st_lexer_expected(st_lexer *lexer, const char *what) {
    enum { SHOWN = 40 };
    const st_token *token = &lexer->token;
    size_t size = token->end - token->start;
    if (token->kind == ST_TOKEN_END) {
        return st_lexer_fail(lexer, token->column, "expected %s, found the end of the predicate", what);
    }
    if (size > SHOWN) {
        size = SHOWN;
        while ((lexer->text[token->start + size] & 0xC0) == 0x80) size--;
    }
    return st_lexer_fail(lexer, token->column, "expected %s, found %.*s%s", what, (int)size,
                         (const char *)lexer->text + token->start, size < token->end - token->start ? "..." : "");
}

/* ---- Characters ------------------------------------------------------- */

/* The byte that stands `ahead` bytes further on; -1 behind the end of the text. */
static int peek(const st_lexer *lexer, size_t ahead) {
    return ahead < lexer->size - lexer->at ? lexer->text[lexer->at + ahead] : -1;
}

/* The column of a byte of the text that is not before the last one asked for. */
static uint32_t column_of(st_lexer *lexer, size_t at) {
    for (; lexer->counted < at; lexer->counted++) {
        if ((lexer->text[lexer->counted] & 0xC0) != 0x80) lexer->column++;
    }
    return lexer->column;
}

static size_t end_of_name(const st_lexer *lexer, size_t from) {
    while (from < lexer->size && st_is_in_name(lexer->text[from])) from++;
    return from;
}

/* ---- Names ------------------------------------------------------------ */

static void consume_text(st_lexer *lexer, size_t from, size_t to) {
    lexer->token.text = (strata_bytes){ lexer->text + from, to - from };
    lexer->at = to;
}

static bool lex_name(st_lexer *lexer) {
    lexer->token.kind = ST_TOKEN_NAME;
    consume_text(lexer, lexer->at, end_of_name(lexer, lexer->at));
    lexer->token.word = st_keyword_of(lexer->token.text);
    return true;
}

/* ---- Strings ---------------------------------------------------------- */

/* Replaces the escapes in a string that stands between two positions of the text. */
static bool unescape(st_lexer *lexer, size_t from, size_t to) {
    uint8_t *out = st_arena_alloc(lexer->memory, to - from);
    size_t size, wrong;
    if (out == NULL) return st_lexer_no_memory(lexer);
    if (!st_unescape(lexer->text + from, to - from, out, &size, &wrong)) {
        return st_lexer_fail(lexer, column_of(lexer, from + wrong),
                             "no such escape; a backslash in a string is written \\\\");
    }
    lexer->token.text = (strata_bytes){ out, size };
    return true;
}

static bool lex_string(st_lexer *lexer) {
    uint8_t quote = lexer->text[lexer->at];
    size_t from = lexer->at + 1, at = from;
    bool escapes = false;
    while (at < lexer->size && lexer->text[at] != quote) {
        bool escape = lexer->text[at] == '\\';
        escapes |= escape;
        at += escape ? 2 : 1;
    }
    if (at >= lexer->size) {
        return st_lexer_fail(lexer, lexer->token.column, "the string that begins here does not end");
    }
    lexer->token.kind = ST_TOKEN_STRING;
    consume_text(lexer, from, at);
    lexer->at = at + 1;
    return !escapes || unescape(lexer, from, at);
}

/* `#name` or `#'any characters'`. */
static bool lex_escaped(st_lexer *lexer) {
    int next = peek(lexer, 1);
    if (next == '\'' || next == '"') {
        lexer->at++;
        if (!lex_string(lexer)) return false;
    } else if (st_begins_name(next)) {
        consume_text(lexer, lexer->at + 1, end_of_name(lexer, lexer->at + 1));
    } else {
        return st_lexer_fail(lexer, lexer->token.column, "expected the name of a property behind #");
    }
    lexer->token.kind = ST_TOKEN_NAME;
    lexer->token.escaped = true;
    return true;
}

/* ---- Numbers ---------------------------------------------------------- */

static bool lex_hex(st_lexer *lexer, size_t at, bool negative) {
    uint64_t value = 0;
    size_t first = at;
    for (; at < lexer->size && st_hex_value(lexer->text[at]) >= 0; at++) {
        if (value >> 59 != 0) return st_lexer_fail(lexer, lexer->token.column, "this number does not fit 64 bits");
        value = value << 4 | (uint64_t)st_hex_value(lexer->text[at]);
    }
    if (at == first || (at < lexer->size && st_is_in_name(lexer->text[at]))) {
        return st_lexer_fail(lexer, lexer->token.column, "this is no hexadecimal number");
    }
    lexer->token.kind = ST_TOKEN_INT;
    lexer->token.integer = negative ? -(int64_t)value : (int64_t)value;
    lexer->at = at;
    return true;
}

/* Reads a whole number. False if it does not fit; then it is read as a real one. */
static bool read_int(const uint8_t *digits, size_t count, bool negative, int64_t *out) {
    uint64_t value = 0, limit = (uint64_t)INT64_MAX + (negative ? 1 : 0);
    for (size_t i = 0; i < count; i++) {
        uint64_t digit = digits[i] - (uint64_t)'0';
        if (value > (limit - digit) / 10) return false;
        value = value * 10 + digit;
    }
    *out = negative ? (int64_t)(0 - value) : (int64_t)value;
    return true;
}

static bool lex_number(st_lexer *lexer) {
    const uint8_t *text = lexer->text;
    size_t at = lexer->at, end = lexer->size;
    bool negative = text[at] == '-', whole = true;
    if (text[at] == '-' || text[at] == '+') at++;
    size_t digits = at;
    if (end - at > 1 && text[at] == '0' && (text[at + 1] | 32) == 'x') return lex_hex(lexer, at + 2, negative);
    while (at < end && st_is_digit(text[at])) at++;
    size_t digits_end = at;
    if (end - at > 1 && text[at] == '.' && st_is_digit(text[at + 1])) {
        whole = false;
        for (at++; at < end && st_is_digit(text[at]);) at++;
    }
    if (at < end && (text[at] | 32) == 'e') {
        size_t exponent = at + 1;
        if (exponent < end && (text[exponent] == '+' || text[exponent] == '-')) exponent++;
        if (exponent < end && st_is_digit(text[exponent])) {
            whole = false;
            for (at = exponent; at < end && st_is_digit(text[at]);) at++;
        }
    }
    if (at < end && st_is_in_name(text[at])) return st_lexer_fail(lexer, lexer->token.column, "this is no number");
    lexer->token.kind = ST_TOKEN_INT;
    if (!whole || !read_int(text + digits, digits_end - digits, negative, &lexer->token.integer)) {
        lexer->token.kind = ST_TOKEN_REAL;
        if (!st_number_read((const char *)text + lexer->at, at - lexer->at, &lexer->token.real)) {
            return st_lexer_fail(lexer, lexer->token.column, "this number has too many digits or is too large");
        }
    }
    lexer->at = at;
    return true;
}

/* ---- Arguments and variables ------------------------------------------ */

/* %@, %K, or what printf() takes for a number, with a length such as ll. */
static bool lex_format(st_lexer *lexer) {
    size_t at = lexer->at + 1;
    while (at < lexer->size && at - lexer->at <= 3 && lexer->text[at] != 0 &&
           strchr("hlqzjtL", lexer->text[at]) != NULL) {
        at++;
    }
    int letter = at < lexer->size ? lexer->text[at] : 0;
    bool bare = at == lexer->at + 1;
    char format = bare && (letter == '@' || letter == 'K') ? (char)letter
                  : letter != 0 && strchr("diuxX", letter) != NULL ? 'd'
                  : letter != 0 && strchr("fFgGeE", letter) != NULL ? 'f' : 0;
    if (format == 0) {
        return st_lexer_fail(lexer, lexer->token.column,
                             "expected %%@ for a value, %%K for a key path, or %%d or %%f for a number");
    }
    lexer->token.kind = ST_TOKEN_FORMAT;
    lexer->token.format = format;
    lexer->at = at + 1;
    return true;
}

static bool lex_dollar(st_lexer *lexer) {
    size_t from = lexer->at + 1, at = from;
    while (at < lexer->size && st_is_digit(lexer->text[at])) at++;
    if (at != from) {
        lexer->token.kind = ST_TOKEN_NUMBERED;
        if (!read_int(lexer->text + from, at - from, false, &lexer->token.integer)) lexer->token.integer = INT64_MAX;
        lexer->at = at;
        return true;
    }
    if (from >= lexer->size || !st_begins_name(lexer->text[from])) {
        return st_lexer_fail(lexer, lexer->token.column, "expected the number of an argument or a variable behind $");
    }
    lexer->token.kind = ST_TOKEN_VARIABLE;
    consume_text(lexer, from, end_of_name(lexer, from));
    return true;
}

static bool lex_at(st_lexer *lexer) {
    size_t from = lexer->at + 1;
    if (from >= lexer->size || !st_begins_name(lexer->text[from])) {
        return st_lexer_fail(lexer, lexer->token.column, "expected @count, @min, @max, @sum, @avg, @allKeys or "
                                                         "@allValues");
    }
    lexer->token.kind = ST_TOKEN_AT;
    consume_text(lexer, from, end_of_name(lexer, from));
    return true;
}

/* ---- Marks ------------------------------------------------------------ */

static bool consume(st_lexer *lexer, st_token_kind kind, strata_operator op, size_t size) {
    lexer->token.kind = kind;
    lexer->token.op = op;
    lexer->at += size;
    return true;
}

static bool lex_mark(st_lexer *lexer) {
    int first = peek(lexer, 0), second = peek(lexer, 1);
    switch (first) {
    case '=':
        if (second == '=') return consume(lexer, ST_TOKEN_COMPARE, STRATA_EQUAL, 2);
        if (second == '<') return consume(lexer, ST_TOKEN_COMPARE, STRATA_LESS_EQUAL, 2);
        if (second == '>') return consume(lexer, ST_TOKEN_COMPARE, STRATA_GREATER_EQUAL, 2);
        return consume(lexer, ST_TOKEN_COMPARE, STRATA_EQUAL, 1);
    case '!':
        if (second == '=') return consume(lexer, ST_TOKEN_COMPARE, STRATA_NOT_EQUAL, 2);
        return consume(lexer, ST_TOKEN_NOT, STRATA_NOT, 1);
    case '<':
        if (second == '=') return consume(lexer, ST_TOKEN_COMPARE, STRATA_LESS_EQUAL, 2);
        if (second == '>') return consume(lexer, ST_TOKEN_COMPARE, STRATA_NOT_EQUAL, 2);
        return consume(lexer, ST_TOKEN_COMPARE, STRATA_LESS, 1);
    case '>':
        if (second == '=') return consume(lexer, ST_TOKEN_COMPARE, STRATA_GREATER_EQUAL, 2);
        return consume(lexer, ST_TOKEN_COMPARE, STRATA_GREATER, 1);
    case '&':
        if (second == '&') return consume(lexer, ST_TOKEN_AND, STRATA_AND, 2);
        return st_lexer_fail(lexer, lexer->token.column, "a single &; AND is written && or AND");
    case '|':
        if (second == '|') return consume(lexer, ST_TOKEN_OR, STRATA_OR, 2);
        return st_lexer_fail(lexer, lexer->token.column, "a single |; OR is written || or OR");
    case '(': case ')': case '[': case ']': case '{': case '}': case ',': case '.':
        lexer->token.mark = (char)first;
        return consume(lexer, ST_TOKEN_MARK, STRATA_TRUE, 1);
    default:
        if (first >= 0x20 && first < 0x7F) {
            return st_lexer_fail(lexer, lexer->token.column, "the character %c has no meaning here", first);
        }
        return st_lexer_fail(lexer, lexer->token.column, "the byte 0x%02X has no meaning here", (unsigned)first);
    }
}

/* ---- Tokens ----------------------------------------------------------- */

static bool lex(st_lexer *lexer) {
    int first = peek(lexer, 0), second = peek(lexer, 1), third = peek(lexer, 2);
    bool sign = first == '-' || first == '+';
    if (first < 0) return true;
    if (st_begins_name(first)) return lex_name(lexer);
    if (first == '\'' || first == '"') return lex_string(lexer);
    if (first == '#') return lex_escaped(lexer);
    if (first == '%') return lex_format(lexer);
    if (first == '$') return lex_dollar(lexer);
    if (first == '@') return lex_at(lexer);
    if (st_is_digit(first) || (first == '.' && st_is_digit(second))) return lex_number(lexer);
    if (sign && (st_is_digit(second) || (second == '.' && st_is_digit(third)))) return lex_number(lexer);
    return lex_mark(lexer);
}

bool st_lexer_next(st_lexer *lexer) {
    if (lexer->status != STRATA_OK) return false;
    while (lexer->at < lexer->size && lexer->text[lexer->at] != 0 &&
           strchr(" \t\r\n", lexer->text[lexer->at]) != NULL) {
        lexer->at++;
    }
    lexer->token = (st_token){ .kind = ST_TOKEN_END, .start = lexer->at, .column = column_of(lexer, lexer->at) };
    bool good = lex(lexer);
    lexer->token.end = lexer->at;
    return good;
}

bool st_lexer_consume_mark(st_lexer *lexer, char mark) {
    char what[2] = { mark, 0 };
    return st_lexer_on_mark(lexer, mark) ? st_lexer_next(lexer) : st_lexer_expected(lexer, what);
}

/* How many bytes stand before the first one that is not UTF-8. */
static size_t valid_bytes(const uint8_t *text, size_t size) {
    size_t at = 0;
    while (at < size) {
        size_t width = 1;
        while (width <= 4 && (width > size - at || !st_utf8_valid(text + at, width))) width++;
        if (width > 4) break;
        at += width;
    }
    return at;
}

bool st_lexer_begin(st_lexer *lexer, const void *text, size_t size, st_arena *memory, strata_error *error) {
    *lexer = (st_lexer){ .text = text, .size = size, .column = 1, .memory = memory, .error = error };
    if (size > ST_PREDICATE_TEXT) {
        return st_lexer_fail(lexer, 1, "a predicate has at most %d bytes, not %zu", ST_PREDICATE_TEXT, size);
    }
    if (!st_utf8_valid(text, size)) {
        return st_lexer_fail(lexer, column_of(lexer, valid_bytes(text, size)), "the text is not UTF-8");
    }
    return st_lexer_next(lexer);
}
