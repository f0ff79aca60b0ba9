/* SPDX-License-Identifier: MIT
 * decimal_support.c -- what the tests of decimal numbers share. */
#include "support/decimal_support.h"
#include "ctest.h"

#include <string.h>

strata_decimal decimal_of(const char *text) {
    strata_decimal value;
    strata_error error;
    if (strata_decimal_parse(text, strlen(text), &value, &error) != STRATA_OK) {
        ctest_fail(__FILE__, __LINE__, error.message);
    }
    return value;
}

const char *decimal_text(strata_decimal value) {
    static char buffers[8][STRATA_DECIMAL_TEXT];
    static int next;
    char *buffer = buffers[next++ % 8];
    size_t length = strata_decimal_print(value, buffer);
    CHECK_EQ(length, strlen(buffer));
    return buffer;
}

bool decimal_same(strata_decimal a, strata_decimal b) { return a.low == b.low && a.high == b.high; }

strata_decimal random_decimal_bits(uint64_t *state) {
    strata_decimal value;
    value.low = ctest_random(state);
    value.high = ctest_random(state);
    return value;
}

strata_decimal random_decimal(uint64_t *state) {
    st_u128 coefficient = (st_u128)ctest_random(state) << 64 | ctest_random(state);
    coefficient %= st_decimal_power((int)(ctest_random(state) % 35));
    if (ctest_random(state) % 3 == 0) coefficient -= coefficient % st_decimal_power((int)(ctest_random(state) % 35));
    int32_t exponent = 0;
    switch (ctest_random(state) % 4) {
    case 0: exponent = (int32_t)(ctest_random(state) % 12288) + STRATA_DECIMAL_MIN_EXPONENT; break;
    case 1: exponent = STRATA_DECIMAL_MAX_EXPONENT - (int32_t)(ctest_random(state) % 40); break;
    case 2: exponent = STRATA_DECIMAL_MIN_EXPONENT + (int32_t)(ctest_random(state) % 40); break;
    default: exponent = (int32_t)(ctest_random(state) % 80) - 40; break;
    }
    return st_decimal_pack(ctest_random(state) % 2 != 0, exponent, coefficient);
}
