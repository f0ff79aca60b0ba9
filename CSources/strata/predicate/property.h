/* SPDX-License-Identifier: MIT
 * property.h -- the names of properties. */
#ifndef ST_PREDICATE_PROPERTY_H
#define ST_PREDICATE_PROPERTY_H

#include "predicate/resolver.h"

/** The step that a name stands for in a table. If there is none, the failure names the property that was probably
 * meant. */
bool st_find_property(st_resolver *resolver, uint32_t table, strata_bytes name, uint32_t column, strata_step *out);

#endif
