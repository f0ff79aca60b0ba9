/* SPDX-License-Identifier: MIT
 *
 * mixed_order.h -- the order of values of any type, and bytes that compare like the values.
 *
 * Each value belongs to a group. The groups come in this order: null, bools, numbers of all types, strings, data,
 * dates, object ids, uuids, links, lists and maps.
 */
#ifndef ST_VALUE_MIXED_ORDER_H
#define ST_VALUE_MIXED_ORDER_H

#include "base/buffer.h"
#include "strata_mixed.h"
#include "value/key_bytes.h"

/** The same as strata_mixed_compare(). */
static inline int st_mixed_compare(const strata_value *a, const strata_value *b) { return strata_mixed_compare(a, b); }

/** Do the values belong to the same group? Otherwise neither of them is less than the other for a query. */
bool st_mixed_alike(const strata_value *a, const strata_value *b);

/** The number of the group, which is also the first byte of keys. Null has 0. */
uint8_t st_mixed_group(const strata_value *value);

/** Appends bytes that compare as st_mixed_compare() does. False if there is no memory. */
bool st_mixed_order(const strata_value *value, st_buffer *out);

/** Encodes the key of an index: see key.h. `hash_key` is that of the file. */
void st_mixed_key(const st_hash_key *hash_key, const strata_value *value, st_key *out);

#endif
