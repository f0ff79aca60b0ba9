/* SPDX-License-Identifier: MIT
 *
 * shape.c -- does a point on the earth lie in a shape?
 *
 * The earth is a sphere. Boxes are bounded by meridians and parallels, circles by an angle, polygons by rings (ring.h).
 */
#define _GNU_SOURCE 1
#include "geo/shape.h"

#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "geo/polygon_check.h"
#include "geo/ring.h"

struct st_area {
    strata_shape_kind kind;
    strata_geo_point low, high;  /* of a box: its corners */
    strata_geo_point center;     /* of a circle */
    double limit;                /* of a circle: the squared sine of half its radius; 2: everything */
    st_ring *rings;              /* of a polygon: the outer one, then the holes */
    uint32_t ring_count;
};

static bool exists(strata_geo_point point) {
    return point.longitude >= -180 && point.longitude <= 180 && point.latitude >= -90 && point.latitude <= 90;
}

/* ---- Boxes and circles ------------------------------------------------ */

/* A pole has all longitudes. */
static bool is_pole(strata_geo_point point) { return fabs(point.latitude) >= 90; }

/* The 180th meridian has two longitudes. */
static bool in_box(const st_area *area, strata_geo_point point) {
    double west = area->low.longitude, east = area->high.longitude, at = point.longitude;
    if (point.latitude < area->low.latitude || point.latitude > area->high.latitude) return false;
    if (is_pole(point)) return true;
    bool turned = fabs(at) >= 180 && ((west <= -at && -at <= east) || (west > east && (-at >= west || -at <= east)));
    return turned || (west <= east ? west <= at && at <= east : at >= west || at <= east);
}

/* The squared sine of half the angle between two points, which is exact even if they lie close together. */
static double half_sine_squared(strata_geo_point a, strata_geo_point b) {
    double turn = is_pole(a) || is_pole(b) ? 0 : fabs(a.longitude - b.longitude); /* cos() of a pole is not quite 0 */
    if (turn > 180) turn = 360 - turn;
    double up = sin(ST_RADIANS(a.latitude - b.latitude) / 2), round = sin(ST_RADIANS(turn) / 2);
    return up * up + cos(ST_RADIANS(a.latitude)) * cos(ST_RADIANS(b.latitude)) * round * round;
}

/* ---- Polygons --------------------------------------------------------- */

/* Edges belong to the polygon, also those of holes. */
static bool in_polygon(const st_area *area, strata_geo_point point) {
    st_spot spot = st_spot_make(point);
    st_side outer = st_ring_side(&area->rings[0], &spot);
    if (outer != ST_INSIDE) return outer == ST_ON_EDGE;
    for (uint32_t i = 1; i < area->ring_count; i++) {
        st_side side = st_ring_side(&area->rings[i], &spot);
        if (side != ST_OUTSIDE) return side == ST_ON_EDGE;
    }
    return true;
}

uint32_t st_area_edges(const st_area *area) {
    uint32_t edges = 0;
    for (uint32_t i = 0; i < area->ring_count; i++) edges += area->rings[i].count;
    return edges;
}

bool st_area_contains(const st_area *area, strata_geo_point point) {
    if (!exists(point)) return false;
    switch (area->kind) {
    case STRATA_BOX: return in_box(area, point);
    case STRATA_CIRCLE: return half_sine_squared(area->center, point) <= area->limit;
    default: return in_polygon(area, point);
    }
}

/* ---- Making ----------------------------------------------------------- */

static strata_status make_polygon(const strata_shape *shape, st_arena *memory, st_area *area, strata_error *error) {
    const strata_geo_point *points = shape->points;
    uint64_t total = 0;
    if (shape->ring_count == 0) {
        return st_fail(error, STRATA_MISUSE, 0, "a polygon needs at least one ring of points");
    }
    if (shape->ring_sizes == NULL) {
        return st_fail(error, STRATA_MISUSE, 0, "a polygon has %u rings without an address", shape->ring_count);
    }
    for (uint32_t i = 0; i < shape->ring_count; i++) total += shape->ring_sizes[i];
    if (total != shape->point_count) {
        return st_fail(error, STRATA_MISUSE, 0, "the rings of a polygon have %llu points together, not %u",
                       (unsigned long long)total, shape->point_count);
    }
    if (total > STRATA_MAX_POINTS) {
        return st_fail(error, STRATA_MISUSE, 0, "a polygon has %u points; it may have %d", shape->point_count,
                       STRATA_MAX_POINTS);
    }
    area->ring_count = shape->ring_count;
    area->rings = st_arena_alloc(memory, shape->ring_count * sizeof(st_ring));
    if (area->rings == NULL) return st_no_memory(error, "preparing a polygon");
    for (uint32_t i = 0; i < shape->ring_count; i++) {
        strata_status status = st_ring_make(points, shape->ring_sizes[i], i, memory, &area->rings[i], error);
        if (status != STRATA_OK) return status;
        points += shape->ring_sizes[i];
    }
    return st_polygon_check(area->rings, area->ring_count, memory, error);
}

static strata_status make_box(const strata_shape *shape, st_area *area, strata_error *error) {
    area->low = shape->points[0];
    area->high = shape->points[1];
    if (area->low.latitude <= area->high.latitude) return STRATA_OK;
    return st_fail(error, STRATA_MISUSE, 0, "a box has its south-west corner at latitude %g, north of the other at %g",
                   area->low.latitude, area->high.latitude);
}

static strata_status make_circle(const strata_shape *shape, st_area *area, strata_error *error) {
    if (!(shape->radius >= 0)) {
        return st_fail(error, STRATA_MISUSE, 0, "a circle has the radius %g; it is 0 or greater", shape->radius);
    }
    double half = sin(shape->radius / 2);
    area->center = shape->points[0];
    area->limit = shape->radius >= ST_PI ? 2 : half * half;
    return STRATA_OK;
}

strata_status st_area_make(const strata_shape *shape, st_arena *memory, const st_area **out, strata_error *error) {
    static const char *const nouns[] = { "box", "circle", "polygon" };
    *out = NULL;
    if (shape == NULL || shape->kind > STRATA_POLYGON) {
        return st_fail(error, STRATA_MISUSE, 0, "a shape is a box, a circle or a polygon");
    }
    if (shape->point_count != 0 && shape->points == NULL) {
        return st_fail(error, STRATA_MISUSE, 0, "a %s has %u points without an address", nouns[shape->kind],
                       shape->point_count);
    }
    if (shape->kind != STRATA_POLYGON && shape->point_count != (shape->kind == STRATA_BOX ? 2 : 1)) {
        return st_fail(error, STRATA_MISUSE, 0, "a %s has %u points, not %u", nouns[shape->kind],
                       shape->kind == STRATA_BOX ? 2u : 1u, shape->point_count);
    }
    for (uint32_t i = 0; i < shape->point_count; i++) {
        strata_geo_point point = shape->points[i];
        if (exists(point)) continue;
        return st_fail(error, STRATA_MISUSE, 0,
                       "a %s has a point at longitude %g, latitude %g; longitudes are from -180 to 180, latitudes from "
                       "-90 to 90", nouns[shape->kind], point.longitude, point.latitude);
    }
    st_area *area = st_arena_alloc(memory, sizeof *area);
    if (area == NULL) return st_no_memory(error, "preparing a shape");
    *area = (st_area){ .kind = shape->kind };
    strata_status status = shape->kind == STRATA_BOX      ? make_box(shape, area, error)
                           : shape->kind == STRATA_CIRCLE ? make_circle(shape, area, error)
                                                          : make_polygon(shape, memory, area, error);
    if (status == STRATA_OK) *out = area;
    return status;
}

strata_status st_shape_check(const strata_shape *shape, strata_error *error) {
    st_arena memory = { 0 };
    const st_area *area;
    strata_status status = st_area_make(shape, &memory, &area, error);
    st_arena_free(&memory);
    return status;
}
