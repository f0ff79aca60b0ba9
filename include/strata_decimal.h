/* SPDX-License-Identifier: MIT
 *
 * strata_decimal.h -- decimal numbers: IEEE 754 decimal128 in its binary (BID) encoding, as MongoDB and Realm
 * store them.
 *
 * A number is sign x coefficient x 10^exponent with a coefficient of at most 34 digits and an exponent from
 * -6176 to 6111; besides there are two infinities and NaN. 1, 1.0 and 1.00 are the same number written with
 * different exponents: they print differently and compare equal.
 *
 * Every 16 bytes are some number, so no function here can be given a bad one: a coefficient above 34 digits
 * counts as 0, as the standard says. Results that do not fit 34 digits are rounded half to even; too large ones
 * become infinite, too small ones 0. Nothing traps: 1/0 is infinite, 0/0 is NaN.
 *
 * Thread: every function may be called from every thread; none of them fails but strata_decimal_parse().
 */
#ifndef STRATA_DECIMAL_H
#define STRATA_DECIMAL_H

#include "strata.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A decimal number. ON-DISK: its 16 bytes, little-endian, `low` first. Zero-initialised it is 0E-6176, which equals
 * 0 but prints as that; strata_decimal_from_int64(0) is the plain 0. */
typedef struct strata_decimal {
    uint64_t low;  /**< the low half of the coefficient */
    uint64_t high; /**< sign (1 bit), exponent + 6176 (14 bits), the high part of the coefficient (49 bits) */
} strata_decimal;

enum {
    STRATA_DECIMAL_DIGITS = 34,
    STRATA_DECIMAL_MIN_EXPONENT = -6176,
    STRATA_DECIMAL_MAX_EXPONENT = 6111,
    STRATA_DECIMAL_TEXT = 48 /**< bytes that hold every printed number and its final zero */
};

/** Reads the 16 bytes of a number as they are stored; they need not be aligned. Bytes that are all zero, which a
 * column holds before anything is written to it, read as the plain 0. */
static inline strata_decimal strata_decimal_load(const void *bytes) {
    strata_decimal value;
    value.low = strata_load64((const uint8_t *)bytes);
    value.high = strata_load64((const uint8_t *)bytes + 8);
    if ((value.low | value.high) == 0) value.high = UINT64_C(0x3040) << 48;
    return value;
}

/** Writes the 16 bytes of a number as they are stored; they need not be aligned. */
static inline void strata_decimal_store(strata_decimal value, void *out) {
    memcpy(out, &value.low, 8);
    memcpy((uint8_t *)out + 8, &value.high, 8);
}

/** The number as a value of a decimal column, or of a mixed one. */
static inline strata_value strata_decimal_value(strata_decimal number) {
    strata_value value = strata_null();
    value.type = STRATA_DECIMAL;
    strata_decimal_store(number, value.as.fixed);
    return value;
}

/* ---- Text ------------------------------------------------------------- */

/**
 * Reads a number: [+-] digits [. digits] [e [+-] digits], where one side of the point may be empty, or
 * [+-] inf, infinity or nan, in upper or lower case. Spaces are not allowed.
 *
 * The exponent is kept: "1.00" has two digits after the point. NaN has no sign.
 * Fails: STRATA_TYPE, with the place of the first wrong character; STRATA_MISUSE. `*out` is then 0.
 */
STRATA_CHECKED strata_status strata_decimal_parse(const char *text, size_t size, strata_decimal *out,
                                                  strata_error *error);

/**
 * Prints a number, so that parsing the text gives the same number with the same exponent.
 *
 * "1.00", "-0", "0.000001", "1E-7", "1.5E+20", "Infinity", "-Infinity", "NaN": plain digits if the exponent is at
 * most 0 and at most five zeros follow the point, otherwise one digit, the point, the others, and an exponent. That
 * is "to-scientific-string" of the General Decimal Arithmetic specification, and what BSON uses.
 *
 * Returns: the length; `out` is zero-terminated.
 */
size_t strata_decimal_print(strata_decimal value, char out[STRATA_DECIMAL_TEXT]);

/* ---- Conversions ------------------------------------------------------ */

/** The number, exactly, with exponent 0. */
strata_decimal strata_decimal_from_int64(int64_t value);
strata_decimal strata_decimal_from_uint64(uint64_t value);

/**
 * The number with the fewest digits, from 15 to 17, that converts back to the same double: 0.1 gives 0.1 and not
 * the 55 digits that the double really has. Trailing zeros are dropped; whole numbers below 10^17 have exponent 0.
 */
strata_decimal strata_decimal_from_double(double value);

/** The same for a float, with 6 to 9 digits. */
strata_decimal strata_decimal_from_float(float value);

/** The nearest double; infinite if the number is too large for one. */
double strata_decimal_to_double(strata_decimal value);

/** True, and `*out` is the number, if it is a whole number that fits; otherwise `*out` is 0. 2.0 is whole. */
bool strata_decimal_to_int64(strata_decimal value, int64_t *out);
bool strata_decimal_to_uint64(strata_decimal value, uint64_t *out);

/* ---- Arithmetic ------------------------------------------------------- *
 *
 * The exponent of an exact result is what people expect of money: 1.10 + 2.2 is 3.30, 1.10 x 2.2 is 2.420,
 * 6.0 / 2 is 3.0. An operation on NaN gives NaN.
 */

strata_decimal strata_decimal_add(strata_decimal a, strata_decimal b);
strata_decimal strata_decimal_subtract(strata_decimal a, strata_decimal b);
strata_decimal strata_decimal_multiply(strata_decimal a, strata_decimal b);
strata_decimal strata_decimal_divide(strata_decimal a, strata_decimal b);

/** The number with the other sign. NaN stays NaN. */
strata_decimal strata_decimal_negate(strata_decimal value);
/** The number without its sign. */
strata_decimal strata_decimal_abs(strata_decimal value);

/* ---- Order ------------------------------------------------------------ */

/** -1, 0 or 1. A total order: NaN is equal to itself and below everything else, -0 equals 0, 1.0 equals 1.00. */
int strata_decimal_compare(strata_decimal a, strata_decimal b);

/**
 * The one number that stands for all that are equal to it, so that equal numbers become equal bytes: for hashing.
 *
 * Its exponent is the one nearest to 0: 1.50 gives 1.5, 1E+2 gives 100, -0 gives 0.
 */
strata_decimal strata_decimal_reduce(strata_decimal value);

bool strata_decimal_is_nan(strata_decimal value);
bool strata_decimal_is_infinite(strata_decimal value);
/** True if the number has a minus sign, also for -0. */
bool strata_decimal_is_negative(strata_decimal value);
/** True for 0, -0 and 0.00. */
bool strata_decimal_is_zero(strata_decimal value);

#ifdef __cplusplus
}
#endif
#endif
