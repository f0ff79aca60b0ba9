/* SPDX-License-Identifier: MIT
 * tuple_support.h -- random values of the types that compound indexes take, and their order. */
#ifndef TUPLE_SUPPORT_H
#define TUPLE_SUPPORT_H

#include "value/tuple.h"

/** The types that compound indexes take. */
extern const strata_type tuple_types[7];

/** A value of one of few, so that many are equal: for strings, short ones, long ones that begin alike, and ones with
 * zeros in them. Null only if `nullable`. Lifetime of bytes: for good. Links are the keys 1 to 5, or null. */
strata_value tuple_random_value(uint64_t *random, strata_type type, bool nullable);

/** -1, 0 or 1: nulls first, strings by their bytes. */
int tuple_value_order(const strata_value *a, const strata_value *b);

#endif
