/* SPDX-License-Identifier: MIT
 *
 * block.h -- building and checking blocks; the format and its readers are in strata_row.h.
 *
 * Inside a stored block the fixed parts (bitmaps, numbers, positions) of all columns come first and the bytes
 * of all columns after them, column by column, so that offsets of 16 bits reach every vector of a block that
 * holds a single large row.
 *
 * A pending block holds one row that a write transaction is changing. Its cells have their full width and its
 * bitmaps are all there, so that cells can be stored to in place; its bytes may be anywhere behind them.
 */
#ifndef ST_BLOCK_BLOCK_H
#define ST_BLOCK_BLOCK_H

#include "strata.h"
#include "strata_row.h"

/** Values longer than this are stored elsewhere. Limits the size of a row, so of a block. */
enum { ST_INLINE_VALUE = 1024, ST_REFERENCE = 16 };

/** A row somewhere in a block. */
typedef struct st_row_ref {
    const uint8_t *block;
    uint32_t slot;
    uint64_t key;
} st_row_ref;

/** A value whose bytes are not its own but a reference of ST_REFERENCE bytes to where it is stored. Only inside the
 * engine: `table` marks it. */
#define ST_ELSEWHERE UINT32_MAX
static inline bool st_value_is_elsewhere(const strata_value *value) {
    return value->table == ST_ELSEWHERE && (value->type == STRATA_STRING || value->type == STRATA_DATA);
}

/** The slot of the first row whose key is not less than `key`; the row count if there is none. */
uint32_t st_block_lower_bound(const uint8_t *block, uint64_t key);

/** The slot of `key`; false if the block has no such row. */
static inline bool st_block_find(const uint8_t *block, uint64_t key, uint32_t *slot) {
    uint64_t first = strata_block_first(block);
    if (block[6] == 0) {
        *slot = (uint32_t)(key - first);
        return key >= first && key - first < strata_block_rows(block);
    }
    *slot = st_block_lower_bound(block, key);
    return *slot < strata_block_rows(block) && strata_block_key(block, *slot) == key;
}

#endif
