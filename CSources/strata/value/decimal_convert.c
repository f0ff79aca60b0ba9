/* SPDX-License-Identifier: MIT
 * decimal_convert.c -- decimal numbers from and to the numbers of C. */
#include "value/decimal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Integers --------------------------------------------------------- */

strata_decimal strata_decimal_from_uint64(uint64_t value) { return st_decimal_pack(false, 0, value); }

strata_decimal strata_decimal_from_int64(int64_t value) {
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    return st_decimal_pack(value < 0, 0, magnitude);
}

/* True if the number is whole and its magnitude is at most `limit`. */
static bool whole(strata_decimal value, uint64_t limit, bool *out_negative, uint64_t *out_magnitude) {
    st_decimal_parts parts = st_decimal_unpack(value);
    *out_negative = parts.negative;
    *out_magnitude = 0;
    if (parts.kind != ST_DECIMAL_FINITE) return false;
    st_decimal_simplify(&parts);
    if (parts.exponent != 0 || parts.coefficient > limit) return false;
    *out_magnitude = (uint64_t)parts.coefficient;
    return true;
}

bool strata_decimal_to_int64(strata_decimal value, int64_t *out) {
    bool negative;
    uint64_t magnitude;
    *out = 0;
    if (!whole(value, UINT64_C(1) << 63, &negative, &magnitude)) return false;
    if (!negative && magnitude > INT64_MAX) return false;
    *out = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

bool strata_decimal_to_uint64(strata_decimal value, uint64_t *out) {
    bool negative;
    *out = 0;
    if (!whole(value, UINT64_MAX, &negative, out)) return false;
    if (!negative || *out == 0) return true;
    *out = 0;
    return false;
}

/* ---- Floating point --------------------------------------------------- */

/* Reads a number that printf wrote as d.ddde+xx, with whatever point the locale has. */
static strata_decimal of_scientific(bool negative, const char *text) {
    uint64_t coefficient = 0;
    int exponent = 0;
    bool after_point = false;
    const char *p = text;
    for (; *p != 'e'; p++) {
        if (*p < '0' || *p > '9') {
            after_point = true;
            continue;
        }
        coefficient = coefficient * 10 + (unsigned)(*p - '0');
        if (after_point) exponent--;
    }
    exponent += atoi(p + 1);
    while (coefficient != 0 && coefficient % 10 == 0) {
        coefficient /= 10;
        exponent++;
    }
    if (coefficient == 0) exponent = 0;
    int room = DBL_DECIMAL_DIG - st_decimal_digits(coefficient);
    if (exponent > 0 && exponent <= room) {
        coefficient *= (uint64_t)st_decimal_power(exponent);
        exponent = 0;
    }
    return st_decimal_pack(negative, exponent, coefficient);
}

static bool reads_back_double(const char *text, double value) { return strtod(text, NULL) == value; }
static bool reads_back_float(const char *text, double value) { return strtof(text, NULL) == (float)value; }

/* The decimal with the fewest digits, `least` to `most`, that reads back as the value. */
static strata_decimal of_real(double value, int least, int most, bool (*reads_back)(const char *, double)) {
    if (isnan(value)) return st_decimal_nan();
    bool negative = signbit(value) != 0;
    if (isinf(value)) return st_decimal_infinity(negative);
    char text[40];
    for (int count = least; count <= most; count++) {
        snprintf(text, sizeof text, "%.*e", count - 1, fabs(value));
        if (reads_back(text, fabs(value))) break;
    }
    return of_scientific(negative, text);
}

/* Subnormal numbers have less precision and may need fewer digits: 5e-324 needs one. */
strata_decimal strata_decimal_from_double(double value) {
    return of_real(value, fabs(value) < DBL_MIN ? 1 : DBL_DIG, DBL_DECIMAL_DIG, reads_back_double);
}

strata_decimal strata_decimal_from_float(float value) {
    return of_real(value, fabsf(value) < FLT_MIN ? 1 : FLT_DIG, FLT_DECIMAL_DIG, reads_back_float);
}

double strata_decimal_to_double(strata_decimal value) {
    st_decimal_parts parts = st_decimal_unpack(value);
    if (parts.kind == ST_DECIMAL_NAN) return NAN;
    if (parts.kind == ST_DECIMAL_INFINITE) return parts.negative ? -INFINITY : INFINITY;
    double magnitude;
    if (parts.coefficient >> 53 == 0 && parts.exponent == 0) {
        magnitude = (double)(uint64_t)parts.coefficient;
    } else if (parts.coefficient >> 53 == 0 && parts.exponent < 0 && parts.exponent >= -15) {
        /* Both are exact, so the quotient is rounded once. */
        magnitude = (double)(uint64_t)parts.coefficient / (double)(uint64_t)st_decimal_power(-parts.exponent);
    } else {
        /* Without a point, so that the locale does not matter. */
        char text[STRATA_DECIMAL_TEXT];
        uint64_t unit = UINT64_C(10000000000000000000);
        snprintf(text, sizeof text, "%llu%019llue%d", (unsigned long long)(parts.coefficient / unit),
                 (unsigned long long)(parts.coefficient % unit), (int)parts.exponent);
        magnitude = strtod(text, NULL);
    }
    return parts.negative ? -magnitude : magnitude;
}
