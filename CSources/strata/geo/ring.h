/* SPDX-License-Identifier: MIT
 * shape_ring.h -- closed lines on a sphere. */
#ifndef ST_GEO_SHAPE_RING_H
#define ST_GEO_SHAPE_RING_H

#include "base/buffer.h"
#include "strata_query.h"

#define ST_PI 3.14159265358979323846
#define ST_RADIANS(degrees) ((degrees) * (ST_PI / 180))

/** A point, in degrees and as a point on the unit sphere. The 180th meridian is 180, never -180. */
typedef struct st_spot {
    strata_geo_point point;
    double x, y, z;
} st_spot;

/** The shorter way along a great circle from a spot of a ring to the next. */
typedef struct st_edge {
    st_spot from, to;
    double nx, ny, nz; /* normal to its plane, of length 1, pointing north if `turn` is positive */
    double turn;       /* longitude: degrees to the east; 180 over a pole */
    double low, high;  /* the range of z */
} st_edge;

typedef struct st_ring {
    st_edge *edges;
    uint32_t count;
    bool has_pole; /* the north pole lies inside */
} st_ring;

typedef enum st_side { ST_OUTSIDE, ST_INSIDE, ST_ON_EDGE } st_side;

st_spot st_spot_make(strata_geo_point point);

/** Makes a ring of points that exist, the last of which is the first again. `number` 0 is the outer ring. Fails:
 * STRATA_MISUSE, STRATA_NO_MEMORY. */
strata_status st_ring_make(const strata_geo_point *points, uint32_t count, uint32_t number, st_arena *memory,
                           st_ring *out, strata_error *error);

st_side st_ring_side(const st_ring *ring, const st_spot *spot);

/** shape_check.c: the edges of all rings cross nowhere, the holes lie in the first ring and not in each other. */
strata_status st_rings_check(const st_ring *rings, uint32_t count, st_arena *memory, strata_error *error);

#endif
