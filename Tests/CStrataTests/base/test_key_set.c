/* SPDX-License-Identifier: MIT
 * test_key_set.c -- a set of keys has what was added, and nothing else. */
#include "base/key_set.h"

#include <string.h>

#include "tests.h"

enum { KEYS = 5000 };

static void check(const st_key_set *set, const bool *there, uint64_t high) {
    size_t count = 0;
    for (uint64_t key = 1; key <= KEYS; key++) {
        CHECK_EQ(st_key_set_has(set, high | key), there[key]);
        count += there[key];
    }
    CHECK_EQ(set->count, count);
}

void test_key_set_has_what_was_added(void) {
    uint64_t random = ctest_seed();
    st_key_set set = { 0 };
    CHECK(!st_key_set_has(&set, 1));
    for (uint64_t round = 0; round < 20; round++) {
        bool there[KEYS + 1] = { false };
        uint64_t high = round << 48; /* as the number of a table */
        for (uint64_t n = ctest_random(&random) % (2 * KEYS); n > 0; n--) {
            uint64_t key = 1 + ctest_random(&random) % KEYS;
            bool added = there[key];
            CHECK(st_key_set_add(&set, high | key, &added));
            CHECK_EQ(added, !there[key]);
            CHECK(st_key_set_add(&set, high | key, NULL));
            there[key] = true;
        }
        check(&set, there, high);
        CHECK(st_key_set_sort(&set));
        for (size_t i = 1; i < set.count; i++) CHECK(set.items[i - 1] < set.items[i]);
        if (set.count > 0) CHECK(there[set.items[0] ^ high]);
        st_key_set_clear(&set);
        memset(there, 0, sizeof there);
        check(&set, there, high);
    }
    st_key_set_free(&set);
}
