/* SPDX-License-Identifier: MIT
 *
 * match.h -- does a row meet a test? One row at a time.
 *
 * False also after a failure, which is noted in the query.
 */
#ifndef ST_CONDITION_MATCH_H
#define ST_CONDITION_MATCH_H

#include "block/vector.h"
#include "condition/query.h"
#include "condition/test.h"

bool st_query_match(st_query *query, const st_test *test, const st_stored_row *row);
/** The same for a comparison of a single column with constants, and a cell of that column. */
bool st_query_match_cell(st_query *query, const st_test *test, const st_vector *vector, uint32_t slot);

#endif
