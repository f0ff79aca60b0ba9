/* SPDX-License-Identifier: MIT
 * test_ranks.c -- ranks do what a plain array does, in both orders, as bits and in chunks. */
#include "observe/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "tests.h"

enum { KEYS = 6000 };

typedef struct model {
    uint64_t keys[KEYS]; /* in their order */
    size_t count;
    uint64_t stride; /* between possible keys */
    bool there[KEYS + 1]; /* by key / stride */
} model;

static size_t bound(const model *m, uint64_t key) {
    size_t at = 0;
    while (at < m->count && m->keys[at] < key) at++;
    return at;
}

static void check_all(const st_ranks *ranks, const model *m) {
    CHECK_EQ(ranks->count, m->count);
    for (size_t i = 0; i < m->count; i++) {
        uint64_t position = UINT64_MAX;
        CHECK_EQ(st_ranks_key(ranks, i), m->keys[i]);
        CHECK(st_ranks_find(ranks, m->keys[i], &position));
        CHECK_EQ(position, i);
    }
    for (uint64_t key = 1; key <= KEYS; key++) {
        uint64_t position = 7;
        if (!m->there[key]) CHECK(!st_ranks_find(ranks, key * m->stride, &position) && position == 7);
    }
}

static void check_part(const st_ranks *ranks, const model *m, uint64_t *random) {
    size_t from = ctest_random(random) % (m->count + 1), count = ctest_random(random) % (m->count - from + 1);
    uint64_t *part = malloc((count + 1) * sizeof *part);
    st_ranks_copy(ranks, from, count, part);
    for (size_t i = 0; i < count; i++) CHECK_EQ(part[i], m->keys[from + i]);
    free(part);
}

static void change(st_ranks *ranks, model *m, uint64_t *random, bool grows) {
    uint64_t key = (1 + ctest_random(random) % KEYS) * m->stride;
    if (m->count > 0 && (ctest_random(random) % 4 == 0) == grows) {
        size_t at = ctest_random(random) % m->count;
        m->there[m->keys[at] / m->stride] = false;
        memmove(m->keys + at, m->keys + at + 1, (--m->count - at) * sizeof *m->keys);
        st_ranks_remove(ranks, at);
    } else if (!m->there[key / m->stride]) {
        size_t at = ranks->any_order ? ctest_random(random) % (m->count + 1) : bound(m, key);
        if (!ranks->any_order) {
            CHECK_EQ(st_ranks_bound(ranks, key), at);
        }
        memmove(m->keys + at + 1, m->keys + at, (m->count++ - at) * sizeof *m->keys);
        m->keys[at] = key;
        m->there[key / m->stride] = true;
        CHECK(st_ranks_insert(ranks, at, key, NULL));
    }
}

static void run(bool any_order, uint64_t stride) {
    uint64_t random = ctest_seed();
    static model m;
    memset(&m, 0, sizeof m);
    m.stride = stride;
    for (uint64_t key = 1; key <= KEYS; key += 2) {
        uint64_t number = any_order ? KEYS - key : key;
        m.keys[m.count++] = number * stride;
        m.there[number] = true;
    }
    st_ranks ranks = { 0 };
    CHECK(st_ranks_fill(&ranks, m.keys, NULL, m.count, any_order));
    CHECK(ranks.dense ? ranks.chunk_count == 0 : ranks.chunk_count > 3);
    CHECK_EQ(ranks.dense, !any_order && stride == 1);
    for (int phase = 0; phase < 8; phase++) { /* up to many chunks, down to none, and so on */
        check_all(&ranks, &m);
        for (int i = 0; i < 6000; i++) {
            change(&ranks, &m, &random, phase % 2 == 0);
            if (i % 16 == 0) check_part(&ranks, &m, &random);
        }
    }
    check_all(&ranks, &m);
    st_ranks_free(&ranks);
}

void test_ranks_in_the_order_of_keys(void) { run(false, 1000); }

void test_ranks_as_bits(void) { run(false, 1); }

void test_ranks_in_any_order(void) { run(true, 1); }

/* ---- Words ------------------------------------------------------------ */

/* An order by value, and then by key; some keys have equal values, and some values equal words. */
typedef struct valued {
    uint64_t values[KEYS + 1];
    uint64_t wanted;
    unsigned compared, read; /* keys */
} valued;

static bool value_is_before(const valued *v, uint64_t a, uint64_t b) {
    return v->values[a] != v->values[b] ? v->values[a] < v->values[b] : a < b;
}

static bool is_before(void *context, uint64_t key) {
    valued *v = context;
    v->compared++;
    return value_is_before(v, key, v->wanted);
}

static bool read_word(void *context, uint64_t key, uint64_t *out) {
    valued *v = context;
    v->read++;
    *out = v->values[key] / 4;
    return true;
}

static uint64_t search(st_ranks *ranks, valued *v, uint64_t key) {
    v->wanted = key;
    v->compared = v->read = 0;
    return st_ranks_search(ranks, &(st_rank_search){ is_before, read_word, v->values[key] / 4, v });
}

static void sort_by_value(const valued *v, uint64_t *keys, size_t count) {
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && value_is_before(v, keys[j], keys[j - 1]); j--) {
            uint64_t key = keys[j];
            keys[j] = keys[j - 1];
            keys[j - 1] = key;
        }
}

/* Which words are known before a search. */
typedef enum known_words { NO_WORDS, WORDS_OF_CHUNKS, WORDS_OF_KEYS, WORDS_OF_SOME } known_words;

static uint64_t word_of_key(const valued *v, uint64_t key) { return v->values[key] / 4; }

static void fill(st_ranks *ranks, valued *v, const uint64_t *keys, size_t count, known_words known) {
    uint64_t *words = malloc(count * sizeof *words);
    for (size_t i = 0; i < count; i++) words[i] = word_of_key(v, keys[i]);
    CHECK(st_ranks_fill(ranks, keys, known >= WORDS_OF_KEYS ? words : NULL, count, true));
    free(words);
    v->read = 0;
    if (known != NO_WORDS) st_ranks_read_words(ranks, &(st_rank_search){ is_before, read_word, 0, v });
    CHECK_EQ(v->read, known == WORDS_OF_CHUNKS ? ranks->chunk_count : 0);
}

/* Keys get other values, again and again, and are found where a search through all of them finds them. The first keys
 * of chunks go, too, and come anew before them. `values` is how many different ones there are. */
static void search_by_words(uint64_t values, known_words known) {
    enum { SOME = 3000, STEPS = 6000 };
    static valued v;
    static uint64_t keys[SOME];
    uint64_t random = ctest_seed(), reads = 0, compared = 0;
    st_ranks ranks = { 0 };
    for (uint64_t key = 1; key <= SOME; key++) {
        v.values[key] = ctest_random(&random) % values;
        keys[key - 1] = key;
    }
    sort_by_value(&v, keys, SOME);
    fill(&ranks, &v, keys, SOME, known);
    for (int i = 0; i < STEPS; i++) {
        uint64_t key = 1 + ctest_random(&random) % SOME, position = 0;
        CHECK(st_ranks_find(&ranks, key, &position));
        CHECK_EQ(st_ranks_key(&ranks, position), key);
        st_ranks_remove(&ranks, position);
        v.values[key] = ctest_random(&random) % (i % 3 == 0 ? 1 + values / 8 : values); /* many at the beginning */
        position = search(&ranks, &v, key);
        reads += v.read;
        compared += v.compared;
        if (values > 1000) CHECK(v.compared <= 12); /* a chunk has 64 keys; few words are alike */
        CHECK(position == 0 || value_is_before(&v, st_ranks_key(&ranks, position - 1), key));
        CHECK(position == ranks.count || value_is_before(&v, key, st_ranks_key(&ranks, position)));
        uint64_t word = word_of_key(&v, key);
        bool told = known == WORDS_OF_KEYS || (known == WORDS_OF_SOME && i % 64 != 0);
        CHECK(st_ranks_insert(&ranks, position, key, told ? &word : NULL));
    }
    st_ranks_copy(&ranks, 0, SOME, keys);
    for (size_t i = 1; i < SOME; i++) CHECK(value_is_before(&v, keys[i - 1], keys[i]));
    if (known == WORDS_OF_KEYS) CHECK_EQ(reads, 0);
    else CHECK(reads < STEPS / 2); /* a word is read again only where a key came first in a chunk */
    if (known == WORDS_OF_KEYS && values > 1000) CHECK(compared < STEPS / 10); /* only where words are equal */
    st_ranks_free(&ranks);
}

void test_ranks_are_searched_by_words(void) {
    for (known_words known = NO_WORDS; known <= WORDS_OF_SOME; known++) {
        search_by_words(1000000, known);
        search_by_words(40, known); /* the same word in many chunks */
        search_by_words(1, known);
    }
}

/* Keys that lie close together take less than a bit each, and one that lies far away does not take more than others. */
void test_ranks_take_what_the_keys_need(void) {
    enum { MANY = 100000 };
    st_ranks ranks = { 0 };
    uint64_t *keys = malloc(MANY * sizeof *keys), position, *copy = malloc((MANY + 2) * sizeof *copy);
    for (uint64_t i = 0; i < MANY; i++) keys[i] = 1 + 2 * i;
    CHECK(st_ranks_fill(&ranks, keys, NULL, MANY, false));
    CHECK(ranks.dense && st_ranks_memory(&ranks) < MANY / 3);
    CHECK(st_ranks_insert(&ranks, 1, 2, NULL) && ranks.dense);
    const uint64_t far = UINT64_C(1) << 47;
    CHECK(st_ranks_insert(&ranks, MANY + 1, far, NULL) && !ranks.dense);
    CHECK(st_ranks_memory(&ranks) < (MANY + 2) * 2 * sizeof *keys);
    CHECK_EQ(ranks.count, MANY + 2);
    CHECK(st_ranks_find(&ranks, far, &position) && position == MANY + 1);
    st_ranks_copy(&ranks, 0, MANY + 2, copy);
    CHECK(copy[0] == 1 && copy[1] == 2 && copy[2] == 3 && copy[MANY] == keys[MANY - 1] && copy[MANY + 1] == far);
    st_ranks_free(&ranks);
    CHECK(st_ranks_fill(&ranks, &far, NULL, 1, false) && !ranks.dense); /* from the beginning */
    st_ranks_free(&ranks);
    CHECK(st_ranks_fill(&ranks, keys, NULL, 0, false) && st_ranks_insert(&ranks, 0, far, NULL));
    CHECK(st_ranks_find(&ranks, far, &position) && position == 0);
    st_ranks_free(&ranks);
    free(keys);
    free(copy);
}

void test_ranks_refuse_what_is_in_no_order(void) {
    const uint64_t twice[] = { 3, 5, 5 }, falling[] = { 3, 9, 5 };
    st_ranks ranks = { 0 };
    CHECK(!st_ranks_fill(&ranks, twice, NULL, 3, false));
    st_ranks_free(&ranks);
    memset(&ranks, 0, sizeof ranks);
    CHECK(!st_ranks_fill(&ranks, twice, NULL, 3, true));
    st_ranks_free(&ranks);
    memset(&ranks, 0, sizeof ranks);
    CHECK(!st_ranks_fill(&ranks, falling, NULL, 3, false));
    st_ranks_free(&ranks);
    memset(&ranks, 0, sizeof ranks);
    CHECK(st_ranks_fill(&ranks, falling, NULL, 3, true));
    st_ranks_free(&ranks);
}
