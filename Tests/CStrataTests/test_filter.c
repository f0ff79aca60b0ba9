/* SPDX-License-Identifier: MIT
 * test_filter.c -- a set of hashes never forgets one, and seldom makes one up. */
#include "base/filter.h"

#include "tests.h"

void test_filter_has_what_was_added_and_little_else(void) {
    uint64_t seed = ctest_seed();
    static const size_t sizes[] = { 1, 100, 5000, 100000 };
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (uint32_t load = 1; load <= 4; load *= 4) { /* as full as it was made for, and much fuller */
            st_filter filter = { 0 };
            uint64_t random = seed, made_up = 0;
            size_t count = sizes[s] * load;
            CHECK(st_filter_make(&filter, sizes[s]));
            for (size_t i = 0; i < count; i++) st_filter_add(&filter, (uint32_t)ctest_random(&random));
            random = seed;
            for (size_t i = 0; i < count; i++) CHECK(st_filter_has(&filter, (uint32_t)ctest_random(&random)));
            for (size_t i = 0; i < 100000; i++) made_up += st_filter_has(&filter, (uint32_t)ctest_random(&random));
            CHECK(made_up < (load == 1 ? 5000 : 50000));
            st_filter_free(&filter);
            CHECK(filter.words == NULL);
        }
    }
}
