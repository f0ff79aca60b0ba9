/* SPDX-License-Identifier: MIT
 * utf8.c -- is a text UTF-8? */
#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

/* The size of the character at `p`, where `left` bytes are; 0 if it is malformed. */
static size_t character(const uint8_t *p, size_t left) {
    uint8_t lead = p[0];
    if (lead < 0x80) return 1;
    size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || left < size) return 0;
    for (size_t i = 1; i < size; i++)
        if ((p[i] & 0xC0) != 0x80) return 0;
    if (lead == 0xE0 && p[1] < 0xA0) return 0; /* overlong */
    if (lead == 0xED && p[1] > 0x9F) return 0; /* surrogates */
    if (lead == 0xF0 && p[1] < 0x90) return 0; /* overlong */
    if (lead == 0xF4 && p[1] > 0x8F) return 0; /* above U+10FFFF */
    return size;
}

bool st_utf8_valid(const void *data, size_t size) {
    const uint8_t *p = data;
    size_t at = 0;
    while (at < size) {
        uint64_t word;
        if (size - at >= sizeof word) {
            memcpy(&word, p + at, sizeof word);
            if ((word & UINT64_C(0x8080808080808080)) == 0) {
                at += sizeof word;
                continue;
            }
        }
        size_t step = character(p + at, size - at);
        if (step == 0) return false;
        at += step;
    }
    return true;
}
