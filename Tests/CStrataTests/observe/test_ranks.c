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

static bool is_below(void *context, uint64_t key) { return key < *(const uint64_t *)context; }

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
            if (!ranks->dense) CHECK_EQ(st_ranks_search(ranks, is_below, &key), at);
        }
        memmove(m->keys + at + 1, m->keys + at, (m->count++ - at) * sizeof *m->keys);
        m->keys[at] = key;
        m->there[key / m->stride] = true;
        CHECK(st_ranks_insert(ranks, at, key));
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
    CHECK(st_ranks_fill(&ranks, m.keys, m.count, any_order));
    CHECK(ranks.dense ? ranks.chunk_count == 0 : ranks.chunk_count > 3);
    CHECK_EQ(ranks.dense, !any_order && stride == 1);
    for (int phase = 0; phase < 8; phase++) { /* up to many chunks, down to none, and so on */
        check_all(&ranks, &m);
        for (int i = 0; i < 6000; i++) change(&ranks, &m, &random, phase % 2 == 0);
    }
    check_all(&ranks, &m);
    st_ranks_free(&ranks);
}

void test_ranks_in_the_order_of_keys(void) { run(false, 1000); }

void test_ranks_as_bits(void) { run(false, 1); }

void test_ranks_in_any_order(void) { run(true, 1); }

/* Keys that lie close together take less than a bit each, and one that lies far away does not take more than others. */
void test_ranks_take_what_the_keys_need(void) {
    enum { MANY = 100000 };
    st_ranks ranks = { 0 };
    uint64_t *keys = malloc(MANY * sizeof *keys), position, *copy = malloc((MANY + 2) * sizeof *copy);
    for (uint64_t i = 0; i < MANY; i++) keys[i] = 1 + 2 * i;
    CHECK(st_ranks_fill(&ranks, keys, MANY, false));
    CHECK(ranks.dense && st_ranks_memory(&ranks) < MANY / 3);
    CHECK(st_ranks_insert(&ranks, 1, 2) && ranks.dense);
    const uint64_t far = UINT64_C(1) << 47;
    CHECK(st_ranks_insert(&ranks, MANY + 1, far) && !ranks.dense);
    CHECK(st_ranks_memory(&ranks) < (MANY + 2) * 2 * sizeof *keys);
    CHECK_EQ(ranks.count, MANY + 2);
    CHECK(st_ranks_find(&ranks, far, &position) && position == MANY + 1);
    st_ranks_copy(&ranks, copy);
    CHECK(copy[0] == 1 && copy[1] == 2 && copy[2] == 3 && copy[MANY] == keys[MANY - 1] && copy[MANY + 1] == far);
    st_ranks_free(&ranks);
    CHECK(st_ranks_fill(&ranks, &far, 1, false) && !ranks.dense); /* from the beginning */
    st_ranks_free(&ranks);
    CHECK(st_ranks_fill(&ranks, keys, 0, false) && st_ranks_insert(&ranks, 0, far));
    CHECK(st_ranks_find(&ranks, far, &position) && position == 0);
    st_ranks_free(&ranks);
    free(keys);
    free(copy);
}

void test_ranks_refuse_what_is_in_no_order(void) {
    const uint64_t twice[] = { 3, 5, 5 }, falling[] = { 3, 9, 5 };
    st_ranks ranks = { 0 };
    CHECK(!st_ranks_fill(&ranks, twice, 3, false));
    st_ranks_free(&ranks);
    memset(&ranks, 0, sizeof ranks);
    CHECK(!st_ranks_fill(&ranks, twice, 3, true));
    st_ranks_free(&ranks);
    memset(&ranks, 0, sizeof ranks);
    CHECK(!st_ranks_fill(&ranks, falling, 3, false));
    st_ranks_free(&ranks);
    memset(&ranks, 0, sizeof ranks);
    CHECK(st_ranks_fill(&ranks, falling, 3, true));
    st_ranks_free(&ranks);
}
