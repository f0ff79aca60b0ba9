/* SPDX-License-Identifier: MIT
 * text.c -- strings compared without case or marks, searches, and patterns. */
#include "text/text.h"

#include "text/code_point.h"
#include "text/find.h"
#include "text/like.h"
#include "text/text_marks.h"

/* ---- Code points ------------------------------------------------------ */

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
        size_t step = st_code_size(from + at, size - at);
        if (step == 1) {
            to[filled++] = from[at++];
            continue;
        }
        uint32_t code = st_code_get(from + at, step), letter = st_without_marks(code);
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

/* ---- Searches --------------------------------------------------------- */

bool st_search(strata_operator op, strata_bytes value, strata_bytes operand, bool code_points) {
    const uint8_t *p = value.data;
    if (op == STRATA_LIKE) return st_like(operand, value, code_points);
    if (operand.size == 0 || operand.size > value.size) return false;
    if (op == STRATA_BEGINS_WITH) return memcmp(p, operand.data, operand.size) == 0;
    if (op == STRATA_ENDS_WITH) return memcmp(p + value.size - operand.size, operand.data, operand.size) == 0;
    return st_find_bytes(p, value.size, operand) != NULL;
}
