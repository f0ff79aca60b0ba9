/* SPDX-License-Identifier: MIT
 * shape.h -- does a point on the earth lie in a shape? */
#ifndef ST_GEO_SHAPE_H
#define ST_GEO_SHAPE_H

#include "base/arena.h"
#include "base/buffer.h"
#include "strata_query.h"

/** A shape prepared for testing many points. */
typedef struct st_area st_area;

/**
 * Checks a shape and prepares it. Fails: STRATA_MISUSE (points that do not exist; rings that are not closed, cross
 * themselves or each other, repeat an edge; holes outside the outer ring or inside each other; more points or
 * comparisons than the limits of strata_query.h), STRATA_NO_MEMORY.
 *
 * Lifetime: `*out` lies in `memory` and does not need the shape any more.
 */
strata_status st_area_make(const strata_shape *shape, st_arena *memory, const st_area **out, strata_error *error);

/** The check alone. */
strata_status st_shape_check(const strata_shape *shape, strata_error *error);

/** How many edges a polygon has, each of which a point may have to be compared with; 0 of other shapes. */
uint32_t st_area_edges(const st_area *area);

/**
 * Does the point lie in the shape? Borders belong to it. A box may cross the 180th meridian: then its western longitude
 * is the greater one. A ring encloses the smaller of its two sides. False for a point that does not exist.
 */
bool st_area_contains(const st_area *area, strata_geo_point point);

#endif
