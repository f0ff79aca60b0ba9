/* SPDX-License-Identifier: MIT
 * string.c -- what a backslash in a string stands for. */
#include "predicate/lexer.h"
#include "text/text.h"

/* Reads the digits of \u or \U. False if they are none or no character. */
static bool read_code(st_lexer *lexer, size_t at, size_t digits, uint32_t *out) {
    uint32_t code = 0;
    if (digits > lexer->size - at) return false;
    for (size_t i = 0; i < digits; i++) {
        int value = st_hex_value(lexer->text[at + i]);
        if (value < 0) return false;
        code = code << 4 | (uint32_t)value;
    }
    *out = code;
    return code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
}

/* The escape at `*at`, behind its backslash. Returns how many bytes it stands for; 0 if there is no such escape. */
static size_t read_escape(st_lexer *lexer, size_t *at, uint8_t *to) {
    static const char letters[] = "ntrbf0", bytes[] = "\n\t\r\b\f";
    uint8_t letter = lexer->text[*at];
    uint32_t code;
    size_t digits = letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    if (digits != 0) {
        if (!read_code(lexer, *at + 1, digits, &code)) return 0;
        *at += 1 + digits;
        return st_code_put(code, to);
    }
    if (letter == 0) return 0;
    const char *known = strchr(letters, letter);
    if (known == NULL && strchr("\\'\"/", letter) == NULL) return 0;
    *to = known == NULL ? letter : (uint8_t)bytes[known - letters];
    *at += 1;
    return 1;
}

/* `from` is behind the opening quote, `to` the closing one. What an escape stands for is shorter than it. */
bool st_unescape(st_lexer *lexer, size_t from, size_t to) {
    uint8_t *out = st_arena_alloc(lexer->memory, to - from);
    size_t filled = 0;
    if (out == NULL) return st_lexer_no_memory(lexer);
    for (size_t at = from; at < to;) {
        if (lexer->text[at] != '\\') {
            out[filled++] = lexer->text[at++];
            continue;
        }
        size_t backslash = at++, size = read_escape(lexer, &at, out + filled);
        if (size == 0) {
            return st_lexer_fail(lexer, st_lexer_column(lexer, backslash),
                                 "no such escape; a backslash in a string is written \\\\");
        }
        filled += size;
    }
    lexer->token.text = (strata_bytes){ out, filled };
    return true;
}
