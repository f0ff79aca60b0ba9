/* SPDX-License-Identifier: MIT
 *
 * decimal.h -- decimal numbers taken apart and put together, and their keys in indexes. */
#ifndef ST_VALUE_DECIMAL_H
#define ST_VALUE_DECIMAL_H

#include "strata_decimal.h"

typedef unsigned __int128 st_u128;

/** What a number is: NaN (then nothing else counts), infinite, or coefficient x 10^exponent. */
typedef enum st_decimal_kind { ST_DECIMAL_FINITE, ST_DECIMAL_INFINITE, ST_DECIMAL_NAN } st_decimal_kind;

/** A number taken apart. The coefficient is below 10^34 and the exponent within its limits, whatever the bytes. */
typedef struct st_decimal_parts {
    st_decimal_kind kind;
    bool negative;
    int32_t exponent;
    st_u128 coefficient;
} st_decimal_parts;

st_decimal_parts st_decimal_unpack(strata_decimal value);

/** Puts a number together that fits: a coefficient below 10^34 and an exponent within its limits. */
strata_decimal st_decimal_pack(bool negative, int32_t exponent, st_u128 coefficient);

/** Puts a number together that may need rounding. `coefficient` has at most 37 digits; `more` says that the exact
 * number is a little larger than that. */
strata_decimal st_decimal_round(bool negative, int64_t exponent, st_u128 coefficient, bool more);

/** Turns a finite number into the equal one whose exponent is nearest to 0. */
void st_decimal_simplify(st_decimal_parts *parts);

strata_decimal st_decimal_nan(void);
strata_decimal st_decimal_infinity(bool negative);

/** Digits of a number; 0 has none. */
int st_decimal_digits(st_u128 number);

/** 10^n; n is at most 38. */
st_u128 st_decimal_power(int n);

#endif
