/* SPDX-License-Identifier: MIT
 * test_decimal.c -- decimal numbers: text, arithmetic against exact integers, conversions. */
#include "support/decimal_support.h"
#include "tests.h"

#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
        { "1254567890123456789012345678901234567E-6211", "1.3E-6175" }, { "9" NINES "99E-6212", "1.0E-6175" },
        { NINES "999E-6213", "1E-6176" }, { "4" NINES "99E-6213", "0E-6176" }, { NINES "999E-6214", "0E-6176" },
        { "1249567890123456789012345678901234567E-6211", "1.2E-6175" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        strata_decimal value = decimal_of(cases[i][0]);
        CHECK_TEXT(decimal_text(value), cases[i][1]);
        CHECK(decimal_same(decimal_of(cases[i][1]), value));
    }
    strata_decimal zero = { 0, 0 };
    CHECK_TEXT(decimal_text(zero), "0E-6176");
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
        value = decimal_of("7");
        CHECK_EQ(strata_decimal_parse(text, strlen(text), &value, &error), STRATA_TYPE);
        CHECK_EQ(error.status, STRATA_TYPE);
        CHECK_TEXT(decimal_text(value), "0");
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
        strata_decimal value = decimal_of(cases[i].text), back;
        CHECK_EQ(value.high, cases[i].high);
        CHECK_EQ(value.low, cases[i].low);
        uint8_t bytes[17];
        strata_decimal_store(value, bytes + 1);
        CHECK_EQ(bytes[1], cases[i].low & 0xFF);
        CHECK_EQ(bytes[16], cases[i].high >> 56);
        back = strata_decimal_load(bytes + 1);
        CHECK(decimal_same(back, value));
    }
    CHECK_TEXT(decimal_text(strata_decimal_load("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")), "0");
    /* What no operation makes: coefficients above 34 digits are 0, payloads of NaN do not matter. */
    strata_decimal large = { UINT64_MAX, 0x3041FFFFFFFFFFFF }, form = { 5, 0x6C11000000000000 };
    CHECK_TEXT(decimal_text(large), "0");
    CHECK(strata_decimal_is_zero(form));
    CHECK_EQ(strata_decimal_compare(large, decimal_of("0")), 0);
    CHECK_EQ(strata_decimal_compare(strata_decimal_add(large, decimal_of("2")), decimal_of("2")), 0);
    strata_decimal signalling = { 77, 0xFE00000000000001 };
    CHECK_TEXT(decimal_text(signalling), "NaN");
    CHECK(!strata_decimal_is_negative(signalling));
    CHECK(decimal_same(strata_decimal_add(signalling, decimal_of("1")), decimal_of("NaN")));
    CHECK(decimal_same(strata_decimal_negate(signalling), decimal_of("NaN")));
}

void test_decimal_text_is_exact(void) {
    uint64_t state = ctest_seed();
    for (int i = 0; i < ROUNDS; i++) {
        strata_decimal value = random_decimal(&state), other = random_decimal_bits(&state);
        CHECK(decimal_same(decimal_of(decimal_text(value)), value));
        const char *text = decimal_text(other); /* every 16 bytes have a text, which reads as an equal number */
        CHECK_EQ(strata_decimal_compare(decimal_of(text), other), 0);
        CHECK_TEXT(decimal_text(decimal_of(text)), text);
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
    return decimal_of(text);
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
        strata_decimal sum = strata_decimal_add(x, y), difference = strata_decimal_subtract(x, y);
        if (a + b != 0) CHECK_TEXT(decimal_text(sum), decimal_text(of_integer(a + b, exponent)));
        if (a - b != 0) CHECK_TEXT(decimal_text(difference), decimal_text(of_integer(a - b, exponent)));
        CHECK_EQ(strata_decimal_compare(x, y), (a > b) - (a < b));
        a %= (__int128)st_decimal_power(19);
        b %= (__int128)st_decimal_power(18);
        int other = (int)(ctest_random(&state) % 60) - 30;
        strata_decimal product = strata_decimal_multiply(of_integer(a, 7), of_integer(b, other));
        if (a * b != 0) CHECK_TEXT(decimal_text(product), decimal_text(of_integer(a * b, 7 + other)));
        if (a * b == 0) CHECK(strata_decimal_is_zero(product));
        /* Different exponents, as long as the sum of integers is exact. */
        int shift = (int)(ctest_random(&state) % 15);
        sum = strata_decimal_add(of_integer(a, shift - 5), of_integer(b, -5));
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
        CHECK(decimal_same(strata_decimal_divide(strata_decimal_negate(x), y), strata_decimal_negate(quotient)));
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
        CHECK_TEXT(decimal_text(cases[i].operate(decimal_of(cases[i].a), decimal_of(cases[i].b))), cases[i].result);
    }
    CHECK_TEXT(decimal_text(strata_decimal_negate(decimal_of("1.50"))), "-1.50");
    CHECK_TEXT(decimal_text(strata_decimal_negate(decimal_of("-inf"))), "Infinity");
    CHECK_TEXT(decimal_text(strata_decimal_abs(decimal_of("-0.0"))), "0.0");
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
        CHECK_TEXT(decimal_text(value), text);
        CHECK(strata_decimal_to_int64(value, &out));
        CHECK_EQ(out, numbers[i]);
        CHECK_EQ(strata_decimal_to_uint64(value, &big), numbers[i] >= 0);
        CHECK_EQ(big, numbers[i] >= 0 ? numbers[i] : 0);
    }
    CHECK(strata_decimal_to_uint64(strata_decimal_from_uint64(UINT64_MAX), &big) && big == UINT64_MAX);
    CHECK(strata_decimal_to_uint64(decimal_of("-0.0"), &big) && big == 0);
    CHECK(strata_decimal_to_int64(decimal_of("5.000E3"), &out) && out == 5000);
    CHECK(strata_decimal_to_int64(decimal_of("-9.223372036854775808E18"), &out) && out == INT64_MIN);
    static const char *const others[] = { "0.5", "1E19", "NaN", "inf", "-Infinity", "1E6000", "1E-6176", NINES,
                                          "9223372036854775808", "-9223372036854775809" };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        CHECK(!strata_decimal_to_int64(decimal_of(others[i]), &out));
        CHECK_EQ(out, 0);
    }
    CHECK(!strata_decimal_to_uint64(decimal_of("18446744073709551616"), &big) && big == 0);
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
        CHECK_TEXT(decimal_text(strata_decimal_from_double(cases[i].number)), cases[i].text);
    }
    CHECK_TEXT(decimal_text(strata_decimal_from_float(0.1f)), "0.1");
    CHECK_TEXT(decimal_text(strata_decimal_from_float(16777216.0f)), "16777216");
    CHECK_TEXT(decimal_text(strata_decimal_from_float(FLT_MAX)), "3.4028235E+38");
    CHECK(strata_decimal_to_double(decimal_of("1E400")) == (double)INFINITY);
    double tiny = strata_decimal_to_double(decimal_of("-1E-400"));
    CHECK(tiny == 0 && signbit(tiny));
    CHECK(isnan(strata_decimal_to_double(decimal_of("NaN"))));
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
                                               random_decimal(&state).low);
        char text[STRATA_DECIMAL_TEXT];
        strata_decimal_print(value, text);
        char *point = strchr(text, '.');
        if (point != NULL) memcpy(point, localeconv()->decimal_point, 1);
        CHECK(strata_decimal_to_double(value) == strtod(text, NULL));
    }
    setlocale(LC_NUMERIC, old);
}
