/* SPDX-License-Identifier: MIT
 * text.c -- letters without case or marks, and patterns. */
#include "text/text.h"

#include "condition/query.h"

/* ---- Code points ------------------------------------------------------ */

/* Bytes of the code point at `p`; `left` are there. 1 for a stray byte. */
static size_t width(const uint8_t *p, size_t left) {
    size_t size = p[0] < 0xC2 ? 1 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : p[0] < 0xF5 ? 4 : 1;
    if (size > left) return 1;
    for (size_t i = 1; i < size; i++) {
        if ((p[i] & 0xC0) != 0x80) return 1;
    }
    return size;
}

static uint32_t decode(const uint8_t *p, size_t size) {
    uint32_t code = size == 2 ? p[0] & 0x1Fu : size == 3 ? p[0] & 0x0Fu : p[0] & 0x07u;
    for (size_t i = 1; i < size; i++) code = code << 6 | (p[i] & 0x3Fu);
    return code;
}

size_t st_code_put(uint32_t code, uint8_t *to) {
    size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (size == 1) {
        to[0] = (uint8_t)code;
        return 1;
    }
    for (size_t i = size - 1; i > 0; i--, code >>= 6) to[i] = (uint8_t)(0x80 | (code & 0x3F));
    to[0] = (uint8_t)((size == 2 ? 0xC0 : size == 3 ? 0xE0 : 0xF0) | code);
    return size;
}

/* ---- Folding ---------------------------------------------------------- */

/* What stands for a code point is never longer than it, so that `to` may be `from`. Returns how many bytes. */
static size_t strip(const uint8_t *from, size_t size, uint8_t *to) {
    size_t filled = 0;
    for (size_t at = 0; at < size;) {
        size_t step = width(from + at, size - at);
        if (step == 1) {
            to[filled++] = from[at++];
            continue;
        }
        uint32_t code = decode(from + at, step), letter = st_without_marks(code);
        if (letter == code) {
            for (size_t i = 0; i < step; i++) to[filled++] = from[at + i];
        } else if (letter != 0) {
            filled += st_code_put(letter, to + filled);
        }
        at += step;
    }
    return filled;
}

bool st_text_fold(strata_bytes value, uint32_t options, st_buffer *out) {
    out->size = 0;
    if (value.size == 0) return true;
    if (!st_buffer_reserve(out, value.size)) return false;
    const uint8_t *from = value.data;
    size_t size = value.size;
    if ((options & STRATA_DIACRITIC_INSENSITIVE) != 0) {
        size = strip(from, size, out->data);
        from = out->data;
    }
    if ((options & STRATA_CASE_INSENSITIVE) != 0) st_fold(from, size, out->data);
    else if (from != out->data) memcpy(out->data, from, size);
    out->size = size;
    return true;
}

/* ---- Patterns --------------------------------------------------------- */

/* What follows a star is tried at one place of the value after the other. Once a further star is reached, earlier ones
 * need not be looked at again: whatever they could give away, the later one takes. */
bool st_like(strata_bytes pattern, strata_bytes value, bool code_points) {
    const uint8_t *p = pattern.data, *v = value.data;
    size_t at = 0, in = 0, star = SIZE_MAX, resume = 0;
    while (in < value.size) {
        if (at < pattern.size && p[at] == '*') {
            star = ++at;
            resume = in;
        } else if (at < pattern.size && p[at] == '?') {
            in += code_points ? width(v + in, value.size - in) : 1;
            at++;
        } else if (at < pattern.size && p[at] == v[in]) {
            in++;
            at++;
        } else if (star != SIZE_MAX) {
            at = star;
            resume += code_points ? width(v + resume, value.size - resume) : 1;
            in = resume;
        } else {
            return false;
        }
    }
    while (at < pattern.size && p[at] == '*') at++;
    return at == pattern.size;
}
