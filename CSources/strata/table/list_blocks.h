/* SPDX-License-Identifier: MIT
 *
 * list_blocks.h -- lists as stored.
 *
 * ON-DISK. A short list lies in the cell of its row: one byte, the width (1, 2, 4 or 8) of its elements, then the
 * elements; an empty list is an empty cell. A longer one is a sequence of blocks, so that no change rewrites more
 * than a page of it; the cell then is a large one and holds u64 count, u64 identity. In the tree of collections
 * stand, big-endian:
 *
 *   identity:8              the directory: u8 format = 1, u8 0, u16 0, u32 next block, then per block in the
 *                           order of the list u32 block, u32 count
 *   identity:8 block:4      the elements: a block of strata_row.h with one column, whose row keys count from 1
 *
 * Elements are object keys of the column's target table.
 */
#ifndef ST_TABLE_LIST_BLOCKS_H
#define ST_TABLE_LIST_BLOCKS_H

#include "table/view.h"

enum { ST_INLINE_LIST = 256 }; /* longest cell of a short list, in bytes */

/** Part of a directory: one block and how many elements it has. */
typedef struct st_list_part {
    uint32_t block;
    uint32_t count;
} st_list_part;

/** A list as found in its cell. Lifetime: that of the cell and the directory. */
typedef struct st_list_cell {
    uint64_t count;
    const uint8_t *elements;   /* of a short list */
    uint32_t width;
    uint64_t identity;         /* of a long one, otherwise 0 */
} st_list_cell;

/** Reads a cell. Fails: STRATA_CORRUPT. */
strata_status st_list_cell_read(const st_row_ref *row, uint32_t column, st_list_cell *out, strata_error *error);
/** Packs a short list; returns its size, or 0 with more than one element if it is not short. `out` has
 * ST_INLINE_LIST bytes. */
size_t st_list_cell_pack(const uint64_t *elements, uint64_t count, uint8_t *out);

/** The directory of a long list, checked. `out_parts` are `out_count` pairs of numbers, unaligned; see
 * st_list_part_at(). */
strata_status st_list_directory(st_txn *txn, const st_list_cell *cell, const uint8_t **out_parts, uint32_t *out_count,
                                uint32_t *out_next, strata_error *error);
static inline st_list_part st_list_part_at(const uint8_t *parts, uint32_t index) {
    return (st_list_part){ strata_load32(parts + 8 * (size_t)index), strata_load32(parts + 8 * (size_t)index + 4) };
}
strata_status st_list_directory_put(st_txn *writer, uint64_t identity, const st_list_part *parts, uint32_t count,
                                    uint32_t next, strata_error *error);

/** The elements of one block, checked: read with strata_block_link(block, entry, slot). */
strata_status st_list_block(st_txn *txn, uint64_t identity, st_list_part part, const uint8_t **out_block,
                            uint32_t *out_entry, strata_error *error);
strata_status st_list_block_put(st_txn *writer, uint64_t identity, uint32_t block, const uint64_t *elements,
                                uint32_t count, strata_error *error);
strata_status st_list_block_delete(st_txn *writer, uint64_t identity, uint32_t block, strata_error *error);
/** Deletes the directory and all blocks. */
strata_status st_list_blocks_delete(st_txn *writer, uint64_t identity, strata_error *error);

/** The most elements a block of the store's page size can have, whatever they are. */
uint32_t st_list_block_capacity(const strata_store *store);

#endif
