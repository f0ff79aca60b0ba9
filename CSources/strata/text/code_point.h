/* SPDX-License-Identifier: MIT
 *
 * code_point.h -- text as a sequence of code points.
 *
 * Text is UTF-8 that may be damaged: a byte that belongs to no code point counts as one.
 */
#ifndef ST_TEXT_CODE_POINT_H
#define ST_TEXT_CODE_POINT_H

#include <stddef.h>
#include <stdint.h>

/** The size of the code point at `p`, of which `left` bytes are there. 1 for a byte that belongs to no code point. */
static inline size_t st_code_size(const uint8_t *p, size_t left) {
    size_t size = p[0] < 0xC2 ? 1 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : p[0] < 0xF5 ? 4 : 1;
    if (size > left) return 1;
    for (size_t i = 1; i < size; i++) {
        if ((p[i] & 0xC0) != 0x80) return 1;
    }
    return size;
}

/** The size of the code point that ends before `end`, of which `left` bytes, at least one, are there. */
static inline size_t st_code_size_before(const uint8_t *end, size_t left) {
    for (size_t size = 2; size <= 4 && size <= left && (*(end - size + 1) & 0xC0) == 0x80; size++) {
        if (st_code_size(end - size, size) == size) return size;
    }
    return 1;
}

/** The code point of `size` bytes, at least 2. */
static inline uint32_t st_code_get(const uint8_t *p, size_t size) {
    uint32_t code = size == 2 ? p[0] & 0x1Fu : size == 3 ? p[0] & 0x0Fu : p[0] & 0x07u;
    for (size_t i = 1; i < size; i++) code = code << 6 | (p[i] & 0x3Fu);
    return code;
}

#endif
