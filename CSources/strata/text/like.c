/* SPDX-License-Identifier: MIT
 *
 * like.c -- patterns.
 *
 * What follows a star is tried at one position of the value after the other. Once a further star is reached, the
 * earlier ones need not be tried again: if they matched more, the later star would only have to match less. So the
 * first occurrence of each segment is looked for behind that of the one before, and the last segment at the end.
 *
 * Where trying one position after the other makes no headway, each segment is searched for as a whole: one without `?`
 * as bytes, one with `?` by a machine that has all beginnings of the segment in view at a time, a bit for each.
 */
#include "text/like.h"

#include <stdlib.h>

#include "base/sort.h"
#include "text/code_point.h"
#include "text/find.h"

/* A value being matched. */
typedef struct like_value {
    const uint8_t *bytes;
    size_t size;
    bool code_points;
} like_value;

typedef enum like_answer { LIKE_NO, LIKE_YES, LIKE_NO_MEMORY } like_answer;

static size_t size_at(const like_value *v, size_t at) {
    return v->code_points ? st_code_size(v->bytes + at, v->size - at) : 1;
}

/* ---- Segments --------------------------------------------------------- */

static strata_bytes segment_at(strata_bytes pattern, size_t at) {
    const uint8_t *p = (const uint8_t *)pattern.data + at;
    const uint8_t *star = at == pattern.size ? NULL : memchr(p, '*', pattern.size - at);
    return (strata_bytes){ p, star == NULL ? pattern.size - at : (size_t)(star - p) };
}

static bool has_question_mark(strata_bytes segment) {
    return segment.size != 0 && memchr(segment.data, '?', segment.size) != NULL;
}

bool st_like_fits(strata_bytes pattern) {
    for (size_t at = 0; at < pattern.size; at++) {
        strata_bytes segment = segment_at(pattern, at);
        if (segment.size > STRATA_MAX_SEGMENT && has_question_mark(segment)) return false;
        at += segment.size;
    }
    return true;
}

/* The characters of a segment or a value as numbers; a byte that belongs to no code point has one that no code point
 * has. */
enum { STRAY = 0x110000 };
static uint32_t unit_at(const uint8_t *p, size_t left, bool code_points, size_t *size) {
    *size = code_points ? st_code_size(p, left) : 1;
    if (*size > 1) return st_code_get(p, *size);
    return p[0] < 0x80 || !code_points ? p[0] : STRAY + (uint32_t)p[0];
}

/* ---- Segments with question marks ------------------------------------- */

/* Bit number i of a set says that the first i + 1 units of the segment end here. The row of a unit has the positions in
 * the segment where it may stand. */
typedef struct machine {
    size_t units, words;
    uint32_t *known;  /* the units of the segment other than `?`, ascending */
    size_t known_count;
    uint64_t *rows;   /* of the known units, and behind them of all others */
    uint64_t *ends;
} machine;

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The row of a unit. */
static uint64_t *row_of(const machine *m, uint32_t unit) {
    size_t low = 0, high = m->known_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (m->known[middle] < unit) low = middle + 1;
        else high = middle;
    }
    bool found = low < m->known_count && m->known[low] == unit;
    return m->rows + m->words * (found ? low : m->known_count);
}

static void machine_free(machine *m) {
    free(m->known);
    free(m->rows);
}

static void set_bit(uint64_t *row, size_t bit) { row[bit / 64] |= UINT64_C(1) << bit % 64; }

static bool machine_make(strata_bytes segment, bool code_points, machine *m) {
    const uint8_t *p = segment.data;
    *m = (machine){ .known = malloc(segment.size * sizeof *m->known) };
    if (m->known == NULL) return false;
    for (size_t at = 0, size; at < segment.size; at += size, m->units++) {
        uint32_t unit = unit_at(p + at, segment.size - at, code_points, &size);
        if (unit != '?') m->known[m->known_count++] = unit;
    }
    st_sort_array(m->known, m->known_count, sizeof *m->known, by_number);
    m->words = (m->units + 63) / 64;
    m->rows = calloc((m->known_count + 2) * m->words, sizeof *m->rows);
    if (m->rows == NULL) return false;
    m->ends = m->rows + (m->known_count + 1) * m->words;
    size_t number = 0;
    for (size_t at = 0, size; at < segment.size; at += size, number++) {
        uint32_t unit = unit_at(p + at, segment.size - at, code_points, &size);
        if (unit != '?') set_bit(row_of(m, unit), number);
        for (size_t i = 0; i <= m->known_count && unit == '?'; i++) set_bit(m->rows + i * m->words, number);
    }
    return true;
}

/* Takes one unit of the value. True if the segment ends with it. */
static bool machine_take(machine *m, uint32_t unit) {
    const uint64_t *row = row_of(m, unit);
    for (size_t i = m->words; i-- > 1;) m->ends[i] = (m->ends[i] << 1 | m->ends[i - 1] >> 63) & row[i];
    m->ends[0] = (m->ends[0] << 1 | 1) & row[0];
    return (m->ends[(m->units - 1) / 64] >> (m->units - 1) % 64 & 1) != 0;
}

/* Finds the first occurrence of a segment from `*at` on, and goes behind it. */
static like_answer find_with_question_marks(const like_value *v, strata_bytes segment, size_t *at) {
    machine m;
    like_answer answer = LIKE_NO;
    if (!machine_make(segment, v->code_points, &m)) answer = LIKE_NO_MEMORY;
    for (size_t size; answer == LIKE_NO && *at < v->size; *at += size) {
        if (machine_take(&m, unit_at(v->bytes + *at, v->size - *at, v->code_points, &size))) answer = LIKE_YES;
    }
    machine_free(&m);
    return answer;
}

/* ---- Segment by segment ----------------------------------------------- */

static like_answer find_segment(const like_value *v, strata_bytes segment, size_t *at) {
    if (segment.size == 0) return LIKE_YES;
    if (has_question_mark(segment)) return find_with_question_marks(v, segment, at);
    const uint8_t *found = *at > v->size ? NULL : st_find_bytes(v->bytes + *at, v->size - *at, segment);
    if (found == NULL) return LIKE_NO;
    *at = (size_t)(found - v->bytes) + segment.size;
    return LIKE_YES;
}

/* Does the value end with the segment, which begins at `from` or behind it? */
static bool ends_with(const like_value *v, strata_bytes segment, size_t from) {
    const uint8_t *p = segment.data;
    size_t end = v->size;
    for (size_t left = segment.size; left != 0;) {
        if (end == from) return false;
        if (p[left - 1] == '?') {
            end -= v->code_points ? st_code_size_before(v->bytes + end, end - from) : 1;
        } else if (p[left - 1] == v->bytes[end - 1]) {
            end--;
        } else {
            return false;
        }
        left--;
    }
    return true;
}

/* Matches what stands behind a star with the value from `in` on. */
static like_answer match_segments(strata_bytes pattern, size_t at, const like_value *v, size_t in) {
    for (;;) {
        strata_bytes segment = segment_at(pattern, at);
        if (at + segment.size == pattern.size) return ends_with(v, segment, in) ? LIKE_YES : LIKE_NO;
        like_answer answer = find_segment(v, segment, &in);
        if (answer != LIKE_YES) return answer;
        at += segment.size + 1;
    }
}

/* ---- Position by position --------------------------------------------- */

enum { PATIENCE = 16, HEAD_START = 4096 };

bool st_like(strata_bytes pattern, strata_bytes value, bool code_points) {
    like_value v = { value.data, value.size, code_points };
    const uint8_t *p = pattern.data;
    size_t at = 0, in = 0, star = SIZE_MAX, resume = 0, left = PATIENCE * value.size + HEAD_START;
    while (in < value.size) {
        if (at < pattern.size && p[at] == '*') {
            star = ++at;
            resume = in;
        } else if (at < pattern.size && p[at] == '?') {
            in += size_at(&v, in);
            at++;
        } else if (at < pattern.size && p[at] == v.bytes[in]) {
            in++;
            at++;
        } else if (star != SIZE_MAX) {
            if (left < in - resume) {
                like_answer answer = match_segments(pattern, star, &v, resume);
                if (answer != LIKE_NO_MEMORY) return answer == LIKE_YES;
                left = SIZE_MAX; /* slow, but needs no memory */
            }
            left -= in - resume;
            at = star;
            resume += size_at(&v, resume);
            in = resume;
        } else {
            return false;
        }
    }
    while (at < pattern.size && p[at] == '*') at++;
    return at == pattern.size;
}
