/* SPDX-License-Identifier: MIT
 *
 * block_pack.h -- packs rows into a block.
 */
#ifndef ST_BLOCK_BLOCK_PACK_H
#define ST_BLOCK_BLOCK_PACK_H

#include "base/buffer.h"
#include "block/block_size.h"

/** Packs the rows that were measured since the last reset, from an index on, and appends the block to `out`. False if
 * there is no memory. */
bool st_block_pack(const st_block_size *size, const st_rows *rows, size_t from, st_buffer *out);

#endif
