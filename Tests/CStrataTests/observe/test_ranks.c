/* SPDX-License-Identifier: MIT
 * test_ranks.c -- ranks do what a plain array does, in both orders. */
#include "observe/ranks.h"

#include <string.h>

#include "tests.h"

enum { KEYS = 6000 };

typedef struct model {
    uint64_t keys[KEYS]; /* in their order */
    size_t count;
    bool there[KEYS + 1];
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
        if (!m->there[key]) CHECK(!st_ranks_find(ranks, key, &position) && position == 7);
    }
}

static void change(st_ranks *ranks, model *m, uint64_t *random, bool grows) {
    uint64_t key = 1 + ctest_random(random) % KEYS;
    if (m->count > 0 && (ctest_random(random) % 4 == 0) == grows) {
        size_t at = ctest_random(random) % m->count;
        m->there[m->keys[at]] = false;
        memmove(m->keys + at, m->keys + at + 1, (--m->count - at) * sizeof *m->keys);
        st_ranks_remove(ranks, at);
    } else if (!m->there[key]) {
        size_t at = ranks->any_order ? ctest_random(random) % (m->count + 1) : bound(m, key);
        if (!ranks->any_order) {
            CHECK_EQ(st_ranks_bound(ranks, key), at);
            CHECK_EQ(st_ranks_search(ranks, is_below, &key), at);
        }
        memmove(m->keys + at + 1, m->keys + at, (m->count++ - at) * sizeof *m->keys);
        m->keys[at] = key;
        m->there[key] = true;
        CHECK(st_ranks_insert(ranks, at, key));
    }
}

static void run(bool any_order) {
    uint64_t random = ctest_seed();
    static model m;
    memset(&m, 0, sizeof m);
    for (uint64_t key = 1; key <= KEYS; key += 2) {
        m.keys[m.count++] = any_order ? KEYS - key : key;
        m.there[m.keys[m.count - 1]] = true;
    }
    st_ranks ranks = { 0 };
    CHECK(st_ranks_fill(&ranks, m.keys, m.count, any_order));
    CHECK(ranks.chunk_count > 3);
    for (int phase = 0; phase < 8; phase++) { /* up to many chunks, down to none, and so on */
        check_all(&ranks, &m);
        for (int i = 0; i < 6000; i++) change(&ranks, &m, &random, phase % 2 == 0);
    }
    check_all(&ranks, &m);
    st_ranks_free(&ranks);
}

void test_ranks_in_the_order_of_keys(void) { run(false); }

void test_ranks_in_any_order(void) { run(true); }

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
