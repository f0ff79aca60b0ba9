/* SPDX-License-Identifier: MIT
 *
 * key_bytes.h -- an encoded value, and the encodings of strings and real numbers in it.
 *
 * ON-DISK: see key.h.
 */
#ifndef ST_VALUE_KEY_BYTES_H
#define ST_VALUE_KEY_BYTES_H

#include "base/hash.h"
#include "strata.h"

enum { ST_KEY_PREFIX = 64, ST_MAX_KEY = 1 + 2 * ST_KEY_PREFIX + 2 + 8 };

/** An encoded value. */
typedef struct st_key {
    uint16_t size;
    bool truncated;            /**< a long string, or a list or map: check the row, too */
    uint8_t bytes[ST_MAX_KEY];
} st_key;

/** Encodes a string, without the byte that it begins with in a nullable column. Returns the size. */
size_t st_key_encode_bytes(const st_hash_key *hash_key, strata_bytes string, uint8_t *out, bool *truncated);

/** The bits of a double, changed so that they compare as an unsigned number; NaN is 0. That is how dates are
 * encoded. */
uint64_t st_key_order_real(double value);
/** The double that they were made of; zero without its sign. */
double st_key_real_of_order(uint64_t order);

#endif
