/* SPDX-License-Identifier: MIT
 *
 * key.h -- values encoded as bytes that compare like the values: the keys of indexes.
 *
 * ON-DISK: never change; add a kind of index instead.
 *
 *   bool         1 byte, 0 or 1
 *   int          8 bytes, big-endian, sign bit flipped
 *   date         8 bytes, big-endian; negative numbers inverted, others with the sign bit flipped
 *                (negative zero is stored as zero; NaN sorts before every number)
 *   uuid         its 16 bytes;  object id: its 12 bytes
 *   link         8 bytes, big-endian object key
 *   string       the bytes, each 0 written as 0 255, then 0 0. If a string is longer than 64 bytes, only the
 *                first 64 are written, then 0 1 and a 64-bit hash of the whole string, SipHash-1-3 with the
 *                key of the file (store/header.h), as a big-endian number. Two such encodings that are
 *                equal may belong to different strings, so the row must be checked; and if the first 64 bytes are
 *                equal, the order of the encodings is not that of the strings
 *
 *   mixed        the group of the value in the order of mixed values, then: null nothing; bool as above; numbers of
 *                all types the 16 bytes of decimal_order.h; date, uuid and object id as above; link the table in 2
 *                bytes and the object key in 6; string and data as a string above; list or map the same hash of all its
 *                values, which must be checked against the row, too. It does not matter whether the column is nullable:
 *                the group of null is 0, the least
 *
 * In every other nullable column an encoding begins with a byte 1, and a null is a byte 0, followed by zeros up to the
 * width of the type if that is fixed. No encoding is a prefix of another one of the same column.
 */
#ifndef ST_VALUE_KEY_H
#define ST_VALUE_KEY_H

#include "value/key_bytes.h"

/** The size of all encoded values of a column of this type; 0 if they have different sizes. */
uint32_t st_key_width(strata_type type, bool nullable);

/** Encodes a value of a column of type `type`, which must be a type that indexes may have. `value` has that type or is
 * null. `hash_key` is that of the file. */
void st_key_encode(const st_hash_key *hash_key, strata_type type, bool nullable, const strata_value *value,
                   st_key *out);

/** Does the encoding hold less than the value? Then st_key.truncated was set. */
bool st_key_is_truncated(strata_type type, bool nullable, strata_bytes encoded);

/** Decodes what st_key_encode() made, except for mixed columns. Of a truncated string there are only the first bytes.
 * `scratch` holds the bytes of strings. False if the bytes are not an encoding. */
bool st_key_decode(strata_type type, bool nullable, strata_bytes encoded, uint8_t scratch[ST_KEY_PREFIX],
                   strata_value *out);

#endif
