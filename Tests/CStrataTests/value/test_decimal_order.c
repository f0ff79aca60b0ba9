/* SPDX-License-Identifier: MIT
 * test_decimal_order.c -- the order of decimal numbers, as comparison, keys and subtraction see it. */
#include "support/decimal_support.h"
#include "value/decimal_order.h"
#include "tests.h"

#include <string.h>

static int order_of_keys(strata_decimal a, strata_decimal b) {
    uint8_t x[ST_DECIMAL_KEY], y[ST_DECIMAL_KEY];
    st_decimal_key_encode(a, x);
    st_decimal_key_encode(b, y);
    int order = memcmp(x, y, sizeof x);
    return (order > 0) - (order < 0);
}

static void check_order(strata_decimal a, strata_decimal b, int order) {
    CHECK_EQ(strata_decimal_compare(a, b), order);
    CHECK_EQ(strata_decimal_compare(b, a), -order);
    CHECK_EQ(order_of_keys(a, b), order);
    CHECK_EQ(decimal_same(strata_decimal_reduce(a), strata_decimal_reduce(b)), order == 0);
}

void test_decimal_order(void) {
    /* Equal numbers share a line. */
    static const char *const lines[][4] = {
        { "NaN", "-nan" }, { "-Infinity" }, { "-" NINES "E6111" }, { "-1E6144", "-10E6143" }, { "-1E6111" },
        { "-100", "-1E2" }, { "-2" }, { "-1.5", "-1.50" }, { "-1", "-1.00", "-100E-2", "-0.1E1" }, { "-0.1" },
        { "-1E-6143" }, { "-2E-6176" }, { "-1E-6176" }, { "0", "-0", "0E6111", "-0.00" }, { "1E-6176" },
        { "10E-6176", "1E-6175" }, { "11E-6176" }, { "1E-6143" }, { "0.1", "0.1000" }, { "0." NINES },
        { "1", "1.000000000000000000000000000000000" }, { "1.000000000000000000000000000000001" }, { "9" },
        { "10", "1E1" }, { "11" }, { NINES }, { "1E34" },
        { "1E6111" }, { "1E6144", "1000000000000000000000000000000000E6111" }, { NINES "E6111" }, { "Infinity" },
    };
    size_t count = sizeof lines / sizeof lines[0];
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            for (int a = 0; a < 4 && lines[i][a] != NULL; a++) {
                for (int b = 0; b < 4 && lines[j][b] != NULL; b++) {
                    check_order(decimal_of(lines[i][a]), decimal_of(lines[j][b]), (i > j) - (i < j));
                }
            }
        }
    }
}

/* The order as subtraction sees it. Differences never vanish: numbers lie on one grid of 10^-6176. */
static int order_by_difference(strata_decimal a, strata_decimal b) {
    strata_decimal difference = strata_decimal_subtract(a, b);
    return strata_decimal_is_zero(difference) ? 0 : strata_decimal_is_negative(difference) ? -1 : 1;
}

/* The same number, written with another exponent if it can be. */
static strata_decimal rewritten(strata_decimal value, uint64_t *state) {
    st_decimal_parts parts = st_decimal_unpack(value);
    int room = STRATA_DECIMAL_DIGITS - st_decimal_digits(parts.coefficient);
    if (room > parts.exponent - STRATA_DECIMAL_MIN_EXPONENT) room = parts.exponent - STRATA_DECIMAL_MIN_EXPONENT;
    int grow = (int)(ctest_random(state) % (uint64_t)(room + 1));
    return st_decimal_pack(parts.negative, parts.exponent - grow, parts.coefficient * st_decimal_power(grow));
}

void test_decimal_order_of_random_numbers(void) {
    uint64_t state = ctest_seed();
    for (int i = 0; i < ROUNDS; i++) {
        strata_decimal a = random_decimal(&state), b = random_decimal(&state);
        check_order(a, b, order_by_difference(a, b));
        check_order(a, rewritten(a, &state), 0);
        strata_decimal near = strata_decimal_multiply(a, decimal_of("1.000000000000000000000000000000001"));
        if (!strata_decimal_is_infinite(near)) check_order(a, near, order_by_difference(a, near));
    }
}

void test_decimal_keys(void) {
    uint64_t state = ctest_seed();
    uint8_t key[ST_DECIMAL_KEY], again[ST_DECIMAL_KEY];
    for (int i = 0; i < ROUNDS; i++) {
        strata_decimal value = i % 2 == 0 ? random_decimal(&state) : random_decimal_bits(&state);
        st_decimal_key_encode(value, key);
        st_decimal_key_encode(strata_decimal_reduce(value), again); /* equal numbers have one key */
        CHECK(memcmp(key, again, sizeof key) == 0);
    }
    static const struct { const char *text; uint8_t key[ST_DECIMAL_KEY]; } fixed[] = {
        { "NaN", { 0 } }, { "0", { 0x80 } }, { "Infinity", { 0xFF, 0xFE } },
        { "1", { 0xB0, 0x42, 0x31, 0x4D, 0xC6, 0x44, 0x8D, 0x93, 0x38, 0xC1, 0x5B, 0x0A, 0, 0, 0, 0 } },
    };
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        st_decimal_key_encode(decimal_of(fixed[i].text), key);
        CHECK(memcmp(key, fixed[i].key, sizeof key) == 0);
    }
}
