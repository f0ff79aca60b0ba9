/* SPDX-License-Identifier: MIT
 *
 * block_pack.h -- packing rows into a block that was measured.
 */
#ifndef ST_BLOCK_BLOCK_PACK_H
#define ST_BLOCK_BLOCK_PACK_H

#include "base/buffer.h"
#include "block/block_size.h"

/** Packs the rows that were measured since the reset, from an index on, behind the bytes of `out`. False if there is no
 * memory. */
bool st_block_pack(const st_block_size *size, const st_rows *rows, size_t from, st_buffer *out);

#endif
