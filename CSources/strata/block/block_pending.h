/* SPDX-License-Identifier: MIT
 *
 * block_pending.h -- rows that a write transaction is changing.
 *
 * A pending block holds one such row, copied out of its stored block. Its cells have their full width and its bitmaps
 * are all there, so that cells can be stored to in place; its bytes may be anywhere behind them. A change that fits can
 * also be stored back into a copy of the stored block.
 */
#ifndef ST_BLOCK_BLOCK_PENDING_H
#define ST_BLOCK_BLOCK_PENDING_H

#include "base/bits.h"
#include "block/block.h"
#include "block/layout.h"

/** Bytes of a pending block of this layout whose cells hold `bytes` bytes in all. */
size_t st_pending_size(const st_layout *layout, size_t bytes);

/** Writes an empty pending row: every cell null, zero or empty. `size` is what it takes without bytes. */
void st_pending_clear(const st_layout *layout, uint64_t key, uint8_t *block);

/** Copies an empty pending row, of that size, for an object. */
static inline void st_pending_clone(const uint8_t *empty, size_t size, uint64_t key, uint8_t *block) {
    memcpy(block, empty, size);
    st_store64(block + 8, key);
}

/** Copies the cells of `row`, of whatever older layout, into a cleared pending block; returns its end. */
size_t st_pending_copy(const st_layout *layout, const st_row_ref *row, uint8_t *block);

/** Bytes that st_pending_copy() will add behind the fixed part. */
size_t st_pending_bytes(const st_layout *layout, const st_row_ref *row);

/** Has a stored block the newest layout, and room for a number where one of that column is? Of floats and doubles the
 * number is their bits. The block must be plausible. */
bool st_block_takes(const uint8_t *block, const st_layout *layout, uint32_t column, uint64_t number);
/** Stores a number that it takes, in a copy of the block or in a pending one; the cell is not null then. */
void st_block_store(uint8_t *block, const st_layout *layout, uint32_t column, uint32_t slot, uint64_t number);

/** True if the cells of a column are the same in both rows; then they have the same value. */
bool st_cells_equal(st_field field, uint32_t column, const st_row_ref *a, const st_row_ref *b);

/** Stores a pending row over its stored state in `block`, a copy of the valid block that `before` is a row of. That can
 * be done if it has the newest layout, and what changed are numbers and the like whose new values have room where the
 * old ones are. False if not; the row is spoiled then. */
bool st_block_patch(uint8_t *block, const st_layout *layout, const st_row_ref *before, const st_row_ref *after);

#endif
