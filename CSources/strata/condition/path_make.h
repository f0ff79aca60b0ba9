/* SPDX-License-Identifier: MIT
 * path_make.h -- checks paths and turns them into steps. */
#ifndef ST_CONDITION_PATH_MAKE_H
#define ST_CONDITION_PATH_MAKE_H

#include "condition/query.h"
#include "condition/step.h"

/** Checks the path of `spec`, which begins at objects of the table of `out`, and fills in its steps and what they lead
 * to. Lifetime: that of the query. Fails: STRATA_MISUSE, STRATA_TYPE, STRATA_NO_MEMORY. */
strata_status st_path_make(st_query *query, const strata_operand *spec, st_operand *out);

#endif
