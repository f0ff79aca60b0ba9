/* SPDX-License-Identifier: MIT
 *
 * mixed.h -- a value of any type as bytes: the cells of mixed columns.
 *
 * ON-DISK: never change; numbers are little-endian. The cell of a mixed column, and each entry of a nested value, is
 * a tag and what follows it. Bits 0..3 of the tag are the strata_type. Bits 4..7 are 0 unless said otherwise:
 *
 *   null          nothing; only inside of nested values, because a cell has a null bit
 *   bool          u8, 0 or 1
 *   int           bits 4..7 are the number of bytes (1, 2, 4 or 8), which are sign-extended
 *   float         4 bytes;  double, date: 8;  uuid, decimal: 16;  object id: 12
 *   link          u64: table << 48 | object key
 *   string, data  in a cell: the bytes, up to its end; inside of a nested value: the size, which has as many bytes as
 *                 bits 4..7 say (1, 2 or 4), then the bytes
 *   nested        bits 4..7 are the strata_collection, a list or a map; u32 size of all entries, u32 number of entries,
 *                 then the entries. In a map each entry is a key and a value. A key is a u16 size and the bytes; keys
 *                 ascend by their bytes
 *
 * A value whose cell would be larger than ST_INLINE_VALUE is stored outside of its row, which can only be a string,
 * data or a nested value. Its bytes are then stored there without a tag, and the reference in the cell has the type in
 * the high 8 bits of its size field.
 */
#ifndef ST_VALUE_MIXED_H
#define ST_VALUE_MIXED_H

#include "base/buffer.h"
#include "strata_mixed.h"

enum { ST_MIXED_NESTED_HEAD = 9 /* the size of tag, size and count before the entries of a nested value */ };

/** Whether the bytes of a value are missing: it has some, and no address of them. */
static inline bool st_mixed_lacks_bytes(const strata_value *value) {
    bool bytes = value->type == STRATA_STRING || value->type == STRATA_DATA || value->type == STRATA_NESTED;
    return bytes && value->as.bytes.size != 0 && value->as.bytes.data == NULL;
}

/** Why a mixed column cannot hold the value, in words that can follow "a value that"; NULL if it can. Looks at
 * everything inside of nested values, too. Tables of links must be less than `tables`. */
const char *st_mixed_flaw(const strata_value *value, uint32_t tables);

/** The size of a value in a cell. The value is not null and has no flaw. */
size_t st_mixed_size(const strata_value *value);
/** Writes the cell of such a value. */
void st_mixed_pack(const strata_value *value, uint8_t *out);

/** Appends a value as an entry of a nested value, with its tag. False if there is no memory. */
bool st_mixed_append_entry(const strata_value *value, st_buffer *out);

/** Reads a cell; the bytes of the value are lent from it. False if it is not a cell. Does not look inside of a nested
 * value. */
bool st_mixed_unpack(strata_bytes cell, strata_value *out);

/** The size field of a reference to a value of a mixed column that is stored outside of its row. */
static inline uint64_t st_mixed_reference(strata_type type, uint64_t size) { return (uint64_t)type << 56 | size; }
/** Reads such a field. False if it is damaged. */
static inline bool st_mixed_of_reference(uint64_t field, strata_type *out_type, uint64_t *out_size) {
    *out_type = (strata_type)(field >> 56);
    *out_size = field & ((UINT64_C(1) << 56) - 1);
    return (*out_type == STRATA_STRING || *out_type == STRATA_DATA || *out_type == STRATA_NESTED) &&
           *out_size <= STRATA_MAX_VALUE;
}

/** A link of a mixed column as one number: the table and the object key. */
static inline uint64_t st_mixed_target(uint32_t table, uint64_t key) { return (uint64_t)table << 48 | key; }

#endif
