/* SPDX-License-Identifier: MIT
 *
 * block_check.h -- do these bytes make a block of a layout?
 *
 * What passes can be read through strata_row.h without leaving the block. A plausible block has a header and entries
 * that fit; a valid one also has rows whose bytes lie in it, and keys that ascend.
 */
#ifndef ST_BLOCK_BLOCK_CHECK_H
#define ST_BLOCK_BLOCK_CHECK_H

#include "block/layout.h"

/** True if every read of every cell stays inside `block`, and keys ascend. Looks at every row. */
bool st_block_valid(strata_bytes block, const st_layout *layout);

/** True if every read of the cells of one row stays inside `block`. */
bool st_block_row_valid(strata_bytes block, const st_layout *layout, uint32_t slot);

/** True if header and entries stay inside `block`; the bytes of rows are not looked at. Cheap. */
bool st_block_plausible(strata_bytes block);

#endif
