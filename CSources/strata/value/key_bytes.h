/* SPDX-License-Identifier: MIT
 *
 * key_bytes.h -- an encoded value, and the encodings of strings and real numbers and the hashes in it.
 *
 * ON-DISK: see key.h.
 */
#ifndef ST_VALUE_KEY_BYTES_H
#define ST_VALUE_KEY_BYTES_H

#include "strata.h"

enum { ST_KEY_PREFIX = 64, ST_MAX_KEY = 1 + 2 * ST_KEY_PREFIX + 2 + 8 };

/** An encoded value. */
typedef struct st_key {
    uint16_t size;
    bool truncated;            /**< a long string, or a list or map: check the row, too */
    uint8_t bytes[ST_MAX_KEY];
} st_key;

/** Encodes a string, without the byte that it begins with in a nullable column. Returns the size. */
size_t st_key_encode_bytes(strata_bytes string, uint8_t *out, bool *truncated);

/** The bits of a double, changed so that they compare as an unsigned number; NaN is 0. That is how dates are
 * encoded. */
uint64_t st_key_order_real(double value);

/** The 64-bit hash of long strings, which hash tables use, too. ON-DISK: 64-bit FNV-1a over the bytes, then the mixing
 * steps of splitmix64. */
uint64_t st_hash(const void *data, size_t size);
/** The same hash, of bytes that come one after the other: starts with ST_HASH_START, goes on with st_hash_more(), and
 * ends with st_hash_end(). */
#define ST_HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t st_hash_more(uint64_t hash, const void *data, size_t size);
uint64_t st_hash_end(uint64_t hash);

#endif
