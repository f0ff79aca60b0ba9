/* SPDX-License-Identifier: MIT
 *
 * decimal_order.h -- decimal numbers in order, and their keys in indexes.
 */
#ifndef ST_VALUE_DECIMAL_ORDER_H
#define ST_VALUE_DECIMAL_ORDER_H

#include "strata_decimal.h"
#include "value/decimal.h"

/**
 * A number as 16 bytes whose order is that of strata_decimal_compare(): equal numbers give equal bytes.
 *
 * ON-DISK: never change. As one big-endian number: the magnitude, which is 0 for zero, otherwise
 * (exponent + 6210) x 2^113 + coefficient once the coefficient is scaled to exactly 34 digits, and 16383 x 2^113
 * for infinity; plus 2^127 if it is positive or zero, otherwise 2^127 - 1 minus the magnitude. NaN is 0.
 */
enum { ST_DECIMAL_KEY = 16 };
void st_decimal_key_encode(strata_decimal value, uint8_t out[ST_DECIMAL_KEY]);

/** The number whose big-endian bytes the key is. */
st_u128 st_decimal_order(strata_decimal value);

#endif
