/* SPDX-License-Identifier: MIT
 * selection_bytes.h -- columns of strings and data against constants, a whole block at once. */
#ifndef ST_CONDITION_SELECTION_BYTES_H
#define ST_CONDITION_SELECTION_BYTES_H

#include "block/vector.h"
#include "condition/comparison.h"

/** Fills a selection mask, as if there were neither nulls nor a negation. `folded` is a buffer for folded text. Sets
 * `*damaged` if the block is damaged. False if this comparison has to go row by row. */
bool st_select_bytes(const st_comparison *comparison, const st_vector *v, st_buffer *folded, uint8_t *keep,
                     bool *damaged);

#endif
