/* SPDX-License-Identifier: MIT
 * fit.h -- may this be compared with that? */
#ifndef ST_PREDICATE_FIT_H
#define ST_PREDICATE_FIT_H

#include "predicate/target.h"

/** Does the type of the target have the operator, with these options? `column` is that of the operator. */
bool st_check_operator(st_resolver *resolver, const st_target *target, strata_operator op, uint32_t options,
                       uint32_t column);
/** Turns a constant into one of the target's type. `column` is that of the constant. */
bool st_fit_value(st_resolver *resolver, const st_target *target, const strata_value *value, uint32_t column,
                  strata_value *out);
/** Does the target lead to points on the earth? */
bool st_check_points(st_resolver *resolver, const st_target *target, uint32_t column);

#endif
