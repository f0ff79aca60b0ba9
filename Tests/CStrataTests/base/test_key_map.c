/* SPDX-License-Identifier: MIT
 * test_key_map.c -- a key map does what a plain array does. */
#include "base/key_map.h"

#include <string.h>

#include "tests.h"

void test_key_map_has_what_was_set(void) {
    enum { KEYS = 3000, STEPS = 60000 };
    static uint32_t numbers[KEYS + 1];
    uint64_t random = ctest_seed();
    const uint64_t strides[] = { 1, 64, UINT64_C(1) << 32 };
    for (int s = 0; s < 3; s++) {
        st_key_map map = { 0 };
        size_t count = 0;
        memset(numbers, 0, sizeof numbers);
        CHECK_EQ(st_key_map_get(&map, 1), 0);
        st_key_map_remove(&map, 1);
        for (int i = 0; i < STEPS; i++) {
            bool grows = i / 10000 % 2 == 0;
            uint64_t key = 1 + ctest_random(&random) % KEYS;
            CHECK_EQ(st_key_map_get(&map, key * strides[s]), numbers[key]);
            if ((ctest_random(&random) % 4 == 0) == grows) {
                if (numbers[key] != 0) count--;
                st_key_map_remove(&map, key * strides[s]);
                numbers[key] = 0;
            } else {
                if (numbers[key] == 0) count++;
                numbers[key] = 1 + (uint32_t)(ctest_random(&random) % 1000);
                CHECK(st_key_map_set(&map, key * strides[s], numbers[key]));
            }
            CHECK_EQ(map.count, count);
        }
        for (uint64_t key = 1; key <= KEYS; key++) CHECK_EQ(st_key_map_get(&map, key * strides[s]), numbers[key]);
        CHECK(st_key_map_memory(&map) <= 4096 * 12);
        st_key_map_free(&map);
    }
}
