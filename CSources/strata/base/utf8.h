/* SPDX-License-Identifier: MIT
 * utf8.h -- is it UTF-8, and where may it be cut? */
#ifndef ST_BASE_UTF8_H
#define ST_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/** True if the bytes are well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. */
bool st_utf8_valid(const void *data, size_t size);

/** The largest size up to `room` at which a character of the text begins, or its whole size. */
static inline size_t st_utf8_fit(const char *text, size_t size, size_t room) {
    if (size <= room) return size;
    while (room > 0 && ((unsigned char)text[room] & 0xC0) == 0x80) room--;
    return room;
}

#endif
