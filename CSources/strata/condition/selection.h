/* SPDX-License-Identifier: MIT
 *
 * selection.h -- the condition over all rows of a block at once.
 *
 * The result is a selection mask, called `keep` wherever it is used: a byte per row of the block, 1 to keep the row and
 * 0 to drop it.
 */
#ifndef ST_CONDITION_SELECTION_H
#define ST_CONDITION_SELECTION_H

#include "condition/query.h"

/** The rows of a block that meet the condition of the query. The caller may change the mask. NULL after a failure.
 * Lifetime: until the next call. */
uint8_t *st_query_select(st_query *query, const uint8_t *block, size_t size);

#endif
