/* SPDX-License-Identifier: MIT
 *
 * key_bytes.h -- what encoded values are made of: strings, real numbers and hashes.
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
    bool truncated;            /**< a long string, or a list or map: recheck against the row */
    uint8_t bytes[ST_MAX_KEY];
} st_key;

/** The encoding of a string, without what a nullable column has in front; returns its size. */
size_t st_key_encode_bytes(strata_bytes string, uint8_t *out, bool *truncated);

/** A number whose unsigned order is that of dates and doubles, as stored for a date: NaN is 0. */
uint64_t st_key_order_real(double value);

/** The 64-bit hash of long strings in keys, also used for hash tables. ON-DISK: 64-bit FNV-1a over the bytes, finished with the
 * mixing steps of splitmix64. */
uint64_t st_hash(const void *data, size_t size);
/** The same in parts: st_hash_end() of what ST_HASH_START and all the bytes have become. */
#define ST_HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t st_hash_more(uint64_t hash, const void *data, size_t size);
uint64_t st_hash_end(uint64_t hash);

#endif
