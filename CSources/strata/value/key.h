/* SPDX-License-Identifier: MIT
 *
 * key.h -- values as bytes whose order is the order of the values.
 *
 * ON-DISK: never change; add a kind of index instead.
 *
 *   bool         1 byte, 0 or 1
 *   int          8 bytes, big-endian, sign bit flipped
 *   date         8 bytes, big-endian; negative numbers inverted, others with the sign bit flipped
 *                (negative zero is stored as zero; NaN sorts before every number)
 *   uuid         its 16 bytes;  object id: its 12 bytes
 *   link         8 bytes, big-endian object key
 *   string       the bytes, each 0 written as 0 255, then 0 0. Of a string longer than 64 bytes only the first
 *                64 are written, then 0 1 and a 64-bit hash of the whole string: such entries are equal only
 *                if the strings are (checked against the row), and their order among each other is not
 *                that of the strings
 *
 *   mixed        the group of the value in the order of mixed values, then: null nothing; bool as above; numbers of
 *                all types the 16 bytes of decimal.h; date, uuid and object id as above; link the table in 2 bytes and
 *                the object key in 6; string and data as a string above; list or map a 64-bit hash of all its values,
 *                to be checked against the row like that of a long string. Whether the column is nullable does not
 *                matter: the group of null is 0, the least
 *
 * In another nullable column every encoding has a byte 1 in front; a null is a byte 0, filled up with zeros to the
 * width of the type if that is fixed. No encoding is a prefix of another one of the same column.
 */
#ifndef ST_VALUE_KEY_H
#define ST_VALUE_KEY_H

#include "value/key_bytes.h"

/** Bytes of every encoded value of a column of this type; 0 if they differ. */
uint32_t st_key_width(strata_type type, bool nullable);

/** Encodes a value of a column of type `type` that may be indexed. `value` is of that type, or null. */
void st_key_encode(strata_type type, bool nullable, const strata_value *value, st_key *out);

/** Does the key say less than the value? Then st_key.truncated was set. */
bool st_key_is_truncated(strata_type type, bool nullable, strata_bytes encoded);

/** Decodes what st_key_encode() made, but not of mixed columns; a truncated string gives its first bytes. `scratch`
 * holds the bytes of strings. False if the bytes are not an encoding. */
bool st_key_decode(strata_type type, bool nullable, strata_bytes encoded, uint8_t scratch[ST_KEY_PREFIX],
                   strata_value *out);

#endif
