/* SPDX-License-Identifier: MIT
 * key_bits.c -- object keys in ascending order, a bit for each. */
#include "observe/key_bits.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 64, WORDS = ST_KEY_BITS_PAGE / WORD };

static unsigned bits_of(uint64_t word) { return (unsigned)__builtin_popcountll(word); }

static uint64_t bit_of(uint64_t key) { return UINT64_C(1) << key % WORD; }

/* The word with the bit of a key; NULL if its page was never made. */
static uint64_t *word_of(const st_key_bits *b, uint64_t key) {
    uint64_t page = key / ST_KEY_BITS_PAGE;
    if (page >= b->page_count || b->pages[page] == NULL) return NULL;
    return &b->pages[page][key % ST_KEY_BITS_PAGE / WORD];
}

void st_key_bits_free(st_key_bits *b) {
    for (size_t i = 0; i < b->page_count; i++) free(b->pages[i]);
    free(b->pages);
    free(b->counts);
    *b = (st_key_bits){ 0 };
}

/* ---- Changing --------------------------------------------------------- */

static bool reserve_pages(st_key_bits *b, uint64_t page) {
    if (page < b->page_count) return true;
    size_t count = (size_t)page + 1 > 2 * b->page_count ? (size_t)page + 1 : 2 * b->page_count;
    uint64_t **pages = realloc(b->pages, count * sizeof *pages);
    if (pages == NULL) return false;
    b->pages = pages;
    uint32_t *counts = realloc(b->counts, count * sizeof *counts);
    if (counts == NULL) return false;
    b->counts = counts;
    size_t more = count - b->page_count;
    memset(pages + b->page_count, 0, more * sizeof *pages);
    memset(counts + b->page_count, 0, more * sizeof *counts);
    b->memory += more * (sizeof *pages + sizeof *counts);
    b->page_count = count;
    return true;
}

static bool make_page(st_key_bits *b, uint64_t page) {
    if (!reserve_pages(b, page)) return false;
    if (b->pages[page] != NULL) return true;
    b->pages[page] = calloc(WORDS, sizeof **b->pages);
    if (b->pages[page] == NULL) return false;
    b->memory += WORDS * sizeof **b->pages;
    return true;
}

bool st_key_bits_fill(st_key_bits *b, const uint64_t *keys, size_t count) {
    for (size_t i = 0; i < count;) {
        uint64_t page = keys[i] / ST_KEY_BITS_PAGE;
        size_t begin = i;
        if (!make_page(b, page)) return false;
        uint64_t *words = b->pages[page];
        for (; i < count && keys[i] / ST_KEY_BITS_PAGE == page; i++) {
            if (i > 0 && keys[i] <= keys[i - 1]) return false;
            words[keys[i] % ST_KEY_BITS_PAGE / WORD] |= bit_of(keys[i]);
        }
        b->counts[page] += (uint32_t)(i - begin);
    }
    b->count = count;
    return true;
}

bool st_key_bits_add(st_key_bits *b, uint64_t key) {
    uint64_t page = key / ST_KEY_BITS_PAGE;
    if (!make_page(b, page)) return false;
    *word_of(b, key) |= bit_of(key);
    b->counts[page]++;
    b->count++;
    return true;
}

void st_key_bits_remove(st_key_bits *b, uint64_t key) {
    *word_of(b, key) &= ~bit_of(key);
    b->counts[key / ST_KEY_BITS_PAGE]--;
    b->count--;
}

/* ---- Finding ---------------------------------------------------------- */

bool st_key_bits_has(const st_key_bits *b, uint64_t key) {
    const uint64_t *word = word_of(b, key);
    return word != NULL && (*word & bit_of(key)) != 0;
}

uint64_t st_key_bits_rank(const st_key_bits *b, uint64_t key) {
    uint64_t page = key / ST_KEY_BITS_PAGE, rank = 0;
    for (size_t i = 0; i < page && i < b->page_count; i++) rank += b->counts[i];
    if (page >= b->page_count || b->pages[page] == NULL) return rank;
    size_t word = key % ST_KEY_BITS_PAGE / WORD;
    for (size_t i = 0; i < word; i++) rank += bits_of(b->pages[page][i]);
    return rank + bits_of(b->pages[page][word] & (bit_of(key) - 1));
}

/* Where the key with a rank stands. */
typedef struct place {
    size_t page, word;
    uint64_t rest; /* of the bits of the word, from that of the key on */
} place;

static place find_rank(const st_key_bits *b, uint64_t rank) {
    place at = { .page = 0 };
    while (rank >= b->counts[at.page]) rank -= b->counts[at.page++];
    while (rank >= bits_of(b->pages[at.page][at.word])) rank -= bits_of(b->pages[at.page][at.word++]);
    at.rest = b->pages[at.page][at.word];
    while (rank-- > 0) at.rest &= at.rest - 1;
    return at;
}

/* The key of the first bit of what is left of a word. */
static uint64_t key_at(const place *at) {
    return (uint64_t)at->page * ST_KEY_BITS_PAGE + at->word * WORD + (unsigned)__builtin_ctzll(at->rest);
}

/* Goes on to the next word with bits, which must exist. */
static void next_word(const st_key_bits *b, place *at) {
    do {
        if (++at->word == WORDS) {
            at->word = 0;
            do at->page++;
            while (b->counts[at->page] == 0);
        }
        at->rest = b->pages[at->page][at->word];
    } while (at->rest == 0);
}

uint64_t st_key_bits_key(const st_key_bits *b, uint64_t rank) {
    const place at = find_rank(b, rank);
    return key_at(&at);
}

void st_key_bits_copy(const st_key_bits *b, uint64_t rank, uint64_t count, uint64_t *out) {
    if (count == 0) return;
    place at = find_rank(b, rank);
    for (uint64_t i = 0; i < count; i++) {
        if (at.rest == 0) next_word(b, &at);
        out[i] = key_at(&at);
        at.rest &= at.rest - 1;
    }
}
