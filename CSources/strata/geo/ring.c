/* SPDX-License-Identifier: MIT
 * ring.c -- on which side of a ring is a point? */
#include "geo/ring.h"

#include <math.h>

#include "base/arena.h"
#include "base/status.h"

/* A point at this angle from an edge lies on it. On the ground that is less than a tenth of a micrometre. */
#define CLOSE 1e-14

st_spot st_spot_make(strata_geo_point point) {
    double up = ST_RADIANS(point.latitude), round = ST_RADIANS(point.longitude);
    if (point.longitude <= -180) point.longitude = 180;
    return (st_spot){ point, cos(up) * cos(round), cos(up) * sin(round), sin(up) };
}

/* ---- Edges ------------------------------------------------------------ */

/* The shorter way from one longitude to another, in degrees to the east: more than -180 and at most 180. */
static double turn_between(double from, double to) {
    double turn = to - from;
    if (turn > 180) turn -= 360;
    if (turn <= -180) turn += 360;
    return turn;
}

/* The range of z is that of the two ends, unless the edge rises at one end and falls at the other: then the top or the
 * bottom of the great circle lies between them. */
static void measure(st_edge *edge) {
    const st_spot *a = &edge->from, *b = &edge->to;
    double top = sqrt(edge->nx * edge->nx + edge->ny * edge->ny);
    double rise_a = edge->nx * a->y - edge->ny * a->x, rise_b = edge->nx * b->y - edge->ny * b->x;
    edge->low = fmin(a->z, b->z);
    edge->high = fmax(a->z, b->z);
    if (rise_a > 0 && rise_b < 0) edge->high = top;
    if (rise_a < 0 && rise_b > 0) edge->low = -top;
}

/* False if the ends are the same point or opposite to each other, so that many great circles lead through both. */
static bool edge_make(strata_geo_point from, strata_geo_point to, st_edge *out) {
    st_edge edge = { .from = st_spot_make(from), .to = st_spot_make(to) };
    const st_spot *a = &edge.from, *b = &edge.to;
    edge.nx = a->y * b->z - a->z * b->y;
    edge.ny = a->z * b->x - a->x * b->z;
    edge.nz = a->x * b->y - a->y * b->x;
    double length = sqrt(edge.nx * edge.nx + edge.ny * edge.ny + edge.nz * edge.nz);
    if (!(length > CLOSE)) return false;
    edge.nx /= length;
    edge.ny /= length;
    edge.nz /= length;
    edge.turn = turn_between(a->point.longitude, b->point.longitude);
    measure(&edge);
    *out = edge;
    return true;
}

static double side_of(const st_edge *edge, const st_spot *spot) {
    return edge->nx * spot->x + edge->ny * spot->y + edge->nz * spot->z;
}

/* Is a spot that lies in the plane of the edge between its ends? */
static bool between(const st_edge *edge, const st_spot *p) {
    const st_spot *a = &edge->from, *b = &edge->to;
    double past_a = edge->nx * (a->y * p->z - a->z * p->y) + edge->ny * (a->z * p->x - a->x * p->z) +
                    edge->nz * (a->x * p->y - a->y * p->x);
    double before_b = edge->nx * (p->y * b->z - p->z * b->y) + edge->ny * (p->z * b->x - p->x * b->z) +
                      edge->nz * (p->x * b->y - p->y * b->x);
    return past_a >= -CLOSE && before_b >= -CLOSE;
}

/* Does the way from the spot, which is not on the edge, to the north pole cross the edge? It does if the edge spans the
 * longitude of the spot and the spot is south of it. Only the eastern end of an edge belongs to it here: a way through
 * a corner then crosses one of two edges that go on in one direction, and none or both of two that turn back. */
static bool crosses(const st_edge *edge, const st_spot *spot, double side) {
    bool east_bound = edge->turn > 0;
    double at = spot->point.longitude;
    double west = (east_bound ? &edge->from : &edge->to)->point.longitude;
    double east = (east_bound ? &edge->to : &edge->from)->point.longitude;
    if (west < east ? at <= west || at > east : at <= west && at > east) return false;
    if (edge->turn >= 180) return edge->from.z + edge->to.z > 0;
    return east_bound ? side < 0 : side > 0 && edge->turn < 0;
}

st_side st_ring_side(const st_ring *ring, const st_spot *spot) {
    bool inside = ring->has_pole;
    for (uint32_t i = 0; i < ring->count; i++) {
        const st_edge *edge = &ring->edges[i];
        double side = side_of(edge, spot);
        if (fabs(side) <= CLOSE && between(edge, spot)) return ST_ON_EDGE;
        if (crosses(edge, spot, side)) inside = !inside;
    }
    return inside ? ST_INSIDE : ST_OUTSIDE;
}

/* ---- Rings ------------------------------------------------------------ */

/* The area between an edge and the north pole, positive if the edge goes to the east. It is the spherical excess of a
 * triangle of which two sides, the distances of the ends from the pole, and the angle between them are known. */
static double area_north_of(const st_edge *edge) {
    double a = tan((ST_PI / 2 - ST_RADIANS(edge->from.point.latitude)) / 2);
    double b = tan((ST_PI / 2 - ST_RADIANS(edge->to.point.latitude)) / 2);
    double turn = ST_RADIANS(edge->turn);
    if (edge->turn >= 180) return edge->from.z + edge->to.z > 0 ? 0 : 2 * ST_PI;
    return 2 * atan2(a * b * sin(turn), 1 + a * b * cos(turn));
}

/* If the ring runs around the pole, the area between its edges and the pole is that of the side with the pole,
 * otherwise that of the other side. The smaller side is the inside. */
static bool has_pole(const st_ring *ring) {
    double turns = 0, area = 0;
    for (uint32_t i = 0; i < ring->count; i++) {
        turns += ring->edges[i].turn;
        area += area_north_of(&ring->edges[i]);
    }
    bool around = fabs(turns) > 180, small = fabs(area) <= 2 * ST_PI;
    return around == small;
}

static strata_status bad_ring(uint32_t number, const char *flaw, strata_error *error) {
    if (number == 0) return st_fail(error, STRATA_MISUSE, 0, "the outer ring of a polygon %s", flaw);
    return st_fail(error, STRATA_MISUSE, 0, "hole %u of a polygon %s", number, flaw);
}

strata_status st_ring_make(const strata_geo_point *points, uint32_t count, uint32_t number, st_arena *memory,
                           st_ring *out, strata_error *error) {
    *out = (st_ring){ 0 };
    if (count < 4) return bad_ring(number, "needs at least four points, the last being the first again", error);
    const strata_geo_point *last = &points[count - 1];
    if (points[0].latitude != last->latitude || points[0].longitude != last->longitude) {
        return bad_ring(number, "does not end where it begins", error);
    }
    out->edges = st_arena_alloc(memory, (count - 1) * sizeof(st_edge));
    if (out->edges == NULL) return st_no_memory(error, "preparing a polygon");
    out->count = count - 1;
    for (uint32_t i = 0; i < out->count; i++) {
        if (edge_make(points[i], points[i + 1], &out->edges[i])) continue;
        return bad_ring(number, "has two points in a row that are the same or opposite each other on the earth", error);
    }
    out->has_pole = has_pole(out);
    return STRATA_OK;
}
