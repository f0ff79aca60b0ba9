/* SPDX-License-Identifier: MIT
 * string.h -- what a backslash in a string stands for. */
#ifndef ST_PREDICATE_STRING_H
#define ST_PREDICATE_STRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The value of a hexadecimal digit; -1 if it is none. */
static inline int st_hex_value(int byte) {
    int letter = byte | 32;
    if (byte >= '0' && byte <= '9') return byte - '0';
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/** Copies the text between two quotes, replacing its escapes. The copy is never longer. False if there is no such
 * escape; `*wrong` is where its backslash stands. */
bool st_unescape(const uint8_t *text, size_t size, uint8_t *out, size_t *out_size, size_t *wrong);

#endif
