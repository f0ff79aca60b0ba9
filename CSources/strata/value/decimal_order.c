/* SPDX-License-Identifier: MIT
 * decimal_order.c -- decimal numbers compared, and their keys in indexes. */
#include "value/decimal_order.h"

#include "base/bits.h"

/* The exponent of the smallest number with 34 digits is 33 below the smallest exponent, and magnitudes start at 1. */
enum { FIRST_RANK = 1, KEY_BIAS = 6176 + STRATA_DECIMAL_DIGITS - 1 + FIRST_RANK, RANK_SHIFT = 113 };

#define HALF ((st_u128)1 << 127)
#define INFINITE_MAGNITUDE ((st_u128)16383 << RANK_SHIFT)

st_u128 st_decimal_order(strata_decimal value) {
    st_decimal_parts parts = st_decimal_unpack(value);
    st_u128 magnitude = 0;
    if (parts.kind == ST_DECIMAL_NAN) return 0;
    if (parts.kind == ST_DECIMAL_INFINITE) {
        magnitude = INFINITE_MAGNITUDE;
    } else if (parts.coefficient == 0) {
        return HALF;
    } else {
        int grow = STRATA_DECIMAL_DIGITS - st_decimal_digits(parts.coefficient);
        magnitude = (st_u128)(uint32_t)(parts.exponent - grow + KEY_BIAS) << RANK_SHIFT;
        magnitude += parts.coefficient * st_decimal_power(grow);
    }
    return parts.negative ? HALF - 1 - magnitude : HALF + magnitude;
}

int strata_decimal_compare(strata_decimal a, strata_decimal b) {
    st_u128 x = st_decimal_order(a), y = st_decimal_order(b);
    return x < y ? -1 : x > y;
}

strata_decimal strata_decimal_reduce(strata_decimal value) {
    st_decimal_parts parts = st_decimal_unpack(value);
    if (parts.kind == ST_DECIMAL_NAN) return st_decimal_nan();
    if (parts.kind == ST_DECIMAL_INFINITE) return st_decimal_infinity(parts.negative);
    st_decimal_simplify(&parts);
    return st_decimal_pack(parts.negative && parts.coefficient != 0, parts.exponent, parts.coefficient);
}

/* ---- Keys ------------------------------------------------------------- */

void st_decimal_key_encode(strata_decimal value, uint8_t out[ST_DECIMAL_KEY]) {
    st_u128 order = st_decimal_order(value);
    st_store_big64(out, (uint64_t)(order >> 64));
    st_store_big64(out + 8, (uint64_t)order);
}

/* ---- Kinds and signs -------------------------------------------------- */

bool strata_decimal_is_nan(strata_decimal value) { return st_decimal_unpack(value).kind == ST_DECIMAL_NAN; }

bool strata_decimal_is_infinite(strata_decimal value) {
    return st_decimal_unpack(value).kind == ST_DECIMAL_INFINITE;
}

bool strata_decimal_is_negative(strata_decimal value) { return st_decimal_unpack(value).negative; }

bool strata_decimal_is_zero(strata_decimal value) {
    st_decimal_parts parts = st_decimal_unpack(value);
    return parts.kind == ST_DECIMAL_FINITE && parts.coefficient == 0;
}

/* The same number with another sign, and one encoding for NaN and for coefficients that count as 0. */
static strata_decimal with_sign(st_decimal_parts parts, bool negative) {
    if (parts.kind == ST_DECIMAL_NAN) return st_decimal_nan();
    if (parts.kind == ST_DECIMAL_INFINITE) return st_decimal_infinity(negative);
    return st_decimal_pack(negative, parts.exponent, parts.coefficient);
}

strata_decimal strata_decimal_negate(strata_decimal value) {
    st_decimal_parts parts = st_decimal_unpack(value);
    return with_sign(parts, !parts.negative);
}

strata_decimal strata_decimal_abs(strata_decimal value) { return with_sign(st_decimal_unpack(value), false); }
