/* SPDX-License-Identifier: MIT
 * decimal_text.h -- decimal numbers from text, without a loss. Public functions are in strata_decimal.h. */
#ifndef ST_VALUE_DECIMAL_TEXT_H
#define ST_VALUE_DECIMAL_TEXT_H

#include "strata_decimal.h"

/** Reads a number as strata_decimal_parse() does, but only one that a decimal has with all of its digits: it is neither
 * rounded nor out of range. */
bool st_decimal_read_exactly(const char *text, size_t size, strata_decimal *out);

#endif
