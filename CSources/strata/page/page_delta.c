/* SPDX-License-Identifier: MIT
 * page_delta.c -- the bytes of a page as what those of another one have of them, and what is new.
 *
 * What is the same in both is looked for where the last piece ends, and in the same place. If that finds nothing for some
 * bytes, it is looked for wherever the other page has the same eight bytes: it is known where those stand that begin at
 * every sixteenth byte, and more and more of the page is passed over while nothing is found. Nothing is looked for
 * in the first bytes, where the number of the page stands. */
#include "page/page_delta.h"

#include <string.h>

#include "base/bits.h"

enum { PIECE = 6, WORD = 8, LINE = 64, HEADER = 16, STRIDE = 16 };
enum { LEAST = 12, LONG = 32 }; /* bytes that are worth a piece, and those that are not the same by chance */
enum { PATIENCE = 16 };         /* bytes that are looked at before the other page is searched */
enum { SLOT_BITS = 9, SLOTS = 1 << SLOT_BITS };

typedef struct delta_maker {
    const uint8_t *other, *page;
    size_t other_size, size;
    uint8_t *out;
    size_t used, most;
    bool indexed;
    uint16_t places[SLOTS]; /* by hash: where the other page has eight bytes; 0: there are none */
} delta_maker;

/* Written so that compilers compare the bytes of a line at once. */
static bool same_line(const uint8_t *a, const uint8_t *b) {
    uint64_t differing = 0;
    for (size_t i = 0; i < LINE; i += WORD) differing |= strata_load64(a + i) ^ strata_load64(b + i);
    return differing == 0;
}

/* How many bytes two pages have in common from two places on. */
static size_t common(const delta_maker *m, size_t from, size_t at) {
    const uint8_t *other = m->other + from, *page = m->page + at;
    size_t left = m->other_size - from, most = m->size - at, count = 0;
    if (most > left) most = left;
    while (count + LINE <= most && same_line(other + count, page + count)) count += LINE;
    while (count + WORD <= most) {
        uint64_t differing = strata_load64(other + count) ^ strata_load64(page + count);
        if (differing != 0) return count + (size_t)__builtin_ctzll(differing) / 8;
        count += WORD;
    }
    while (count < most && other[count] == page[count]) count++;
    return count;
}

static size_t slot_of(uint64_t word) { return (size_t)(word * UINT64_C(0x9E3779B97F4A7C15) >> (64 - SLOT_BITS)); }

static void index_other(delta_maker *m) {
    memset(m->places, 0, sizeof m->places);
    for (size_t at = STRIDE; at + WORD <= m->other_size; at += STRIDE)
        m->places[slot_of(strata_load64(m->other + at))] = (uint16_t)at;
    m->indexed = true;
}

/* Where the other page goes on like the page at `at`, and for how many bytes. */
typedef struct match {
    size_t from, count;
} match;

static match longer(const delta_maker *m, match best, size_t from, size_t at) {
    size_t count = common(m, from, at);
    return count > best.count ? (match){ from, count } : best;
}

static inline bool has_word(const delta_maker *m, size_t from, uint64_t word) {
    return from + WORD <= m->other_size && strata_load64(m->other + from) == word;
}

static inline size_t search(delta_maker *m, uint64_t word) {
    if (!m->indexed) index_other(m);
    return m->places[slot_of(word)];
}

static inline match find(delta_maker *m, size_t at, size_t expected, size_t passed) {
    const uint64_t word = strata_load64(m->page + at);
    match best = { 0, 0 };
    if (has_word(m, expected, word)) best = longer(m, best, expected, at);
    if (best.count < LONG && expected != at && has_word(m, at, word)) best = longer(m, best, at, at);
    if (best.count >= LONG || passed < PATIENCE) return best;
    size_t place = search(m, word);
    return place != 0 && has_word(m, place, word) ? longer(m, best, place, at) : best;
}

/* How many bytes are passed over after so many that are new; reach_back() takes those of them that are the same after
 * all. Where the other page is searched the number is odd, because its places are even. */
static size_t step(size_t passed) { return passed < PATIENCE ? 4 : 5 + (passed / 32 & ~(size_t)1); }

/* What was taken for new may be the same before the match, too. */
static size_t reach_back(const delta_maker *m, match *found, size_t at, size_t first) {
    while (at >= first + WORD && found->from >= WORD &&
           strata_load64(m->other + found->from - WORD) == strata_load64(m->page + at - WORD)) {
        at -= WORD;
        found->from -= WORD;
        found->count += WORD;
    }
    while (at > first && found->from > 0 && m->other[found->from - 1] == m->page[at - 1]) {
        at--;
        found->from--;
        found->count++;
    }
    return at;
}

static bool put(delta_maker *m, match taken, size_t at, size_t fresh) {
    if (m->most - m->used < PIECE + fresh) return false;
    st_store16(m->out + m->used, (uint16_t)taken.from);
    st_store16(m->out + m->used + 2, (uint16_t)taken.count);
    st_store16(m->out + m->used + 4, (uint16_t)fresh);
    memcpy(m->out + m->used + PIECE, m->page + at, fresh);
    m->used += PIECE + fresh;
    return true;
}

/* Pieces that are short follow each other where the bytes are similar, and not the same. */
static size_t least(match taken) { return taken.count > 0 && taken.count < LONG ? LONG : LEAST; }

size_t st_page_delta_make(const uint8_t *other, size_t other_size, const uint8_t *page, size_t size, uint8_t *out,
                          size_t most) {
    delta_maker m; /* `places` stays as it is until it is needed */
    m.other = other, m.other_size = other_size;
    m.page = page, m.size = size;
    m.out = out, m.used = 0, m.most = most;
    m.indexed = false;
    match taken = { 0, 0 };
    size_t at = HEADER, first = 0; /* from `first` on nothing is known to be the same */
    while (at + WORD <= size && at - first <= most) {
        match found = find(&m, at, taken.from + taken.count + (at - first), at - first);
        if (found.count < least(taken)) {
            at += step(at - first);
            continue;
        }
        at = reach_back(&m, &found, at, first);
        if (!put(&m, taken, first, at - first)) return 0;
        taken = found;
        at = first = at + found.count;
    }
    return at - first <= most && put(&m, taken, first, size - first) ? m.used : 0;
}

typedef struct piece {
    size_t from, taken, fresh;
} piece;

static piece read_piece(const uint8_t *delta) {
    return (piece){ strata_load16(delta), strata_load16(delta + 2), strata_load16(delta + 4) };
}

bool st_page_delta_fits(const uint8_t *delta, size_t bytes, size_t size) {
    size_t at = 0, read = 0;
    while (bytes - read >= PIECE) {
        const piece next = read_piece(delta + read);
        read += PIECE;
        if (next.taken + next.fresh > size - at || next.fresh > bytes - read) return false;
        at += next.taken + next.fresh;
        read += next.fresh;
    }
    return read == bytes && at == size;
}

bool st_page_delta_apply(const uint8_t *other, size_t other_size, const uint8_t *delta, uint8_t *page, size_t size) {
    for (size_t at = 0; at < size;) {
        const piece next = read_piece(delta);
        if (next.from + next.taken > other_size) return false;
        memcpy(page + at, other + next.from, next.taken);
        memcpy(page + at + next.taken, delta + PIECE, next.fresh);
        at += next.taken + next.fresh;
        delta += PIECE + next.fresh;
    }
    return true;
}

bool st_page_delta_agrees(const uint8_t *delta, const uint8_t *page, size_t size) {
    for (size_t at = 0; at < size;) {
        const piece next = read_piece(delta);
        if (memcmp(page + at + next.taken, delta + PIECE, next.fresh) != 0) return false;
        at += next.taken + next.fresh;
        delta += PIECE + next.fresh;
    }
    return true;
}
