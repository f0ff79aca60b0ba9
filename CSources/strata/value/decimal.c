/* SPDX-License-Identifier: MIT
 * decimal.c -- decimal numbers: unpacked, packed and rounded. */
#include "value/decimal.h"

enum { BIAS = 6176 };

#define SIGN (UINT64_C(1) << 63)
#define KIND_MASK (UINT64_C(0x7C) << 56)
#define KIND_INFINITE (UINT64_C(0x78) << 56)
#define KIND_NAN (UINT64_C(0x7C) << 56)
/* Marks the second form of the encoding. All of its coefficients have more than 34 digits, which count as 0. */
#define LARGE_FORM (UINT64_C(3) << 61)
#define COEFFICIENT_MASK ((UINT64_C(1) << 49) - 1)

static const uint64_t powers[20] = {
    UINT64_C(1),
    UINT64_C(10),
    UINT64_C(100),
    UINT64_C(1000),
    UINT64_C(10000),
    UINT64_C(100000),
    UINT64_C(1000000),
    UINT64_C(10000000),
    UINT64_C(100000000),
    UINT64_C(1000000000),
    UINT64_C(10000000000),
    UINT64_C(100000000000),
    UINT64_C(1000000000000),
    UINT64_C(10000000000000),
    UINT64_C(100000000000000),
    UINT64_C(1000000000000000),
    UINT64_C(10000000000000000),
    UINT64_C(100000000000000000),
    UINT64_C(1000000000000000000),
    UINT64_C(10000000000000000000),
};

st_u128 st_decimal_power(int n) { return n < 20 ? powers[n] : (st_u128)powers[19] * powers[n - 19]; }

int st_decimal_digits(st_u128 number) {
    if (number == 0) return 0;
    uint64_t high = (uint64_t)(number >> 64);
    int bits = high != 0 ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll((uint64_t)number);
    int digits = bits * 1233 >> 12; /* bits x log10(2), rounded down: the answer, or one less than it */
    return digits + (number >= st_decimal_power(digits) ? 1 : 0);
}

/* ---- Encoding --------------------------------------------------------- */

strata_decimal st_decimal_nan(void) { return (strata_decimal){ 0, KIND_NAN }; }

strata_decimal st_decimal_infinity(bool negative) {
    return (strata_decimal){ 0, KIND_INFINITE | (negative ? SIGN : 0) };
}

strata_decimal st_decimal_pack(bool negative, int32_t exponent, st_u128 coefficient) {
    strata_decimal value;
    value.low = (uint64_t)coefficient;
    value.high = (uint64_t)(coefficient >> 64) | (uint64_t)(exponent + BIAS) << 49 | (negative ? SIGN : 0);
    return value;
}

st_decimal_parts st_decimal_unpack(strata_decimal value) {
    st_decimal_parts parts = { ST_DECIMAL_FINITE, (value.high & SIGN) != 0, 0, 0 };
    if ((value.high & KIND_MASK) == KIND_NAN) {
        parts.kind = ST_DECIMAL_NAN;
        parts.negative = false;
    } else if ((value.high & KIND_MASK) == KIND_INFINITE) {
        parts.kind = ST_DECIMAL_INFINITE;
    } else if ((value.high & LARGE_FORM) == LARGE_FORM) {
        parts.exponent = (int32_t)(value.high >> 47 & 0x3FFF) - BIAS;
    } else {
        parts.exponent = (int32_t)(value.high >> 49 & 0x3FFF) - BIAS;
        parts.coefficient = (st_u128)(value.high & COEFFICIENT_MASK) << 64 | value.low;
        if (parts.coefficient >= st_decimal_power(STRATA_DECIMAL_DIGITS)) parts.coefficient = 0;
    }
    return parts;
}

/* ---- Rounding --------------------------------------------------------- */

/* The coefficient without its last `count` digits, rounded half to even. */
static st_u128 drop_digits(st_u128 coefficient, int64_t count, bool more) {
    if (count > 38) return 0;
    st_u128 unit = st_decimal_power((int)count);
    st_u128 whole = coefficient / unit;
    st_u128 twice = coefficient % unit * 2; /* below 2 x 10^38, which fits */
    bool up = twice > unit || (twice == unit && (more || (whole & 1) != 0));
    return whole + (up ? 1 : 0);
}

strata_decimal st_decimal_round(bool negative, int64_t exponent, st_u128 coefficient, bool more) {
    int64_t drop = st_decimal_digits(coefficient) - STRATA_DECIMAL_DIGITS;
    if (drop < STRATA_DECIMAL_MIN_EXPONENT - exponent) drop = STRATA_DECIMAL_MIN_EXPONENT - exponent;
    if (drop > 0) {
        coefficient = drop_digits(coefficient, drop, more);
        exponent += drop;
        if (coefficient == st_decimal_power(STRATA_DECIMAL_DIGITS)) {
            coefficient /= 10;
            exponent++;
        }
    }
    if (exponent > STRATA_DECIMAL_MAX_EXPONENT) {
        int64_t grow = exponent - STRATA_DECIMAL_MAX_EXPONENT;
        if (coefficient != 0) {
            if (grow > STRATA_DECIMAL_DIGITS - st_decimal_digits(coefficient)) return st_decimal_infinity(negative);
            coefficient *= st_decimal_power((int)grow);
        }
        exponent = STRATA_DECIMAL_MAX_EXPONENT;
    }
    return st_decimal_pack(negative, (int32_t)exponent, coefficient);
}

void st_decimal_simplify(st_decimal_parts *parts) {
    if (parts->coefficient == 0) {
        parts->exponent = 0;
        return;
    }
    while (parts->exponent < 0 && parts->coefficient % 10 == 0) {
        parts->coefficient /= 10;
        parts->exponent++;
    }
    if (parts->exponent > 0) {
        int room = STRATA_DECIMAL_DIGITS - st_decimal_digits(parts->coefficient);
        int grow = parts->exponent < room ? parts->exponent : room;
        parts->coefficient *= st_decimal_power(grow);
        parts->exponent -= grow;
    }
}
