/* SPDX-License-Identifier: MIT
 *
 * selection_numbers.h -- columns of numbers against constants or against each other, a whole block at once.
 *
 * Both fill a selection mask and return false if this comparison has to go row by row.
 */
#ifndef ST_CONDITION_SELECTION_NUMBERS_H
#define ST_CONDITION_SELECTION_NUMBERS_H

#include "block/vector.h"
#include "condition/comparison.h"

/** Of kind INT or REAL; as if there were neither nulls nor a negation. */
bool st_select_numbers(const st_comparison *comparison, const st_vector *v, uint8_t *keep);
/** Two columns of kind INT or REAL, with their nulls. */
bool st_select_pair(st_kind kind, strata_operator op, const st_vector *left, const st_vector *right, uint8_t *keep);

#endif
