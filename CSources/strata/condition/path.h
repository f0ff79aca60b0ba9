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

/** How a visitor decides; it tells which objects need not be walked on from again. */
typedef enum st_visit {
    ST_VISIT_EACH, /* it needs each value, as often as the path leads there; each way is walked */
    ST_VISIT_ANY,  /* by the value and what is the same during this walk: each object is walked on from once */
    ST_VISIT_SAME  /* by the value alone: each object is walked on from once for the whole query */
} st_visit;

/** The column of a step in the block of a row. NULL after a failure. */
const st_vector *st_step_vector(st_query *query, st_step *step, const st_stored_row *row);
/** Shows a visitor the values behind the first `steps` steps. True if it ended the walk, and after a failure. All walks
 * of an operand have the same visitor, or it is told each. */
bool st_path_walk(st_query *query, st_operand *operand, uint32_t steps, const st_stored_row *row, st_visit kind,
                  st_visitor visit, void *context);
/** The value of an operand that is a column of the row itself; see st_operand_column(). Bytes are lent until the next
 * call. False after a failure. */
bool st_operand_value(st_query *query, st_operand *operand, const st_stored_row *row, strata_value *out);
/** How many elements there are in the collection that the first `steps` steps lead to. */
uint64_t st_path_count(st_query *query, st_operand *operand, uint32_t steps, const st_stored_row *row);

#endif
