/* SPDX-License-Identifier: MIT
 *
 * decimal.h -- decimal numbers: unpacked, packed and rounded. Public functions on them are in strata_decimal.h. */
#ifndef ST_VALUE_DECIMAL_H
#define ST_VALUE_DECIMAL_H

#include "strata_decimal.h"

typedef unsigned __int128 st_u128;

/** A number is coefficient x 10^exponent, or infinite, or NaN; of NaN nothing else matters. */
typedef enum st_decimal_kind { ST_DECIMAL_FINITE, ST_DECIMAL_INFINITE, ST_DECIMAL_NAN } st_decimal_kind;

/** An unpacked number. The coefficient is less than 10^34 and the exponent within its limits, whatever the bytes
 * were. */
typedef struct st_decimal_parts {
    st_decimal_kind kind;
    bool negative;
    int32_t exponent;
    st_u128 coefficient;
} st_decimal_parts;

st_decimal_parts st_decimal_unpack(strata_decimal value);

/** Packs a finite number. The coefficient is less than 10^34, and the exponent within its limits. */
strata_decimal st_decimal_pack(bool negative, int32_t exponent, st_u128 coefficient);

/** Packs a finite number that may need rounding. `coefficient` has at most 37 digits; `more` says that the exact number
 * is a little larger. */
strata_decimal st_decimal_round(bool negative, int64_t exponent, st_u128 coefficient, bool more);

/** Changes a finite number to the equal one whose exponent is nearest to 0. */
void st_decimal_simplify(st_decimal_parts *parts);

strata_decimal st_decimal_nan(void);
strata_decimal st_decimal_infinity(bool negative);

/** The number of digits of a number; 0 has none. */
int st_decimal_digits(st_u128 number);

/** 10^n; n is at most 38. */
st_u128 st_decimal_power(int n);

#endif
