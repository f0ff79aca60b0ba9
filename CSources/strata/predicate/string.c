/* SPDX-License-Identifier: MIT
 * string.c -- what a backslash in a string stands for. */
#include "predicate/string.h"

#include <string.h>

#include "text/text.h"

/* Reads the digits of \u or \U. False if they are none, or do not name a character. */
static bool read_code(const uint8_t *text, size_t size, size_t digits, uint32_t *out) {
    uint32_t code = 0;
    if (digits > size) return false;
    for (size_t i = 0; i < digits; i++) {
        int value = st_hex_value(text[i]);
        if (value < 0) return false;
        code = code << 4 | (uint32_t)value;
    }
    *out = code;
    return code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
}

/* The escape at `*at`, behind its backslash; `*at` is then behind it. Returns how many bytes it stands for, which is 0
 * if there is no such escape. */
static size_t read_escape(const uint8_t *text, size_t size, size_t *at, uint8_t *to) {
    static const char letters[] = "ntrbf0", bytes[] = "\n\t\r\b\f";
    uint8_t letter = *at < size ? text[*at] : 0;
    uint32_t code;
    size_t digits = letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    *at += 1;
    if (digits != 0) {
        if (!read_code(text + *at, size - *at, digits, &code)) return 0;
        *at += digits;
        return st_code_put(code, to);
    }
    if (letter == 0) return 0;
    const char *known = strchr(letters, letter);
    if (known == NULL && strchr("\\'\"/", letter) == NULL) return 0;
    *to = known == NULL ? letter : (uint8_t)bytes[known - letters];
    return 1;
}

bool st_unescape(const uint8_t *text, size_t size, uint8_t *out, size_t *out_size, size_t *wrong) {
    size_t filled = 0;
    for (size_t at = 0; at < size;) {
        if (text[at] != '\\') {
            out[filled++] = text[at++];
            continue;
        }
        *wrong = at++;
        size_t read = read_escape(text, size, &at, out + filled);
        if (read == 0) return false;
        filled += read;
    }
    *out_size = filled;
    return true;
}
