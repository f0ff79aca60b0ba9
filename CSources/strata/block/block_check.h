/* SPDX-License-Identifier: MIT
 *
 * block_check.h -- do these bytes make a block of a layout?
 *
 * A plausible block has a header, and columns that lie in it. A valid one can also be read through strata_row.h without
 * leaving the block, and its keys ascend. The checks do no allocation and no I/O.
 */
#ifndef ST_BLOCK_BLOCK_CHECK_H
#define ST_BLOCK_BLOCK_CHECK_H

#include "block/layout.h"

/** True if every read of every cell stays inside `block`, and keys ascend. Looks at every row. */
bool st_block_valid(strata_bytes block, const st_layout *layout);

/** True if every read of the cells of one row stays inside `block`. */
bool st_block_row_valid(strata_bytes block, const st_layout *layout, uint32_t slot);

/** True if the header is right and all columns lie in `block`. Does not look at rows, so it is cheap. */
bool st_block_plausible(strata_bytes block);

#endif
