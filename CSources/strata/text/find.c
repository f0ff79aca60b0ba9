/* SPDX-License-Identifier: MIT
 *
 * find.c -- where bytes occur in other bytes.
 *
 * A quick search is good for what people look for. Where it makes no headway, such as in `aaaa...`, two-way string
 * matching (Crochemore and Perrin, 1991) goes on: it never looks at a byte more than a few times.
 */
#include "text/find.h"

/* ---- Two-way matching ------------------------------------------------- */

/* Where the greatest suffix of the needle begins, in the order of bytes or, `reversed`, in the opposite one; and the
 * period of that suffix. */
static size_t greatest_suffix(const uint8_t *needle, size_t size, bool reversed, size_t *period) {
    size_t start = 0, at = 1, same = 0; /* the suffix from `start` agrees with the one from `at` in `same` bytes */
    *period = 1;
    while (at + same < size) {
        uint8_t a = needle[at + same], b = needle[start + same];
        if (a == b) {
            if (++same != *period) continue;
            at += *period;
            same = 0;
        } else if (reversed ? a > b : a < b) {
            at += same + 1;
            same = 0;
            *period = at - start;
        } else {
            start = at++;
            same = 0;
            *period = 1;
        }
    }
    return start;
}

/* A needle cut in two where its local period is that of the whole: no occurrence is missed if the right part is
 * compared first, from left to right, and then the left one. */
typedef struct cut_needle {
    const uint8_t *bytes;
    size_t size;
    size_t cut;       /* the size of the left part */
    size_t period;    /* by how much to go on after the right part was found and the left one was not */
    bool periodic;    /* the needle has that period; then what is known to agree is not compared again */
} cut_needle;

static cut_needle cut(strata_bytes needle) {
    cut_needle out = { .bytes = needle.data, .size = needle.size };
    size_t period, other_period;
    size_t start = greatest_suffix(needle.data, needle.size, false, &period);
    size_t other = greatest_suffix(needle.data, needle.size, true, &other_period);
    out.cut = start > other ? start : other;
    out.period = start > other ? period : other_period;
    out.periodic = memcmp(out.bytes, out.bytes + out.period, out.cut) == 0;
    if (!out.periodic) out.period = (out.cut > out.size - out.cut ? out.cut : out.size - out.cut) + 1;
    return out;
}

static const uint8_t *find_two_way(const uint8_t *hay, size_t size, strata_bytes wanted) {
    cut_needle needle = cut(wanted);
    size_t known = 0; /* so many bytes of the needle are known to agree */
    for (size_t at = 0; at + needle.size <= size;) {
        const uint8_t *p = hay + at;
        size_t i = known > needle.cut ? known : needle.cut;
        while (i < needle.size && needle.bytes[i] == p[i]) i++;
        if (i < needle.size) {
            at += i - needle.cut + 1;
            known = 0;
            continue;
        }
        for (i = needle.cut; i > known && needle.bytes[i - 1] == p[i - 1];) i--;
        if (i <= known) return p;
        at += needle.period;
        known = needle.periodic ? needle.size - needle.period : 0;
    }
    return NULL;
}

/* ---- The quick search ------------------------------------------------- */

enum { SHORT = 64, PATIENCE = 16, HEAD_START = 4096 };

/* A candidate is a position where both the first and the last byte of the needle match. Candidates are looked for in
 * pieces, in a loop that compilers turn into vector instructions; only they are compared as a whole. */
const uint8_t *st_find_bytes(const uint8_t *hay, size_t size, strata_bytes needle) {
    enum { PIECE = 64 };
    const uint8_t *wanted = needle.data;
    if (needle.size > size) return NULL;
    size_t positions = size - needle.size + 1, at = 0, in_vain = 0;
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
            if (hay[at] != first || tail[at] != last) continue;
            if (memcmp(hay + at, wanted, needle.size) == 0) return hay + at;
            if (needle.size > SHORT) in_vain += needle.size; /* at most so many bytes were compared */
        }
        if (in_vain > PATIENCE * at + HEAD_START) return find_two_way(hay + at, size - at, needle);
    }
    return NULL;
}
