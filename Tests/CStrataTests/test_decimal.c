/* SPDX-License-Identifier: MIT
 * test_decimal.c -- decimal numbers: text, arithmetic against exact integers, order, keys, conversions. */
#include "codec/decimal.h"
#include "tests.h"

#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 20000 };

#define NINES "9999999999999999999999999999999999"

static strata_decimal of(const char *text) {
    strata_decimal value;
    strata_error error;
    if (strata_decimal_parse(text, strlen(text), &value, &error) != STRATA_OK) {
        ctest_fail(__FILE__, __LINE__, error.message);
    }
    return value;
}

/* The text of a number. Lifetime: until the eighth call after this one. */
static const char *text_of(strata_decimal value) {
    static char buffers[8][STRATA_DECIMAL_TEXT];
    static int next;
    char *buffer = buffers[next++ % 8];
    size_t length = strata_decimal_print(value, buffer);
    CHECK_EQ(length, strlen(buffer));
    return buffer;
}

static bool same(strata_decimal a, strata_decimal b) { return a.low == b.low && a.high == b.high; }

/* ---- Text ------------------------------------------------------------- */

void test_decimal_text(void) {
    static const char *const cases[][2] = {
        { "0", "0" }, { "-0", "-0" }, { "+0", "0" }, { "0.00", "0.00" }, { "0e3", "0E+3" }, { "00012", "12" },
        { "1.00", "1.00" }, { ".5", "0.5" }, { "5.", "5" }, { "-1.5e2", "-1.5E+2" }, { "1e0", "1" }, { "1e+1", "1E+1" },
        { "0.000001", "0.000001" }, { "0.0000001", "1E-7" }, { "0.00000123", "0.00000123" },
        { "1234567E-13", "1.234567E-7" }, { "1234567E-12", "0.000001234567" }, { "12E-8", "1.2E-7" },
        { "inf", "Infinity" }, { "-iNfInItY", "-Infinity" }, { "+INF", "Infinity" }, { "nan", "NaN" },
        { "-NaN", "NaN" }, { NINES, NINES }, { "0." NINES, "0." NINES }, { "-0.00000" NINES, "-0.00000" NINES },
        { "0.000000" NINES, "9.999999999999999999999999999999999E-7" },
        /* Half to even at the 35th digit, and what lies beyond it. */
        { "12345678901234567890123456789012345", "1.234567890123456789012345678901234E+34" },
        { "12345678901234567890123456789012355", "1.234567890123456789012345678901236E+34" },
        { "1234567890123456789012345678901234500000000000000000000000", "1.234567890123456789012345678901234E+57" },
        { "1234567890123456789012345678901234500000000000000000000001", "1.234567890123456789012345678901235E+57" },
        { "1234567890123456789012345678901234499999999999999999999999", "1.234567890123456789012345678901234E+57" },
        { NINES "4", "9.999999999999999999999999999999999E+34" }, { NINES ".4", NINES },
        { NINES ".5", "1.000000000000000000000000000000000E+34" },
        { "0.0000000000000000000000000000000000000000000000000000012", "1.2E-54" },
        { "1.0000000000000000000000000000000000000000000000000000000", "1.000000000000000000000000000000000" },
        /* The largest numbers. */
        { "9.999999999999999999999999999999999E+6144", "9.999999999999999999999999999999999E+6144" },
        { "-" NINES "E6111", "-9.999999999999999999999999999999999E+6144" }, { NINES "5E6111", "Infinity" },
        { NINES "5E6110", "Infinity" }, { NINES "4E6110", "9.999999999999999999999999999999999E+6144" },
        { "1E6144", "1.000000000000000000000000000000000E+6144" }, { "1E6112", "1.0E+6112" }, { "1E6111", "1E+6111" },
        { "-1E6145", "-Infinity" }, { "1e999999999999999999999999999", "Infinity" }, { "0e7000", "0E+6111" },
        /* The smallest ones; they lose digits before they become 0. */
        { "1E-6176", "1E-6176" }, { "1E-6177", "0E-6176" }, { "5E-6177", "0E-6176" }, { "15E-6177", "2E-6176" },
        { "25E-6177", "2E-6176" }, { "5.0000001E-6177", "1E-6176" },
        { NINES "E-6177", "1.000000000000000000000000000000000E-6143" },
        { "-1e-99999999999999999999999999", "-0E-6176" }, { NINES "E-6209", "1.0E-6175" },
        { NINES "E-6210", "1E-6176" }, { NINES "E-6211", "0E-6176" }, { "0e-9999", "0E-6176" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        strata_decimal value = of(cases[i][0]);
        CHECK_TEXT(text_of(value), cases[i][1]);
        CHECK(same(of(cases[i][1]), value));
    }
    strata_decimal zero = { 0, 0 };
    CHECK_TEXT(text_of(zero), "0E-6176");
}

void test_decimal_refuses_other_text(void) {
    static const struct { const char *text; int place; } cases[] = { /* the place is 0 where the text ends early */
        { "", 0 }, { "+", 0 }, { "-", 0 }, { ".", 0 }, { "1e", 0 }, { "1e+", 0 }, { "-.", 0 }, { " 1", 1 },
        { "1 ", 2 }, { "abc", 1 }, { "--1", 2 }, { "1,5", 2 }, { "1.2.3", 4 }, { ".e1", 2 }, { "1e5.", 4 },
        { "0x10", 2 }, { "1_000", 2 }, { "infin", 1 }, { "infinityy", 1 }, { "nan1", 1 }, { "snan", 1 },
        { "1e+-1", 4 }, { "\xC3\xA4", 1 },
    };
    strata_decimal value;
    strata_error error;
    char end[40];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *text = cases[i].text;
        value = of("7");
        CHECK_EQ(strata_decimal_parse(text, strlen(text), &value, &error), STRATA_TYPE);
        CHECK_EQ(error.status, STRATA_TYPE);
        CHECK_TEXT(text_of(value), "0");
        snprintf(end, sizeof end, ": byte %d does not belong to one", cases[i].place);
        if (cases[i].place == 0) snprintf(end, sizeof end, ": it ends where a digit should be");
        if (strstr(error.message, end) == NULL) ctest_fail(__FILE__, __LINE__, error.message);
        CHECK_EQ(strata_decimal_parse(text, strlen(text), &value, NULL), STRATA_TYPE);
    }
    CHECK_EQ(strata_decimal_parse("1\0002", 3, &value, &error), STRATA_TYPE);
    CHECK_EQ(strata_decimal_parse(NULL, 0, &value, &error), STRATA_TYPE);
    /* A long text is cut where a character begins. */
    char text[200];
    memset(text, 'x', sizeof text);
    memcpy(text + 59, "\xC3\xA4", 2);
    CHECK_EQ(strata_decimal_parse(text, sizeof text, &value, &error), STRATA_TYPE);
    CHECK(strstr(error.message, "x...\" is not") != NULL);
}

void test_decimal_bytes(void) {
    static const struct { const char *text; uint64_t high, low; } cases[] = {
        { "0", 0x3040000000000000, 0 }, { "1", 0x3040000000000000, 1 }, { "-1.5", 0xB03E000000000000, 15 },
        { "NaN", 0x7C00000000000000, 0 }, { "Infinity", 0x7800000000000000, 0 }, { "-Infinity", 0xF800000000000000, 0 },
        { NINES "E6111", 0x5FFFED09BEAD87C0, 0x378D8E63FFFFFFFF }, { "1E-6176", 0, 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        strata_decimal value = of(cases[i].text), back;
        CHECK_EQ(value.high, cases[i].high);
        CHECK_EQ(value.low, cases[i].low);
        uint8_t bytes[17];
        strata_decimal_store(value, bytes + 1);
        CHECK_EQ(bytes[1], cases[i].low & 0xFF);
        CHECK_EQ(bytes[16], cases[i].high >> 56);
        back = strata_decimal_load(bytes + 1);
        CHECK(same(back, value));
    }
    /* What no operation makes: coefficients above 34 digits are 0, payloads of NaN do not matter. */
    strata_decimal large = { UINT64_MAX, 0x3041FFFFFFFFFFFF }, form = { 5, 0x6C11000000000000 };
    CHECK_TEXT(text_of(large), "0");
    CHECK(strata_decimal_is_zero(form));
    CHECK_EQ(strata_decimal_compare(large, of("0")), 0);
    CHECK_EQ(strata_decimal_compare(strata_decimal_add(large, of("2")), of("2")), 0);
    strata_decimal signalling = { 77, 0xFE00000000000001 };
    CHECK_TEXT(text_of(signalling), "NaN");
    CHECK(!strata_decimal_is_negative(signalling));
    CHECK(same(strata_decimal_add(signalling, of("1")), of("NaN")));
    CHECK(same(strata_decimal_negate(signalling), of("NaN")));
}

/* ---- Random numbers --------------------------------------------------- */

static strata_decimal random_bits(uint64_t *state) {
    strata_decimal value = { ctest_random(state), ctest_random(state) };
    return value;
}

/* A number with 0 to 34 digits and an exponent near to 0, near to a limit, or anywhere. */
static strata_decimal random_number(uint64_t *state) {
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

void test_decimal_text_is_exact(void) {
    uint64_t state = ctest_seed();
    for (int i = 0; i < ROUNDS; i++) {
        strata_decimal value = random_number(&state), other = random_bits(&state);
        CHECK(same(of(text_of(value)), value));
        const char *text = text_of(other); /* every 16 bytes have a text, which reads as an equal number */
        CHECK_EQ(strata_decimal_compare(of(text), other), 0);
        CHECK_TEXT(text_of(of(text)), text);
    }
}

/* ---- Arithmetic ------------------------------------------------------- */

/* The text of an integer. */
static const char *text_of_integer(__int128 number, char buffer[48]) {
    char *p = buffer + 47;
    st_u128 rest = number < 0 ? 0 - (st_u128)number : (st_u128)number;
    *p = 0;
    do {
        *--p = (char)('0' + (int)(rest % 10));
        rest /= 10;
    } while (rest != 0);
    if (number < 0) *--p = '-';
    return p;
}

/* number x 10^exponent, by way of text: rounded by the parser, not by the library that computes. */
static strata_decimal of_integer(__int128 number, int exponent) {
    char buffer[48], text[64];
    snprintf(text, sizeof text, "%se%d", text_of_integer(number, buffer), exponent);
    return of(text);
}

static __int128 random_integer(uint64_t *state, int digits) {
    __int128 number = (__int128)(((st_u128)ctest_random(state) << 64 | ctest_random(state)) % st_decimal_power(digits));
    return ctest_random(state) % 2 == 0 ? number : -number;
}

void test_decimal_sums_and_products(void) {
    uint64_t state = ctest_seed();
    for (int i = 0; i < ROUNDS; i++) {
        /* Sums of up to 35 digits, products of up to 38: some are exact, the others rounded. */
        __int128 a = random_integer(&state, (int)(ctest_random(&state) % 35));
        __int128 b = random_integer(&state, (int)(ctest_random(&state) % 35));
        int exponent = (int)(ctest_random(&state) % 12000) - 6000;
        strata_decimal x = of_integer(a, exponent), y = of_integer(b, exponent);
        if (a + b != 0) CHECK_TEXT(text_of(strata_decimal_add(x, y)), text_of(of_integer(a + b, exponent)));
        if (a - b != 0) CHECK_TEXT(text_of(strata_decimal_subtract(x, y)), text_of(of_integer(a - b, exponent)));
        CHECK_EQ(strata_decimal_compare(x, y), (a > b) - (a < b));
        a %= (__int128)st_decimal_power(19);
        b %= (__int128)st_decimal_power(18);
        int other = (int)(ctest_random(&state) % 60) - 30;
        strata_decimal product = strata_decimal_multiply(of_integer(a, 7), of_integer(b, other));
        if (a * b != 0) CHECK_TEXT(text_of(product), text_of(of_integer(a * b, 7 + other)));
        if (a * b == 0) CHECK(strata_decimal_is_zero(product));
        /* Different exponents, as long as the sum of integers is exact. */
        int shift = (int)(ctest_random(&state) % 15);
        strata_decimal sum = strata_decimal_add(of_integer(a, shift - 5), of_integer(b, -5));
        CHECK_EQ(strata_decimal_compare(sum, of_integer(a * (__int128)st_decimal_power(shift) + b, -5)), 0);
    }
}

/* a / b with 34 digits, by long division. */
static strata_decimal long_division(uint64_t a, uint64_t b) {
    st_u128 quotient = a / b;
    uint64_t rest = a % b;
    int exponent = 0;
    while (st_decimal_digits(quotient) < STRATA_DECIMAL_DIGITS && rest != 0) {
        quotient = quotient * 10 + (uint64_t)((st_u128)rest * 10 / b);
        rest = (uint64_t)((st_u128)rest * 10 % b);
        exponent--;
    }
    bool odd = quotient % 2 != 0;
    st_u128 twice = (st_u128)rest * 2;
    if (twice > b || (twice == b && odd)) quotient++;
    return of_integer((__int128)quotient, exponent);
}

void test_decimal_quotients(void) {
    uint64_t state = ctest_seed();
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t a = ctest_random(&state) >> ctest_random(&state) % 64;
        uint64_t b = ctest_random(&state) >> ctest_random(&state) % 64;
        if (a == 0 || b == 0) continue;
        strata_decimal x = strata_decimal_from_uint64(a), y = strata_decimal_from_uint64(b);
        strata_decimal quotient = strata_decimal_divide(x, y);
        CHECK_EQ(strata_decimal_compare(quotient, long_division(a, b)), 0);
        CHECK(same(strata_decimal_divide(strata_decimal_negate(x), y), strata_decimal_negate(quotient)));
        a >>= 32;
        strata_decimal product = strata_decimal_multiply(strata_decimal_from_uint64(a), y);
        CHECK_EQ(strata_decimal_compare(strata_decimal_divide(product, y), strata_decimal_from_uint64(a)), 0);
    }
}

void test_decimal_arithmetic_at_the_limits(void) {
    typedef strata_decimal operation(strata_decimal, strata_decimal);
    static const struct { operation *operate; const char *a, *b, *result; } cases[] = {
        { strata_decimal_add, "1.10", "2.2", "3.30" }, { strata_decimal_multiply, "1.10", "2.2", "2.420" },
        { strata_decimal_divide, "6.0", "2", "3.0" }, { strata_decimal_subtract, "1", "1.00", "0.00" },
        { strata_decimal_divide, "1", "0", "Infinity" }, { strata_decimal_divide, "-1", "0", "-Infinity" },
        { strata_decimal_divide, "0", "0", "NaN" }, { strata_decimal_subtract, "inf", "inf", "NaN" },
        { strata_decimal_multiply, "inf", "0", "NaN" }, { strata_decimal_add, "inf", "1", "Infinity" },
        { strata_decimal_add, "NaN", "1", "NaN" }, { strata_decimal_divide, "1", "-inf", "-0E-6176" },
        { strata_decimal_add, NINES "E6111", "1E6111", "Infinity" },
        { strata_decimal_multiply, "1E4000", "-1E4000", "-Infinity" },
        { strata_decimal_add, NINES "E6111", "1", "9.999999999999999999999999999999999E+6144" },
        { strata_decimal_divide, "1E-6176", "2", "0E-6176" }, { strata_decimal_divide, "3E-6176", "2", "2E-6176" },
        { strata_decimal_multiply, "1E-4000", "1E-4000", "0E-6176" },
        { strata_decimal_subtract, "1E-6143", "1E-6176", "9.99999999999999999999999999999999E-6144" },
        { strata_decimal_divide, "2", "3", "0.6666666666666666666666666666666667" },
        { strata_decimal_add, "0.1", "0.2", "0.3" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_TEXT(text_of(cases[i].operate(of(cases[i].a), of(cases[i].b))), cases[i].result);
    }
    CHECK_TEXT(text_of(strata_decimal_negate(of("1.50"))), "-1.50");
    CHECK_TEXT(text_of(strata_decimal_negate(of("-inf"))), "Infinity");
    CHECK_TEXT(text_of(strata_decimal_abs(of("-0.0"))), "0.0");
}

/* ---- Order ------------------------------------------------------------ */

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
    CHECK_EQ(same(strata_decimal_reduce(a), strata_decimal_reduce(b)), order == 0);
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
                    check_order(of(lines[i][a]), of(lines[j][b]), (i > j) - (i < j));
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
        strata_decimal a = random_number(&state), b = random_number(&state);
        check_order(a, b, order_by_difference(a, b));
        check_order(a, rewritten(a, &state), 0);
        strata_decimal near = strata_decimal_multiply(a, of("1.000000000000000000000000000000001"));
        if (!strata_decimal_is_infinite(near)) check_order(a, near, order_by_difference(a, near));
    }
}

void test_decimal_keys(void) {
    uint64_t state = ctest_seed();
    uint8_t key[ST_DECIMAL_KEY], again[ST_DECIMAL_KEY];
    strata_decimal back;
    int decoded = 0;
    for (int i = 0; i < ROUNDS; i++) {
        strata_decimal value = i % 2 == 0 ? random_number(&state) : random_bits(&state);
        st_decimal_key_encode(value, key);
        CHECK(st_decimal_key_decode(key, &back));
        CHECK(same(back, strata_decimal_reduce(value)));
        /* Bytes that are not a key are refused; those that are one are the key of what they give. */
        key[ctest_random(&state) % sizeof key] ^= (uint8_t)(1U << ctest_random(&state) % 8);
        if (!st_decimal_key_decode(key, &back)) {
            CHECK(same(back, of("0")));
            continue;
        }
        decoded++;
        st_decimal_key_encode(back, again);
        CHECK(memcmp(key, again, sizeof key) == 0);
    }
    CHECK(decoded > 0 && decoded < ROUNDS);
    static const struct { const char *text; uint8_t key[ST_DECIMAL_KEY]; } fixed[] = {
        { "NaN", { 0 } }, { "0", { 0x80 } }, { "Infinity", { 0xFF, 0xFE } },
        { "1", { 0xB0, 0x42, 0x31, 0x4D, 0xC6, 0x44, 0x8D, 0x93, 0x38, 0xC1, 0x5B, 0x0A, 0, 0, 0, 0 } },
    };
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        st_decimal_key_encode(of(fixed[i].text), key);
        CHECK(memcmp(key, fixed[i].key, sizeof key) == 0);
    }
}

/* ---- Conversions ------------------------------------------------------ */

void test_decimal_integers(void) {
    static const int64_t numbers[] = { 0, 1, -1, 10, -1000, INT64_MAX, INT64_MIN, INT64_MIN + 1 };
    int64_t out;
    uint64_t big;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char text[32];
        snprintf(text, sizeof text, "%" PRId64, numbers[i]);
        strata_decimal value = strata_decimal_from_int64(numbers[i]);
        CHECK_TEXT(text_of(value), text);
        CHECK(strata_decimal_to_int64(value, &out));
        CHECK_EQ(out, numbers[i]);
        CHECK_EQ(strata_decimal_to_uint64(value, &big), numbers[i] >= 0);
        CHECK_EQ(big, numbers[i] >= 0 ? numbers[i] : 0);
    }
    CHECK(strata_decimal_to_uint64(strata_decimal_from_uint64(UINT64_MAX), &big) && big == UINT64_MAX);
    CHECK(strata_decimal_to_uint64(of("-0.0"), &big) && big == 0);
    CHECK(strata_decimal_to_int64(of("5.000E3"), &out) && out == 5000);
    CHECK(strata_decimal_to_int64(of("-9.223372036854775808E18"), &out) && out == INT64_MIN);
    static const char *const others[] = { "0.5", "1E19", "NaN", "inf", "-Infinity", "1E6000", "1E-6176", NINES,
                                          "9223372036854775808", "-9223372036854775809" };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        CHECK(!strata_decimal_to_int64(of(others[i]), &out));
        CHECK_EQ(out, 0);
    }
    CHECK(!strata_decimal_to_uint64(of("18446744073709551616"), &big) && big == 0);
}

void test_decimal_doubles(void) {
    static const struct { double number; const char *text; } cases[] = {
        { 0, "0" }, { -0.0, "-0" }, { 0.1, "0.1" }, { 100, "100" }, { -2.5, "-2.5" }, { 1e16, "10000000000000000" },
        { 1e17, "1E+17" }, { 123456789012345680, "1.2345678901234568E+17" }, { 5e-324, "5E-324" }, { 1e-7, "1E-7" },
        { DBL_MAX, "1.7976931348623157E+308" }, { DBL_MIN, "2.2250738585072014E-308" },
        { 1.0 / 3, "0.3333333333333333" }, { 0.1 + 0.2, "0.30000000000000004" }, { (double)NAN, "NaN" },
        { (double)INFINITY, "Infinity" }, { -(double)INFINITY, "-Infinity" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_TEXT(text_of(strata_decimal_from_double(cases[i].number)), cases[i].text);
    }
    CHECK_TEXT(text_of(strata_decimal_from_float(0.1f)), "0.1");
    CHECK_TEXT(text_of(strata_decimal_from_float(16777216.0f)), "16777216");
    CHECK_TEXT(text_of(strata_decimal_from_float(FLT_MAX)), "3.4028235E+38");
    CHECK(strata_decimal_to_double(of("1E400")) == (double)INFINITY);
    CHECK(strata_decimal_to_double(of("-1E-400")) == 0 && signbit(strata_decimal_to_double(of("-1E-400"))));
    CHECK(isnan(strata_decimal_to_double(of("NaN"))));
}

void test_decimal_doubles_convert_back(void) {
    uint64_t state = ctest_seed();
    /* Where the machine has a locale with a comma, it must not matter. */
    const char *before = setlocale(LC_NUMERIC, NULL);
    char old[64];
    snprintf(old, sizeof old, "%s", before == NULL ? "C" : before);
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL) setlocale(LC_NUMERIC, "de_DE");
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t bits = ctest_random(&state);
        double number;
        memcpy(&number, &bits, sizeof number);
        if (i % 3 == 0) number = (double)(int64_t)bits / 1000;
        if (i % 7 == 0) number = (double)(bits % 1000000) / 100;
        if (!isfinite(number)) continue;
        CHECK(strata_decimal_to_double(strata_decimal_from_double(number)) == number);
        float single = (float)number;
        if (isfinite(single)) CHECK((float)strata_decimal_to_double(strata_decimal_from_float(single)) == single);
        /* To double as strtod() does it, from the same digits. */
        strata_decimal value = st_decimal_pack(bits >> 63 != 0, (int32_t)(bits % 640) - 320,
                                               random_number(&state).low);
        char text[STRATA_DECIMAL_TEXT];
        strata_decimal_print(value, text);
        char *point = strchr(text, '.');
        if (point != NULL) memcpy(point, localeconv()->decimal_point, 1);
        CHECK(strata_decimal_to_double(value) == strtod(text, NULL));
    }
    setlocale(LC_NUMERIC, old);
}
