/* SPDX-License-Identifier: MIT
 *
 * mixed.h -- one value of any type as bytes.
 *
 * ON-DISK: never change; numbers are little-endian. The cell of a mixed column, and each entry of a nested value, is
 * a tag and what belongs to it. Bits 0..3 of the tag are the strata_type, bits 4..7 are 0 if nothing else is said:
 *
 *   null          nothing; only inside of nested values, since a cell has its null bit
 *   bool          u8, 0 or 1
 *   int           as many bytes as bits 4..7 say (1, 2, 4 or 8), sign-extended
 *   float         4 bytes;  double, date: 8;  uuid, decimal: 16;  object id: 12
 *   link          u64: table << 48 | object key
 *   string, data  in a cell: the bytes, to its end; inside of a nested value: their number, of as many bytes as bits
 *                 4..7 say (1, 2 or 4), then they
 *   nested        bits 4..7 are the strata_collection, a list or a map; u32 bytes of all entries, u32 number of
 *                 entries, then they: packed values, each behind its key in a map. A key is a u16 size and the bytes;
 *                 keys ascend by their bytes
 *
 * A cell over ST_INLINE_VALUE is stored elsewhere, which only strings, data and nested values can be. Then the value
 * stored there is the bytes of the strata_value, without a tag, and the reference has the type in the high 8 bits of
 * its size.
 */
#ifndef ST_VALUE_MIXED_H
#define ST_VALUE_MIXED_H

#include "base/buffer.h"
#include "strata_mixed.h"

enum { ST_MIXED_NESTED_HEAD = 9 /* bytes of a nested value before its entries */ };

/** What keeps the value out of a mixed column, in words that go on after "a value that": NULL if nothing does. Looks
 * at everything, also inside of nested values. Links must name one of `tables` tables. */
const char *st_mixed_flaw(const strata_value *value, uint32_t tables);

/** Bytes of the value in a cell; it is not null and has no flaw. */
size_t st_mixed_size(const strata_value *value);
void st_mixed_pack(const strata_value *value, uint8_t *out);

/** Appends a value as an entry of a nested one, `tag` and all. False if there is no memory. */
bool st_mixed_append_entry(const strata_value *value, st_buffer *out);

/** Reads a cell; bytes are lent from it. False if they are none; what is inside of a nested value is not looked at. */
bool st_mixed_unpack(strata_bytes cell, strata_value *out);

/** The size field of a reference to a value of a mixed column that is stored elsewhere. */
static inline uint64_t st_mixed_reference(strata_type type, uint64_t size) { return (uint64_t)type << 56 | size; }
/** Takes such a field apart. False if it is damaged. */
static inline bool st_mixed_of_reference(uint64_t field, strata_type *out_type, uint64_t *out_size) {
    *out_type = (strata_type)(field >> 56);
    *out_size = field & ((UINT64_C(1) << 56) - 1);
    return (*out_type == STRATA_STRING || *out_type == STRATA_DATA || *out_type == STRATA_NESTED) &&
           *out_size <= STRATA_MAX_VALUE;
}

/** What a link index holds of a link in a mixed column. */
static inline uint64_t st_mixed_target(uint32_t table, uint64_t key) { return (uint64_t)table << 48 | key; }

#endif
