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

#include "base/bits.h"
#include "base/buffer.h"
#include "block/layout.h"
#include "block/overflow.h"

/** A row somewhere in a block. */
typedef struct st_row_ref {
    const uint8_t *block;
    uint32_t slot;
    uint64_t key;
} st_row_ref;

/** Rows to be packed: rows of blocks, or columns of values, as collections have them. */
typedef struct st_rows {
    const st_row_ref *refs;              /* NULL: the values below */
    const strata_value *const *columns;  /* one array of values per column; see st_is_overflow() */
    uint64_t first;                      /* the key of the first of them; the others follow one by one */
} st_rows;

/** True if every read of every cell stays inside `block`, and keys ascend. Looks at every row. */
bool st_block_valid(strata_bytes block, const st_layout *layout);

/** The same of one row: every read of its cells stays inside `block`. */
bool st_block_row_valid(strata_bytes block, const st_layout *layout, uint32_t slot);

/** True if header and entries stay inside `block`; what the bytes of a row say is not looked at. Cheap. */
bool st_block_plausible(strata_bytes block);

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

/* ---- Packing ---------------------------------------------------------- */

/** The size of a block as rows are added to it, one by one. */
typedef struct st_block_size st_block_size;

/** Measures rows for packing. Made for one layout, used for many blocks. NULL if there is no memory. */
st_block_size *st_block_size_make(const st_layout *layout);
void st_block_size_free(st_block_size *size);
/** Starts a new block. */
void st_block_size_reset(st_block_size *size);
/** Adds rows from an index on, whose keys are larger than the one before. */
void st_block_size_add_rows(st_block_size *size, const st_rows *rows, size_t from, size_t count);
static inline void st_block_size_add(st_block_size *size, const st_rows *rows, size_t index) {
    st_block_size_add_rows(size, rows, index, 1);
}
/** Starts a new block with as many of `count` rows from an index on as make it at most `limit` bytes large, but at
 * least one; returns how many those are. */
size_t st_block_size_fill(st_block_size *size, const st_rows *rows, size_t from, size_t count, size_t limit);
/** Bytes of a block with the rows added so far. */
size_t st_block_size_total(const st_block_size *size);

/** Packs the rows that were measured since the reset, from an index on, behind the bytes of `out`. False if there is no
 * memory. */
bool st_block_pack(const st_block_size *size, const st_rows *rows, size_t from, st_buffer *out);

/* ---- Columns of numbers ----------------------------------------------- *
 * Blocks of one column of numbers that are never null, with keys from 1 on, as long lists have them: the same blocks
 * as above, a column at a time. Numbers are words, floats and doubles their bits.
 */

/** Bytes of a block with these numbers. */
size_t st_numbers_size(st_packing packing, const uint64_t *numbers, size_t count);
/** How many of the first numbers make a block of at most `limit` bytes; at least one, if there is one. */
size_t st_numbers_fitting(st_packing packing, const uint64_t *numbers, size_t count, size_t limit);
/** Packs a block behind the bytes of `out`. False if there is no memory. */
bool st_numbers_pack(st_packing packing, const uint64_t *numbers, size_t count, st_buffer *out);
/** Loads numbers of a column of any block. Booleans that are true may be any number but 0. */
void st_numbers_load(st_packing packing, const uint8_t *block, uint32_t column, uint32_t slot, size_t count,
                     uint64_t *out);

/* ---- Pending rows ----------------------------------------------------- */

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
