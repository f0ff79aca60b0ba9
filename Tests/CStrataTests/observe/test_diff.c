/* SPDX-License-Identifier: MIT
 * test_diff.c -- what stays of a list is in both, in order, and as much as possible. */
#include "observe/diff.h"

#include "tests.h"

enum { MOST = 60 };

static size_t longest_common(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count) {
    size_t best[MOST + 1][MOST + 1] = { 0 };
    for (size_t i = 1; i <= a_count; i++) {
        for (size_t j = 1; j <= b_count; j++) {
            size_t more = best[i - 1][j] > best[i][j - 1] ? best[i - 1][j] : best[i][j - 1];
            best[i][j] = a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1 : more;
        }
    }
    return best[a_count][b_count];
}

/* How many elements stay, after a check that those are equal, and ascend. */
static size_t check(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count) {
    uint64_t out[MOST + 1], next = 0;
    size_t stay = 0;
    out[a_count] = 77;
    CHECK(st_diff(a, a_count, b, b_count, out));
    CHECK_EQ(out[a_count], 77);
    for (size_t i = 0; i < a_count; i++) {
        if (out[i] == ST_DIFF_GONE) continue;
        CHECK(out[i] >= next && out[i] < b_count);
        CHECK_EQ(a[i], b[out[i]]);
        next = out[i] + 1;
        stay++;
    }
    return stay;
}

static size_t draw(uint64_t *list, uint64_t *random, uint64_t values) {
    size_t count = ctest_random(random) % (MOST + 1);
    for (size_t i = 0; i < count; i++) list[i] = ctest_random(random) % values;
    return count;
}

void test_diff_of_lists_with_repetitions(void) {
    uint64_t random = ctest_seed(), a[MOST], b[MOST];
    for (int round = 0; round < 5000; round++) {
        uint64_t values = 1 + ctest_random(&random) % MOST;
        size_t a_count = draw(a, &random, values), b_count = draw(b, &random, values);
        CHECK(check(a, a_count, b, b_count) <= longest_common(a, a_count, b, b_count));
        CHECK_EQ(check(a, a_count, a, a_count), a_count);
    }
}

/* The first of a shuffled range, so that no element is there twice. */
static size_t draw_unique(uint64_t *list, uint64_t *random) {
    for (size_t i = 0; i < MOST; i++) list[i] = i;
    for (size_t i = MOST - 1, swaps = ctest_random(random) % MOST; i > 0 && swaps > 0; i--, swaps--) {
        size_t other = ctest_random(random) % (i + 1);
        uint64_t item = list[i];
        list[i] = list[other];
        list[other] = item;
    }
    return ctest_random(random) % (MOST + 1);
}

void test_diff_keeps_as_many_as_possible(void) {
    uint64_t random = ctest_seed(), a[MOST], b[MOST];
    for (int round = 0; round < 5000; round++) {
        size_t a_count = draw_unique(a, &random), b_count = draw_unique(b, &random);
        CHECK_EQ(check(a, a_count, b, b_count), longest_common(a, a_count, b, b_count));
    }
}
