/* SPDX-License-Identifier: MIT
 * polygon_check.h -- do the rings of a polygon make sense together? */
#ifndef ST_GEO_POLYGON_CHECK_H
#define ST_GEO_POLYGON_CHECK_H

#include "base/arena.h"
#include "geo/ring.h"

/** Checks that no two edges cross or are the same, that no ring meets itself, and that the holes lie inside the first
 * ring and not inside each other. `memory` is used while it checks. Fails: STRATA_MISUSE, STRATA_NO_MEMORY. */
strata_status st_polygon_check(const st_ring *rings, uint32_t count, st_arena *memory, strata_error *error);

#endif
