/* SPDX-License-Identifier: MIT
 *
 * block_check.h -- do these bytes make a block of a layout?
 *
 * A plausible block has a header, and columns of the widths and flags that they can have, which lie in it. So
 * strata_row.h reads it without leaving it. In a valid one the sizes of all cells are possible, too, and its keys
 * ascend: those rely on that who write it again. The checks do no allocation and no I/O.
 */
#ifndef ST_BLOCK_BLOCK_CHECK_H
#define ST_BLOCK_BLOCK_CHECK_H

#include "block/layout.h"

/** True if all cells lie in the block with sizes that they may have, and keys ascend. Looks at every row. */
bool st_block_valid(strata_bytes block, const st_layout *layout);

/** The same of one row, without regard to keys. */
bool st_block_row_valid(strata_bytes block, const st_layout *layout, uint32_t slot);

/** True if the header is right and all columns fit the layout and lie in `block`. Does not look at rows, so it is
 * cheap. */
bool st_block_plausible(strata_bytes block, const st_layout *layout);

#endif
