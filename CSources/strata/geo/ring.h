/* SPDX-License-Identifier: MIT
 *
 * ring.h -- closed lines on a sphere, made of the shorter arcs of great circles from each point to the next.
 *
 * A ring is tested like a polygon on paper, with meridians for rays: on the way from a point to the north pole, every
 * edge that is crossed changes the side. Of the two sides of a ring the smaller one is the inside, which also tells on
 * which side the pole lies.
 */
#ifndef ST_GEO_RING_H
#define ST_GEO_RING_H

#include "base/arena.h"
#include "base/buffer.h"
#include "strata_query.h"

#define ST_PI 3.14159265358979323846
#define ST_RADIANS(degrees) ((degrees) * (ST_PI / 180))

/** A point in degrees and on the unit sphere. The longitude of the 180th meridian is 180, never -180. */
typedef struct st_spot {
    strata_geo_point point;
    double x, y, z;
} st_spot;

/** The shorter way along a great circle from one corner of a ring to the next. */
typedef struct st_edge {
    st_spot from, to;
    double nx, ny, nz; /* the normal of its plane, of length 1, pointing north if `turn` is positive */
    double turn;       /* by how many degrees of longitude it goes to the east; 180 over a pole */
    double low, high;  /* the range of z */
} st_edge;

typedef struct st_ring {
    st_edge *edges;
    uint32_t count;
    bool has_pole; /* the north pole lies inside */
} st_ring;

typedef enum st_side { ST_OUTSIDE, ST_INSIDE, ST_ON_EDGE } st_side;

st_spot st_spot_make(strata_geo_point point);

/** Makes a ring of points that exist, the last of which is the first again. `number` 0 is the outer ring of a polygon.
 * Lifetime: that of `memory`. Fails: STRATA_MISUSE, STRATA_NO_MEMORY. */
strata_status st_ring_make(const strata_geo_point *points, uint32_t count, uint32_t number, st_arena *memory,
                           st_ring *out, strata_error *error);

st_side st_ring_side(const st_ring *ring, const st_spot *spot);

#endif
