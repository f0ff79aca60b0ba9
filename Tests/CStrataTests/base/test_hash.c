/* SPDX-License-Identifier: MIT
 * test_hash.c -- keyed hashes. */
#include "base/hash.h"
#include "tests.h"

/* ON-DISK: these never change. Another implementation of SipHash-1-3 gave the numbers, with a key of zeros. */
void test_hash_is_siphash(void) {
    const st_hash_key key = { 0, 0 };
    uint8_t bytes[100];
    for (uint32_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)i;
    CHECK(st_hash(&key, "S", 1) == UINT64_C(0x25ce5a424b770e84));
    CHECK(st_hash(&key, "Strata", 6) == UINT64_C(0xf4de7699fd3ecf37));
    CHECK(st_hash(&key, "Strata!!", 8) == UINT64_C(0xb0027ab363f68f87));
    CHECK(st_hash_number(&key, strata_load64((const uint8_t *)"Strata!!")) == UINT64_C(0xb0027ab363f68f87));
    CHECK(st_hash(&key, bytes, sizeof bytes) == UINT64_C(0x1c6a66e1506e7908));
}

void test_hash_of_pieces_is_that_of_the_whole(void) {
    uint64_t random = ctest_seed();
    uint8_t bytes[64];
    for (int round = 0; round < 20000; round++) {
        st_hash_key key = { ctest_random(&random), ctest_random(&random) };
        size_t size = ctest_random(&random) % sizeof bytes, at = 0;
        for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)ctest_random(&random);
        st_hash_state state;
        st_hash_begin(&state, &key);
        while (at < size) {
            size_t piece = 1 + ctest_random(&random) % (size - at);
            st_hash_more(&state, bytes + at, piece);
            at += piece;
        }
        CHECK(st_hash_end(&state) == st_hash(&key, bytes, size));
    }
}

void test_hash_keys_differ(void) {
    st_hash_key a, b;
    strata_error error;
    CHECK_EQ(st_hash_key_draw(&a, &error), STRATA_OK);
    CHECK_EQ(st_hash_key_draw(&b, &error), STRATA_OK);
    CHECK(a.low != b.low && a.high != b.high);
    CHECK(st_hash(&a, "Strata", 6) != st_hash(&b, "Strata", 6));
    CHECK_EQ(st_hash_key_draw_for_process(&error), STRATA_OK);
    a = st_hash_key_of_process;
    CHECK_EQ(st_hash_key_draw_for_process(&error), STRATA_OK); /* once */
    CHECK(a.low == st_hash_key_of_process.low && a.high == st_hash_key_of_process.high);
}
