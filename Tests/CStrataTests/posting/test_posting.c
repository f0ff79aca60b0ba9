/* SPDX-License-Identifier: MIT
 * test_posting.c -- building, checking and searching posting blocks. */
#include "posting/posting_build.h"
#include "tests.h"

#include <stdlib.h>

enum { LIMIT = 4080, MOST = 6000 };

/* Random sorted entries with repeated values and copies of entries. */
typedef struct sample {
    st_posting_list list;
    uint8_t (*values)[24];
    size_t count;
} sample;

static void make_sample(sample *s, uint64_t *state, size_t runs, bool mixed, bool copies) {
    memset(s, 0, sizeof *s);
    s->values = calloc(runs, sizeof *s->values);
    CHECK(s->values != NULL);
    CHECK(st_posting_list_reserve(&s->list, runs, MOST));
    size_t shared = ctest_random(state) % 6, tail = mixed ? 0 : 2 + ctest_random(state) % 8;
    uint64_t spread = UINT64_C(1) << ctest_random(state) % 47;
    for (size_t run = 0; run < runs && s->count < MOST; run++) {
        uint8_t *value = s->values[run];
        memset(value, 'p', shared);
        st_store_big16(value + shared, (uint16_t)run);
        size_t size = shared + 2 + (mixed ? ctest_random(state) % 5 : tail);
        size_t keys = 1 + ctest_random(state) % (copies ? 12 : 3);
        uint64_t key = 1 + ctest_random(state) % spread;
        for (size_t i = 0; i < keys && s->count < MOST; i++) {
            st_posting_list_add(&s->list, (strata_bytes){ value, size }, key);
            s->count++;
            if (!copies || ctest_random(state) % 2 != 0) key += ctest_random(state) % spread + !copies;
            if (key > ST_KEY_MAX) key = ST_KEY_MAX;
        }
    }
}

static void free_sample(sample *s) {
    st_posting_list_free(&s->list);
    free(s->values);
}

/* The block must have the entries of the list from `at` on; every search in it must find what a walk finds. */
static void check_block(const sample *s, strata_bytes block, st_posting_position at, size_t end) {
    st_posting_view view;
    CHECK(st_posting_valid(block));
    CHECK(st_posting_open(block, &view));
    CHECK_EQ(view.entries, end - at.key);
    CHECK_EQ(st_posting_entries(block), view.entries);
    uint64_t keys[MOST];
    st_posting_keys(&view, 0, view.entries, keys);
    size_t run = at.run;
    uint32_t same = 0; /* first entry equal to the current one */
    for (size_t i = at.key; i < end; i++) {
        while (s->list.runs[run].end <= i) run++;
        strata_bytes value = { s->list.runs[run].value, s->list.runs[run].size };
        uint32_t entry = (uint32_t)(i - at.key), own = st_posting_run_of(&view, entry);
        CHECK(keys[entry] == s->list.keys[i] && st_posting_key(&view, entry) == s->list.keys[i]);
        CHECK_EQ(st_posting_compare(&view, own, value), 0);
        uint8_t whole[64];
        CHECK_EQ(st_posting_value(&view, own, whole, sizeof whole), value.size);
        CHECK(memcmp(whole, value.data, value.size) == 0);
        bool copy = entry > 0 && keys[entry] == keys[entry - 1] && st_posting_run_of(&view, entry - 1) == own;
        if (!copy) same = entry;
        CHECK_EQ(st_posting_lower(&view, value, s->list.keys[i]), same);
        CHECK_EQ(st_posting_lower(&view, value, UINT64_MAX), st_posting_end(&view, own + 1));
        CHECK_EQ(st_posting_lower(&view, value, 0), st_posting_end(&view, own));
        whole[value.size] = 0; /* behind the value, and before the next */
        CHECK_EQ(st_posting_lower(&view, (strata_bytes){ whole, value.size + 1 }, 0), st_posting_end(&view, own + 1));
        CHECK_EQ(st_posting_lower(&view, (strata_bytes){ whole, value.size - 1 }, 0) <= st_posting_end(&view, own), 1);
    }
}

void test_posting_round_trip(void) {
    uint64_t state = ctest_seed();
    static uint8_t bytes[LIMIT];
    for (int round = 0; round < 300; round++) {
        sample s;
        make_sample(&s, &state, 1 + ctest_random(&state) % 900, round % 2 != 0, round % 3 == 0);
        size_t limit = round % 5 == 0 ? 200 + ctest_random(&state) % 1000 : LIMIT, size;
        for (st_posting_position at = { 0, 0 }, to; at.key < s.list.key_count; at = to) {
            to = st_posting_fit(&s.list, at, limit, &size);
            CHECK(to.key > at.key);
            CHECK(size <= limit);
            CHECK_EQ(st_posting_size(&s.list, at, to), size);
            st_posting_write(&s.list, at, to, bytes);
            check_block(&s, (strata_bytes){ bytes, size }, at, to.key);
            if (to.key == s.list.key_count) break;
            /* One entry more, with its copies, would not have fitted. */
            st_posting_position more = to;
            while (more.key < s.list.runs[to.run].end && s.list.keys[more.key] == s.list.keys[to.key]) more.key++;
            CHECK(st_posting_size(&s.list, at, more) > limit);
            CHECK(s.list.keys[to.key - 1] != s.list.keys[to.key] || s.list.runs[to.run - 1].end == to.key);
        }
        free_sample(&s);
    }
}

/* ---- Searches that guess ---------------------------------------------- */

enum { SPREADS = 5, VALUES = 600, WIDEST = 24 };

/* A number that becomes a value: spread evenly, by powers, in clusters, one after another, or with one far from the
 * others. */
static uint64_t spread_number(uint64_t *state, unsigned spread, uint32_t i) {
    uint64_t number = ctest_random(state);
    switch (spread) {
    case 0: return number;
    case 1: return number >> number % 64;
    case 2: return (number % 3) << 60 | ctest_random(state) % 500;
    case 3: return i;
    default: return i == 0 ? UINT64_MAX : number % 2000;
    }
}

static int compare_wide(const void *a, const void *b) { return memcmp(a, b, WIDEST); }

/* Distinct values of `width` bytes in order, the rest of each zero. */
static size_t make_values(uint64_t *state, unsigned spread, size_t width, uint8_t (*out)[WIDEST]) {
    size_t count = 0, wanted = 1 + (size_t)ctest_random(state) % VALUES;
    memset(out, 0, VALUES * WIDEST);
    for (uint32_t i = 0; i < wanted; i++) {
        uint8_t bytes[WIDEST];
        for (size_t b = 0; b < WIDEST; b++) bytes[b] = width > 8 ? (uint8_t)ctest_random(state) : 0;
        st_store_big64(bytes, spread_number(state, spread, i));
        memcpy(out[i], width < 8 ? bytes + 8 - width : bytes, width);
    }
    qsort(out, wanted, WIDEST, compare_wide);
    for (size_t i = 0; i < wanted; i++)
        if (i == 0 || memcmp(out[i], out[i - 1], WIDEST) != 0) memmove(out[count++], out[i], WIDEST);
    return count;
}

static void check_searches(const st_posting_view *view, uint8_t (*values)[WIDEST], size_t width, uint64_t *state) {
    uint8_t wanted[WIDEST];
    uint32_t expected = 0;
    memcpy(wanted, values[ctest_random(state) % view->runs], WIDEST);
    if (ctest_random(state) % 2 != 0) wanted[ctest_random(state) % width] ^= (uint8_t)ctest_random(state);
    while (expected < view->entries && memcmp(values[expected], wanted, width) < 0) expected++;
    bool there = expected < view->entries && memcmp(values[expected], wanted, width) == 0;
    uint32_t from, to;
    st_posting_find(view, (strata_bytes){ wanted, width }, 0, UINT64_MAX, &from, &to);
    CHECK_EQ(from, expected);
    CHECK_EQ(to, expected + there);
}

/* Values of every width, spread as no guess expects it, and with a wrong idea of the last one. */
void test_posting_searches_find_what_a_walk_finds(void) {
    static const size_t widths[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, WIDEST };
    static uint8_t values[VALUES][WIDEST], bytes[65536];
    uint64_t state = ctest_seed();
    for (unsigned round = 0; round < ctest_rounds(600); round++) {
        size_t width = widths[round % 12], count = make_values(&state, round / 12 % SPREADS, width, values), size;
        st_posting_list list = { 0 };
        st_posting_view view;
        CHECK(st_posting_list_reserve(&list, count, count));
        for (size_t i = 0; i < count; i++) st_posting_list_add(&list, (strata_bytes){ values[i], width }, 1 + i);
        st_posting_position at = { 0, 0 }, end = st_posting_fit(&list, at, sizeof bytes, &size);
        CHECK_EQ(end.key, count);
        st_posting_write(&list, at, end, bytes);
        CHECK(st_posting_open((strata_bytes){ bytes, size }, &view));
        uint8_t end_of_last[8 + WIDEST] = { 0 };
        for (int hint = 0; hint < 3; hint++) { /* none, the right one, any */
            const uint8_t *last = hint == 1 ? values[count - 1] : values[ctest_random(&state) % count];
            memcpy(end_of_last + 8, last + view.shared_size, width - view.shared_size);
            view.last = hint == 0 ? NULL : end_of_last + 8;
            for (int i = 0; i < 60; i++) check_searches(&view, values, width, &state);
        }
        st_posting_list_free(&list);
    }
}

/* ---- Copies, damage --------------------------------------------------- */

void test_posting_copies_fit_one_block(void) {
    st_posting_list list = { 0 };
    st_posting_view view;
    uint8_t bytes[64];
    size_t size;
    CHECK(st_posting_list_reserve(&list, 3, 100002));
    st_posting_list_add(&list, (strata_bytes){ "aaaa", 4 }, 7);
    for (int i = 0; i < 100000; i++) st_posting_list_add(&list, (strata_bytes){ "aaaa", 4 }, 9);
    st_posting_list_add(&list, (strata_bytes){ "bbbb", 4 }, 9);
    st_posting_position at = st_posting_fit(&list, (st_posting_position){ 0, 0 }, LIMIT, &size);
    CHECK_EQ(at.key, 1);
    st_posting_position to = st_posting_fit(&list, at, LIMIT, &size);
    CHECK_EQ(to.key, 100001);
    CHECK_EQ(size, ST_POSTING_HEADER + 4 + 8);
    st_posting_write(&list, at, to, bytes);
    strata_bytes block = { bytes, size };
    CHECK(st_posting_valid(block) && st_posting_open(block, &view));
    CHECK_EQ(view.entries, 100000);
    CHECK_EQ(st_posting_entries(block), 100000);
    CHECK_EQ(st_posting_key(&view, 99999), 9);
    CHECK_EQ(st_posting_run_of(&view, 99999), 0);
    CHECK_EQ(st_posting_lower(&view, (strata_bytes){ "aaaa", 4 }, 9), 0);
    CHECK_EQ(st_posting_lower(&view, (strata_bytes){ "aaaa", 4 }, 10), 100000);
    CHECK_EQ(st_posting_lower(&view, (strata_bytes){ "aaab", 4 }, 0), 100000);
    st_posting_list_free(&list);
}

/* Reads everything a reader may read; sanitizers see whether it stays inside. */
static uint64_t read_all(strata_bytes block) {
    st_posting_view view;
    uint64_t sum = st_posting_entries(block);
    if (!st_posting_open(block, &view)) return sum;
    uint8_t value[300] = { 0 };
    uint32_t step = view.entries / 500 + 1;
    for (uint32_t run = 0; run < view.runs; run++) {
        sum += st_posting_value(&view, run, value, sizeof value) + st_posting_end(&view, run + 1);
        strata_bytes suffix = st_posting_suffix(&view, run);
        sum += st_posting_lower(&view, suffix, run) + st_posting_lower(&view, (strata_bytes){ value, 9 }, 5);
    }
    for (uint32_t entry = 0; entry < view.entries; entry += step) {
        sum += st_posting_key(&view, entry) + st_posting_run_of(&view, entry);
    }
    return sum;
}

void test_posting_survives_damage(void) {
    uint64_t state = ctest_seed(), sum = 0;
    for (int round = 0; round < 400; round++) {
        sample s;
        size_t size;
        make_sample(&s, &state, 1 + ctest_random(&state) % 300, round % 2 != 0, round % 3 == 0);
        st_posting_position to = st_posting_fit(&s.list, (st_posting_position){ 0, 0 }, LIMIT, &size);
        uint8_t *bytes = malloc(size);
        CHECK(bytes != NULL);
        st_posting_write(&s.list, (st_posting_position){ 0, 0 }, to, bytes);
        for (int hit = 0; hit < 40; hit++) {
            size_t place = ctest_random(&state) % (hit % 2 != 0 ? 16 : size);
            uint8_t before = bytes[place];
            bytes[place] = (uint8_t)ctest_random(&state);
            bool valid = st_posting_valid((strata_bytes){ bytes, size });
            sum += read_all((strata_bytes){ bytes, size }) + valid;
            if (hit % 4 != 0) bytes[place] = before;
        }
        for (size_t shorter = 0; shorter < size; shorter += 1 + shorter / 16) {
            uint8_t *cut = malloc(shorter + 1);
            CHECK(cut != NULL);
            memcpy(cut, bytes, shorter);
            sum += read_all((strata_bytes){ cut, shorter });
            free(cut);
        }
        free(bytes);
        free_sample(&s);
    }
    CHECK(sum != 0);
}

void test_posting_refuses_disorder(void) {
    st_posting_list list = { 0 };
    uint8_t bytes[LIMIT];
    size_t size;
    CHECK(st_posting_list_reserve(&list, 8, 8));
    for (uint64_t i = 0; i < 4; i++) st_posting_list_add(&list, (strata_bytes){ "aa", 2 }, 3 + i);
    st_posting_list_add(&list, (strata_bytes){ "ab", 2 }, 1);
    st_posting_position to = st_posting_fit(&list, (st_posting_position){ 0, 0 }, LIMIT, &size);
    st_posting_write(&list, (st_posting_position){ 0, 0 }, to, bytes);
    strata_bytes block = { bytes, size };
    CHECK(st_posting_valid(block));
    uint8_t *last = bytes + size - 5; /* five keys of one byte */
    last[0] = 4;
    CHECK(!st_posting_valid(block)); /* keys of a run fall */
    last[0] = 2;
    CHECK(st_posting_valid(block));
    last[4] = 1;
    CHECK(!st_posting_valid(block)); /* no key is the least one */
    last[4] = 0;
    bytes[0] = 2;
    CHECK(!st_posting_valid(block));
    bytes[0] = 1;
    uint8_t *values = bytes + ST_POSTING_HEADER + 1;
    values[1] = 'a';
    CHECK(!st_posting_valid(block)); /* two runs of one value */
    for (size_t shorter = 0; shorter < size; shorter++) CHECK(!st_posting_valid((strata_bytes){ bytes, shorter }));
    st_posting_list_free(&list);
}
