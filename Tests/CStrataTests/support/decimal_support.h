/* SPDX-License-Identifier: MIT
 * decimal_support.h -- what the tests of decimal numbers share. */
#ifndef DECIMAL_SUPPORT_H
#define DECIMAL_SUPPORT_H

#include "value/decimal.h"

enum { ROUNDS = 20000 };

#define NINES "9999999999999999999999999999999999"

/** The number of a text, which must be one. */
strata_decimal decimal_of(const char *text);

/** The text of a number. Lifetime: until the eighth call after this one. */
const char *decimal_text(strata_decimal value);

/** True if all bits are the same. */
bool decimal_same(strata_decimal a, strata_decimal b);

/** Any 16 bytes. */
strata_decimal random_decimal_bits(uint64_t *state);

/** A number with 0 to 34 digits and an exponent near to 0, near to a limit, or anywhere. */
strata_decimal random_decimal(uint64_t *state);

#endif
