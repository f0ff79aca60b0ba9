/* SPDX-License-Identifier: MIT
 * test_posting_slice.c -- slices of posting blocks, compared with building them anew. */
#include "posting/posting_build.h"
#include "posting/posting_slice.h"
#include "tests.h"

#include <stdlib.h>

enum { LIMIT = 5000, MOST = 3000, VALUE = 12 };

typedef struct entries {
    uint8_t values[MOST][VALUE];
    strata_bytes value[MOST];
    uint64_t key[MOST];
    uint32_t count, width;
} entries;

/* Entries in order: values of some width that begin alike, some of them with many keys, and keys that are more or less
 * far from each other; now and then copies. */
static void make(entries *e, uint64_t *state) {
    uint32_t number = 0, most = 2 + (uint32_t)(ctest_random(state) % (MOST - 2));
    uint32_t same = (uint32_t)(ctest_random(state) % 3 == 0 ? 1 + ctest_random(state) % 400 : 1);
    uint64_t step = UINT64_C(1) << ctest_random(state) % 24, key = 0, base = ctest_random(state) % 100000;
    bool copies = ctest_random(state) % 4 == 0;
    e->width = 3 + (uint32_t)(ctest_random(state) % (VALUE - 2));
    for (e->count = 0; e->count < most; e->count++) {
        if (e->count == 0 || ctest_random(state) % same == 0) {
            number += 1 + (uint32_t)(ctest_random(state) % 300);
            key = base + ctest_random(state) % step;
        } else if (!copies || ctest_random(state) % 3 != 0) {
            key += 1 + ctest_random(state) % step;
        }
        uint8_t *value = e->values[e->count];
        memset(value, 0x40, VALUE);
        value[e->width - 3] = (uint8_t)(number >> 16), value[e->width - 2] = (uint8_t)(number >> 8);
        value[e->width - 1] = (uint8_t)number;
        e->value[e->count] = (strata_bytes){ value, e->width };
        e->key[e->count] = key;
    }
}

/* Builds a block of some entries; 0 if they need more than one. `*out_end` is the entry after the block. */
static size_t build(const entries *e, uint32_t from, uint32_t to, uint8_t *out, uint32_t *out_end) {
    st_posting_list list = { 0 };
    st_posting_position start = { 0, 0 };
    size_t size;
    CHECK(st_posting_list_reserve(&list, MOST, MOST));
    for (uint32_t i = from; i < to; i++) st_posting_list_add(&list, e->value[i], e->key[i]);
    st_posting_position end = st_posting_fit(&list, start, LIMIT, &size);
    CHECK(size <= LIMIT);
    st_posting_write(&list, start, end, out);
    *out_end = from + (uint32_t)end.key;
    st_posting_list_free(&list);
    return size;
}

static void check_slice(const entries *e, const st_posting_view *view, uint32_t from, uint32_t to) {
    static uint8_t slice[2 * LIMIT], built[LIMIT];
    uint32_t end;
    size_t most = st_posting_slice_size(view, from, to), size;
    CHECK(most <= sizeof slice);
    memset(slice, 0xEE, sizeof slice);
    size = st_posting_slice(view, from, to, slice);
    CHECK(size <= most);
    for (size_t i = most; i < sizeof slice; i++) CHECK(slice[i] == 0xEE);
    size_t wanted = build(e, from, to, built, &end);
    CHECK_EQ(end, to);
    if (built[7] == 0) { /* copies of one entry */
        CHECK_EQ(size, 0);
        return;
    }
    CHECK_EQ(size, wanted);
    CHECK(memcmp(slice, built, size) == 0);
    CHECK(st_posting_valid((strata_bytes){ slice, size }));
}

void test_posting_slice_equals_building(void) {
    static entries e;
    static uint8_t block[LIMIT];
    uint64_t state = ctest_seed();
    int cut = 0, with_ends = 0;
    for (int round = 0; round < 1500; round++) {
        uint32_t end;
        st_posting_view view;
        make(&e, &state);
        size_t size = build(&e, 0, e.count, block, &end);
        if (block[7] == 0) continue;
        CHECK(st_posting_open((strata_bytes){ block, size }, &view));
        CHECK_EQ(view.entries, end);
        with_ends += view.ends != NULL;
        uint32_t from = (uint32_t)(ctest_random(&state) % end);
        uint32_t to = from + 1 + (uint32_t)(ctest_random(&state) % (end - from));
        check_slice(&e, &view, from, to);
        check_slice(&e, &view, 0, end);
        uint32_t middle = st_posting_middle(&view);
        if (middle == 0) continue;
        cut++;
        check_slice(&e, &view, 0, middle);
        check_slice(&e, &view, middle, end);
        bool same = st_compare(e.value[middle - 1], e.value[middle]) == 0 && e.key[middle - 1] == e.key[middle];
        CHECK(!same);
    }
    CHECK(cut > 1000);
    CHECK(with_ends > 200);
}

void test_posting_middle_is_in_the_middle(void) {
    static entries e;
    static uint8_t block[LIMIT], slice[LIMIT];
    st_posting_view view;
    uint32_t end;
    /* A run of many entries, then many runs of one: the middle is that of the bytes. */
    for (e.count = 0; e.count < 600; e.count++) {
        memset(e.values[e.count], 0, VALUE);
        e.values[e.count][7] = (uint8_t)(e.count < 400 ? 0 : e.count - 400 + 1);
        e.value[e.count] = (strata_bytes){ e.values[e.count], 8 };
        e.key[e.count] = e.count;
    }
    size_t size = build(&e, 0, e.count, block, &end);
    CHECK_EQ(end, e.count);
    CHECK(st_posting_open((strata_bytes){ block, size }, &view));
    uint32_t middle = st_posting_middle(&view);
    size_t left = st_posting_slice_size(&view, 0, middle), right = st_posting_slice_size(&view, middle, end);
    CHECK(left <= right && right - left < 100);
    /* Entries that are all alike but the last one cannot be divided before that place. */
    for (e.count = 0; e.count < 10; e.count++) e.value[e.count] = e.value[0], e.key[e.count] = e.count < 9 ? 5 : 6;
    size = build(&e, 0, e.count, block, &end);
    CHECK(st_posting_open((strata_bytes){ block, size }, &view));
    CHECK_EQ(st_posting_middle(&view), 0);
    CHECK_EQ(st_posting_slice(&view, 0, 9, slice), 0); /* a block of copies has another form */
}
