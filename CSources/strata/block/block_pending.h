/* SPDX-License-Identifier: MIT
 *
 * block_pending.h -- rows that a write transaction is changing.
 *
 * A pending block holds one such row, copied out of its stored block. Its cells have their full width, and it has all
 * bitmaps, so that cells can be changed in place; the bytes of the row may be anywhere after the cells. If the new
 * values fit where the old ones are, the row can be stored back into a copy of the stored block, without packing that
 * again.
 */
#ifndef ST_BLOCK_BLOCK_PENDING_H
#define ST_BLOCK_BLOCK_PENDING_H

#include "base/bits.h"
#include "block/block.h"
#include "block/layout.h"

/** The size of a pending block of this layout; the bytes of its cells are `bytes` in all. */
size_t st_pending_size(const st_layout *layout, size_t bytes);

/** Writes an empty pending row, with every cell null, zero or empty, of st_pending_size() without bytes. */
void st_pending_clear(const st_layout *layout, uint64_t key, uint8_t *block);

/** Writes an empty pending row as a copy of another one, which has `size` bytes. */
static inline void st_pending_clone(const uint8_t *empty, size_t size, uint64_t key, uint8_t *block) {
    memcpy(block, empty, size);
    st_store64(block + 8, key);
}

/** Copies the cells of `row`, which may have an older layout, into an empty pending row. Returns the size of that. */
size_t st_pending_copy(const st_layout *layout, const st_row_ref *row, uint8_t *block);

/** Lets no number be stored in place (strata_row.h), of which nobody would know: of a write that logs what is
 * assigned. */
void st_pending_close(const st_layout *layout, uint8_t *block);
/** Lets numbers of a column be stored in place, which is logged as assigned. */
void st_pending_open(const st_layout *layout, uint32_t column, uint8_t *block);

/** The bytes of the cells of `row`, which st_pending_copy() will add to the pending block. */
size_t st_pending_bytes(const st_layout *layout, const st_row_ref *row);

/** Can a number be stored in place of another one of the column? Then the block has the newest layout, and the numbers
 * of the column are wide enough. For floats and doubles the number is their bits. The block must be plausible. */
bool st_block_can_store(const uint8_t *block, const st_layout *layout, uint32_t column, uint64_t number);
/** Stores a number for which st_block_can_store() is true, in a copy of the block or in a pending block. The cell is
 * not null afterwards. */
void st_block_store(uint8_t *block, const st_layout *layout, uint32_t column, uint32_t slot, uint64_t number);

/** True if the cells of a column are the same in both rows. Then their values are equal. */
bool st_cells_equal(st_field field, uint32_t column, const st_row_ref *a, const st_row_ref *b);

/** Stores the pending row `after` back into `block`, which is a copy of the valid block that `before` is a row of.
 * False if that is not possible, and the row in `block` is unusable then: the block must have the newest layout, and
 * only values of fixed size may have changed, which must fit into the width of their column. */
bool st_block_patch(uint8_t *block, const st_layout *layout, const st_row_ref *before, const st_row_ref *after);

#endif
