/* SPDX-License-Identifier: MIT
 * operand.h -- what is compared: checked, named and estimated. */
#ifndef ST_CONDITION_OPERAND_H
#define ST_CONDITION_OPERAND_H

#include "condition/query.h"
#include "condition/step.h"

/** Compiles an operand for objects of `table`, or for the values of the query if that is ST_NONE. Lifetime: that of the
 * query. Fails: STRATA_MISUSE, STRATA_TYPE, ... */
strata_status st_operand_make(st_query *query, uint32_t table, const strata_operand *spec, st_operand **out);
/** Frees what does not lie in the memory of the query, and forgets the walks, so that others can begin. */
void st_operand_free(st_operand *operand);
/** What it is, for messages: "age of Dog", "the count of dogs of Person". Returns `out`. */
enum { ST_OPERAND_NAME = 256 };
const char *st_operand_name(const st_query *query, const st_operand *operand, char out[ST_OPERAND_NAME]);
/** What reading it costs, relative to looking at a number. */
uint32_t st_operand_cost(const st_operand *operand);

#endif
