/* SPDX-License-Identifier: MIT
 *
 * block_numbers.h -- blocks of one column of numbers that are never null.
 *
 * Long lists of numbers are stored in such blocks, whose keys count from 1. They are blocks like any others, but are
 * packed and loaded a column at a time. A number is passed as a word; for a float
 * or a double the word holds its bits.
 */
#ifndef ST_BLOCK_BLOCK_NUMBERS_H
#define ST_BLOCK_BLOCK_NUMBERS_H

#include "base/buffer.h"
#include "block/layout.h"

/** The size of a block with these numbers. */
size_t st_numbers_size(st_packing packing, const uint64_t *numbers, size_t count);
/** How many numbers, from the first one on, fit into a block of at most `limit` bytes; at least 1, unless `count` is
 * 0. */
size_t st_numbers_fitting(st_packing packing, const uint64_t *numbers, size_t count, size_t limit);
/** Packs a block and appends it to `out`. False if there is no memory. */
bool st_numbers_pack(st_packing packing, const uint64_t *numbers, size_t count, st_buffer *out);
/** Loads numbers of a column of any block. A bool that is true may be any number except 0. */
void st_numbers_load(st_packing packing, const uint8_t *block, uint32_t column, uint32_t slot, size_t count,
                     uint64_t *out);

#endif
