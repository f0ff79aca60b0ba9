/* SPDX-License-Identifier: MIT
 *
 * mask.h -- one comparison over all rows of a block at once.
 *
 * These fill a mask, which has a byte per row, 0 or 1. What is said of nulls is not looked at. False if a comparison
 * has to go row by row.
 */
#ifndef ST_CONDITION_MASK_H
#define ST_CONDITION_MASK_H

#include "condition/query.h"

/* mask_numbers.c */

bool st_select_numbers(const st_comparison *comparison, const st_vector *v, uint8_t *out);
/** Two columns of ints, bools or links, or of reals, nulls included. */
bool st_select_pair(const st_test *test, const st_vector *left, const st_vector *right, uint8_t *out);

/* mask_bytes.c */

/** `*damaged` if the block is. `folded` is room for letters. */
bool st_select_bytes(const st_comparison *comparison, const st_vector *v, st_buffer *folded, uint8_t *out, bool *damaged);

#endif
