/* SPDX-License-Identifier: MIT
 *
 * block.h -- a block of rows, and how a row is found in it.
 *
 * The format and its readers are in strata_row.h. In a stored block the vectors of all columns (bitmaps, numbers and
 * positions) come first, and then the bytes of all columns, column by column. So an offset of 16 bits reaches every
 * vector, even if the bytes of a single row make the block large.
 */
#ifndef ST_BLOCK_BLOCK_H
#define ST_BLOCK_BLOCK_H

#include "block/overflow.h"
#include "strata.h"
#include "strata_row.h"

/** A row: which block it is in, and where. */
typedef struct st_row_ref {
    const uint8_t *block;
    uint32_t slot;
    uint64_t key;
} st_row_ref;

/** The bytes of a cell; none if it is damaged. */
static inline strata_bytes st_block_bytes(const uint8_t *block, uint32_t entry, uint32_t slot) {
    strata_bytes bytes;
    (void)strata_block_bytes(block, entry, slot, &bytes);
    return bytes;
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
