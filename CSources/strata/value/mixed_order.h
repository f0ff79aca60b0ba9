/* SPDX-License-Identifier: MIT
 *
 * mixed_order.h -- values of any type in one order: compared, and as bytes whose order is theirs.
 *
 * Values of different groups are in the order of the groups: null, bools, numbers of all types, strings, data, dates,
 * object ids, uuids, links, lists and maps.
 */
#ifndef ST_VALUE_MIXED_ORDER_H
#define ST_VALUE_MIXED_ORDER_H

#include "base/buffer.h"
#include "strata_mixed.h"
#include "value/key_bytes.h"

/** strata_mixed_compare() by the name of this side. */
static inline int st_mixed_compare(const strata_value *a, const strata_value *b) { return strata_mixed_compare(a, b); }

/** Do the values belong to the same group of the order: numbers, strings, ... Only then do <, > and the like hold. */
bool st_mixed_alike(const strata_value *a, const strata_value *b);

/** The group, as the first byte of keys: 0 = null, ... */
uint8_t st_mixed_group(const strata_value *value);

/** Appends bytes whose order is that of st_mixed_compare(). False if there is no memory. */
bool st_mixed_order(const strata_value *value, st_buffer *out);

/** The key in an index: see key.h. */
void st_mixed_key(const strata_value *value, st_key *out);

#endif
