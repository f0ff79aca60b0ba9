/* SPDX-License-Identifier: MIT
 * utf8.h -- is a text UTF-8, and where may it be shortened? */
#ifndef ST_BASE_UTF8_H
#define ST_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/** True if the bytes are well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. */
bool st_utf8_valid(const void *data, size_t size);

/** The size of the longest beginning of the text that has at most `room` bytes and no incomplete character. */
static inline size_t st_utf8_fit(const char *text, size_t size, size_t room) {
    if (size <= room) return size;
    while (room > 0 && ((unsigned char)text[room] & 0xC0) == 0x80) room--;
    return room;
}

#endif
