/* SPDX-License-Identifier: MIT
 *
 * path.h -- walking a path from a row to the values at its end.
 *
 * A link that leads to no object makes the value null; in a path with collections it leads to nothing. Failures are
 * noted in the query.
 */
#ifndef ST_CONDITION_PATH_H
#define ST_CONDITION_PATH_H

#include "condition/query.h"
#include "condition/step.h"

/** Called for each value of a walk; bytes are lent until it returns. True ends the walk. */
typedef bool (*st_visitor)(void *context, const strata_value *value);

/** The column of a step in the block of a row. NULL after a failure. */
const st_vector *st_step_vector(st_query *query, st_step *step, const st_stored_row *row);
/** Shows a visitor each value behind the first `steps` steps. True if it ended the walk, and after a failure. */
bool st_path_walk(st_query *query, st_operand *operand, uint32_t steps, const st_stored_row *row, st_visitor visit,
                  void *context);
/** The value of an operand that is a column of the row itself; see st_operand_column(). Bytes are lent until the next
 * call. False after a failure. */
bool st_operand_value(st_query *query, st_operand *operand, const st_stored_row *row, strata_value *out);
/** How many elements there are in the collection that the first `steps` steps lead to. */
uint64_t st_path_count(st_query *query, st_operand *operand, uint32_t steps, const st_stored_row *row);

#endif
