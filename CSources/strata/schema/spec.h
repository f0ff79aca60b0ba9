/* SPDX-License-Identifier: MIT
 *
 * spec.h -- what a program declares, in the structs of this library: see base/sized.h.
 */
#ifndef ST_SCHEMA_SPEC_H
#define ST_SCHEMA_SPEC_H

#include "base/arena.h"
#include "strata.h"

/** The tables of a program whose structs have these sizes. Lifetime: that of `memory` and of `tables`. Fails:
 * STRATA_MISUSE (an address is missing, or a struct has what this library does not know), STRATA_NO_MEMORY. */
strata_status st_specs_read(st_arena *memory, const strata_table_spec *tables, uint32_t count,
                            const strata_spec_sizes *sizes, const strata_table_spec **out, strata_error *error);

#endif
