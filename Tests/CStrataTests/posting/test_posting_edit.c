/* SPDX-License-Identifier: MIT
 * test_posting_edit.c -- a few changes to a posting block, compared with building it anew. */
#include "posting/posting_build.h"
#include "posting/posting_edit.h"
#include "tests.h"

#include <stdlib.h>

enum { LIMIT = 4080, PLACES = 4000, VALUE = 5 };

/* A set of entries: a place is a value and one of the keys that it may have. */
typedef struct model {
    uint32_t keys_per_value; /* 1: every value has one entry */
    uint64_t base, spread;   /* of keys */
    bool there[PLACES];
    uint8_t values[PLACES][VALUE];
} model;

static strata_bytes value_of(model *m, size_t place) {
    size_t number = place / m->keys_per_value;
    uint8_t *value = m->values[number];
    memcpy(value, "ab", 2);
    st_store_big16(value + 2, (uint16_t)number);
    value[4] = 7;
    return (strata_bytes){ value, VALUE };
}

static uint64_t key_of(const model *m, size_t place) {
    return m->base + (place % m->keys_per_value + place / m->keys_per_value % 7) * m->spread;
}

/* Builds a block of all entries; 0 if they need more than one. */
static size_t build(model *m, st_posting_list *list, uint8_t *out) {
    size_t size;
    CHECK(st_posting_list_reserve(list, PLACES, PLACES));
    list->run_count = list->key_count = 0;
    for (size_t place = 0; place < PLACES; place++)
        if (m->there[place]) st_posting_list_add(list, value_of(m, place), key_of(m, place));
    if (list->key_count == 0) return 0;
    st_posting_position start = { 0, 0 }, to = st_posting_fit(list, start, LIMIT, &size);
    if (to.key != list->key_count) return 0;
    st_posting_write(list, start, to, out);
    return size;
}

static void check_same(strata_bytes a, strata_bytes b) {
    st_posting_view x, y;
    CHECK(st_posting_valid(a));
    CHECK(st_posting_open(a, &x) && st_posting_open(b, &y));
    CHECK_EQ(x.entries, y.entries);
    CHECK_EQ(x.runs, y.runs);
    for (uint32_t run = 0; run < x.runs; run++) {
        uint8_t left[VALUE], right[VALUE];
        CHECK_EQ(st_posting_end(&x, run + 1), st_posting_end(&y, run + 1));
        CHECK_EQ(st_posting_value(&x, run, left, VALUE), st_posting_value(&y, run, right, VALUE));
        CHECK(memcmp(left, right, VALUE) == 0);
    }
    for (uint32_t i = 0; i < x.entries; i++) CHECK_EQ(st_posting_key(&x, i), st_posting_key(&y, i));
}

/* Takes places at random, in their order, and makes what is there go and what is not come. */
static uint32_t make_steps(model *m, uint64_t *state, st_posting_step *steps) {
    uint32_t count = 0, wanted = 1 + (uint32_t)(ctest_random(state) % 40);
    size_t place = ctest_random(state) % (PLACES / wanted);
    for (; place < PLACES && count < wanted; place += 1 + ctest_random(state) % (2 * PLACES / wanted)) {
        m->there[place] = !m->there[place];
        steps[count++] = (st_posting_step){ value_of(m, place), key_of(m, place), m->there[place] };
    }
    return count;
}

void test_posting_edit_equals_building(void) {
    static model m;
    static uint8_t block[LIMIT], edited[LIMIT], built[LIMIT];
    static st_posting_step steps[ST_POSTING_STEPS];
    st_posting_list list = { 0 };
    uint64_t state = ctest_seed();
    int done = 0, tried = 0;
    for (int round = 0; round < 2000; round++) {
        m.keys_per_value = round % 3 == 0 ? 1 : 1 + (uint32_t)(ctest_random(&state) % 300);
        m.base = 1 + ctest_random(&state) % 1000;
        m.spread = UINT64_C(1) << ctest_random(&state) % 30;
        uint64_t density = 2 + ctest_random(&state) % 20;
        for (size_t i = 0; i < PLACES; i++) m.there[i] = ctest_random(&state) % density == 0;
        size_t size = build(&m, &list, block), edited_size, built_size;
        if (size == 0) continue;
        tried++;
        st_posting_view view;
        CHECK(st_posting_open((strata_bytes){ block, size }, &view));
        uint32_t count = make_steps(&m, &state, steps);
        bool fits = st_posting_edit(&view, steps, count, round % 2 != 0, LIMIT, edited, &edited_size);
        built_size = build(&m, &list, built);
        if (!fits) continue;
        done++;
        if (built_size != 0) check_same((strata_bytes){ edited, edited_size }, (strata_bytes){ built, built_size });
        else CHECK(st_posting_valid((strata_bytes){ edited, edited_size }));
    }
    CHECK(tried > 500 && done > tried / 4);
    st_posting_list_free(&list);
}

/* What makes a block of another form is left to whoever builds them. */
void test_posting_edit_refuses(void) {
    uint8_t block[64], out[64];
    size_t size;
    st_posting_list list = { 0 };
    CHECK(st_posting_list_reserve(&list, 2, 4));
    st_posting_list_add(&list, (strata_bytes){ "aaaa", 4 }, 7);
    st_posting_list_add(&list, (strata_bytes){ "aaaa", 4 }, 9);
    st_posting_list_add(&list, (strata_bytes){ "aabb", 4 }, 30);
    st_posting_position start = { 0, 0 }, end = { 2, 3 };
    size_t whole = st_posting_size(&list, start, end);
    st_posting_write(&list, start, end, block);
    st_posting_view view;
    CHECK(st_posting_open((strata_bytes){ block, whole }, &view));
    const st_posting_step refused[] = {
        { { "aaaa", 4 }, 7, false },   /* the least key goes */
        { { "aaaa", 4 }, 6, true },    /* it gets less */
        { { "aaaa", 4 }, 300, true },  /* keys get wider */
        { { "aaaa", 4 }, 9, true },    /* is there */
        { { "aaaa", 4 }, 8, false },   /* is not there */
        { { "aaab", 4 }, 9, false },
        { { "aaaa", 4 }, 9, false },   /* no run has two entries then */
        { { "abaa", 4 }, 9, true },    /* values share less */
        { { "aaaaa", 5 }, 9, true },
        { { "aabb", 4 }, 30, false },  /* the last entry goes */
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        CHECK(!st_posting_edit(&view, &refused[i], 1, true, sizeof out, out, &size));
    st_posting_step added[] = { { { "aaaa", 4 }, 8, true }, { { "aaab", 4 }, 9, true } };
    CHECK(!st_posting_edit(&view, added, 2, true, whole, out, &size)); /* no room */
    CHECK(st_posting_edit(&view, added, 2, true, sizeof out, out, &size));
    st_posting_step twice[] = { added[0], { { "aaaa", 4 }, 8, false } };
    CHECK(!st_posting_edit(&view, twice, 2, true, sizeof out, out, &size));
    CHECK(!st_posting_edit(&view, added, 0, true, sizeof out, out, &size)); /* nothing to do */
    st_posting_list_free(&list);
}
