/* SPDX-License-Identifier: MIT
 * text.c -- strings compared without case or marks, searches, and patterns. */
#include "text/text.h"

#include "text/text_marks.h"

/* ---- Code points ------------------------------------------------------ */

/* The size of the code point at `p`, of which `left` bytes are there. 1 for a byte that belongs to no code point. */
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

/* In UTF-8 the capital Latin-1 letters, from A with grave to thorn, are C3 80 to C3 9E, and each small letter is its
 * capital plus 20 in hexadecimal. C3 97 is the multiplication sign, which is left alone.
 *
 * The text is folded in pieces of a fixed size, so that compilers turn the inner loop into vector instructions. */
void st_fold(const uint8_t *from, size_t size, uint8_t *to) {
    enum { PIECE = 32 };
    uint8_t before[PIECE + 1] = { 0 }; /* a piece, behind the last byte of the piece before it: `to` may be `from` */
    for (size_t at = 0; at < size; at += PIECE) {
        size_t count = size - at < PIECE ? size - at : PIECE;
        uint8_t *piece = before + 1, out[PIECE];
        before[0] = at == 0 ? 0 : before[PIECE];
        if (count == PIECE) memcpy(piece, from + at, PIECE);
        else memcpy(piece, from + at, count);
        for (size_t i = 0; i < PIECE; i++) {
            uint8_t byte = piece[i];
            uint8_t ascii = (uint8_t)((uint8_t)(byte - 'A') < 26);
            uint8_t latin = (uint8_t)((before[i] == 0xC3) & ((uint8_t)(byte - 0x80) < 0x1F) & (byte != 0x97));
            out[i] = (uint8_t)(byte + ((ascii | latin) << 5));
        }
        if (count == PIECE) memcpy(to + at, out, PIECE);
        else memcpy(to + at, out, count);
    }
}

/* Removes marks. A letter is never longer than the same letter with a mark, so that `to` may be `from`. Returns how
 * many bytes are left. */
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

/* What follows a star is tried at one position of the value after the other. Once a further star is reached, the
 * earlier ones need not be tried again: if they matched more, the later star would only have to match less. */
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

/* ---- Searches --------------------------------------------------------- */

/* A candidate is a position where both the first and the last byte of the needle match. Candidates are looked for in
 * pieces, in a loop that compilers turn into vector instructions; only they are compared as a whole. */
const uint8_t *st_find_bytes(const uint8_t *hay, size_t size, strata_bytes needle) {
    enum { PIECE = 64 };
    const uint8_t *wanted = needle.data;
    if (needle.size > size) return NULL;
    size_t positions = size - needle.size + 1, at = 0;
    uint8_t first = wanted[0], last = wanted[needle.size - 1];
    const uint8_t *tail = hay + needle.size - 1;
    while (at < positions) {
        size_t end = positions - at < PIECE ? positions : at + PIECE;
        if (end - at == PIECE) {
            uint8_t any = 0;
            const uint8_t *p = hay + at, *q = tail + at;
            for (size_t i = 0; i < PIECE; i++) any |= (uint8_t)((p[i] == first) & (q[i] == last));
            if (any == 0) {
                at = end;
                continue;
            }
        }
        for (; at < end; at++) {
            if (hay[at] == first && tail[at] == last && memcmp(hay + at, wanted, needle.size) == 0) return hay + at;
        }
    }
    return NULL;
}

bool st_search(strata_operator op, strata_bytes value, strata_bytes operand, bool code_points) {
    const uint8_t *p = value.data;
    if (op == STRATA_LIKE) return st_like(operand, value, code_points);
    if (operand.size == 0 || operand.size > value.size) return false;
    if (op == STRATA_BEGINS_WITH) return memcmp(p, operand.data, operand.size) == 0;
    if (op == STRATA_ENDS_WITH) return memcmp(p + value.size - operand.size, operand.data, operand.size) == 0;
    return st_find_bytes(p, value.size, operand) != NULL;
}
