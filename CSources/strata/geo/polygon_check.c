/* SPDX-License-Identifier: MIT
 * polygon_check.c -- do the rings of a polygon make sense together? */
#include "geo/polygon_check.h"

#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/sort.h"
#include "base/status.h"
#include "geo/edge_tree.h"

/* An edge, its ring and its number there. */
typedef struct ring_edge {
    const st_edge *edge;
    uint32_t ring, number;
} ring_edge;

static const char *ring_name(uint32_t ring, char name[24]) {
    if (ring == 0) return "the outer ring";
    snprintf(name, 24, "hole %u", ring);
    return name;
}

static int by_low(const void *a, const void *b) {
    double x = ((const ring_edge *)a)->edge->low, y = ((const ring_edge *)b)->edge->low;
    return x < y ? -1 : x > y;
}

static bool same(const st_spot *a, const st_spot *b) {
    return a->point.longitude == b->point.longitude && a->point.latitude == b->point.latitude;
}

/* ---- Crossings -------------------------------------------------------- */

/* Positive if `p` is left of the great circle from `a` to `b`. */
static double turn_of(const st_spot *a, const st_spot *b, const st_spot *p) {
    return (a->y * b->z - a->z * b->y) * p->x + (a->z * b->x - a->x * b->z) * p->y + (a->x * b->y - a->y * b->x) * p->z;
}

/* Where two edges cross, a walk around their four ends always turns the same way. Touching is not crossing. */
static bool cross(const st_edge *e, const st_edge *f) {
    const st_spot *a = &e->from, *b = &e->to, *c = &f->from, *d = &f->to;
    double acb = -turn_of(a, b, c), bda = turn_of(a, b, d);
    if (acb * bda <= 0) return false;
    double cbd = -turn_of(c, d, b), dac = turn_of(c, d, a);
    return acb * cbd > 0 && acb * dac > 0;
}

static strata_status check_pair(const ring_edge *one, const ring_edge *other, strata_error *error) {
    char a[24], b[24];
    const st_edge *e = one->edge, *f = other->edge;
    bool along = same(&e->from, &f->from) && same(&e->to, &f->to);
    if (along || (same(&e->from, &f->to) && same(&e->to, &f->from))) {
        return st_fail(error, STRATA_MISUSE, 0,
                       "a polygon has the edge from longitude %g, latitude %g to %g, %g twice, in %s and in %s",
                       e->from.point.longitude, e->from.point.latitude, e->to.point.longitude, e->to.point.latitude,
                       ring_name(one->ring, a), ring_name(other->ring, b));
    }
    if (one->ring == other->ring && same(&e->from, &f->from)) {
        return st_fail(error, STRATA_MISUSE, 0, "%s of a polygon meets itself at longitude %g, latitude %g",
                       ring_name(one->ring, a), e->from.point.longitude, e->from.point.latitude);
    }
    if (same(&e->from, &f->from) || same(&e->from, &f->to) || same(&e->to, &f->from) || same(&e->to, &f->to)) {
        return STRATA_OK;
    }
    if (!cross(e, f)) return STRATA_OK;
    return st_fail(error, STRATA_MISUSE, 0, "edges of a polygon cross: %u of %s and %u of %s", one->number + 1,
                   ring_name(one->ring, a), other->number + 1, ring_name(other->ring, b));
}

/* Edges are compared in the order of where their ranges of z begin. Of all pairs that make no sense, the first one in
 * that order is reported. */
typedef struct edge_check {
    const ring_edge *items;
    size_t at;           /* the edge that is compared */
    size_t first, other; /* the first pair until now; SIZE_MAX: there is none */
} edge_check;

static void consider(void *context, size_t number) {
    edge_check *check = context;
    size_t first = number < check->at ? number : check->at, other = number < check->at ? check->at : number;
    if (first > check->first || (first == check->first && other >= check->other)) return;
    if (check_pair(&check->items[first], &check->items[other], NULL) == STRATA_OK) return;
    check->first = first;
    check->other = other;
}

static strata_status too_many(const char *what, strata_error *error) {
    return st_fail(error, STRATA_MISUSE, 0, "too many %s of a polygon lie side by side: checking it takes more than %d "
                   "comparisons; leave points out", what, STRATA_MAX_EDGE_PAIRS);
}

static strata_status check_by_tree(const ring_edge *items, size_t count, st_arena *memory, strata_error *error) {
    st_edge_tree tree;
    const st_edge **edges = st_arena_alloc(memory, count * sizeof *edges);
    if (edges == NULL) return st_no_memory(error, "checking a polygon");
    for (size_t i = 0; i < count; i++) edges[i] = items[i].edge;
    if (!st_edge_tree_make(edges, count, memory, &tree)) return st_no_memory(error, "checking a polygon");
    edge_check check = { .items = items, .first = SIZE_MAX };
    for (size_t i = 0; i < count; i++) {
        check.at = (size_t)tree.numbers[i];
        st_edge_tree_search(&tree, i, consider, &check);
        if (tree.compared > STRATA_MAX_EDGE_PAIRS) return too_many("edges", error);
    }
    return check.first == SIZE_MAX ? STRATA_OK : check_pair(&items[check.first], &items[check.other], error);
}

/* Only edges whose ranges of z overlap can meet. Sorted by the beginning of the range, the edges that overlap with one
 * follow right behind it. If there are too many of them, a tree finds those that are near in every direction. */
static strata_status check_edges(ring_edge *items, size_t count, st_arena *memory, strata_error *error) {
    enum { FEW = 64 }; /* of each edge, on the average */
    uint64_t compared = 0;
    st_sort_array(items, count, sizeof *items, by_low);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count && items[j].edge->low <= items[i].edge->high; j++) {
            if (++compared > FEW * (uint64_t)count) return check_by_tree(items, count, memory, error);
            strata_status status = check_pair(&items[i], &items[j], error);
            if (status != STRATA_OK) return status;
        }
    }
    return STRATA_OK;
}

/* ---- Holes ------------------------------------------------------------ */

/* The side of `ring` on which `other` lies; they do not cross. A corner on an edge of `ring` says nothing. If all are
 * such corners, the middle of an edge tells, as no edges are shared. */
static st_side side_of_ring(const st_ring *ring, const st_ring *other) {
    for (uint32_t i = 0; i < other->count; i++) {
        st_side side = st_ring_side(ring, &other->edges[i].from);
        if (side != ST_ON_EDGE) return side;
    }
    for (uint32_t i = 0; i < other->count; i++) {
        const st_spot *a = &other->edges[i].from, *b = &other->edges[i].to;
        double x = a->x + b->x, y = a->y + b->y, z = a->z + b->z;
        strata_geo_point middle = { atan2(y, x) * (180 / ST_PI), atan2(z, sqrt(x * x + y * y)) * (180 / ST_PI) };
        st_spot spot = st_spot_make(middle);
        st_side side = st_ring_side(ring, &spot);
        if (side != ST_ON_EDGE) return side;
    }
    return ST_ON_EDGE;
}

static strata_status check_holes(const st_ring *rings, uint32_t count, strata_error *error) {
    uint64_t compared = 0; /* each side_of_ring() usually compares one point with a ring */
    for (uint32_t i = 1; i < count; i++) {
        compared += rings[0].count + (uint64_t)rings[i].count * i;
        for (uint32_t j = 1; j < i; j++) compared += rings[j].count;
        if (compared > STRATA_MAX_EDGE_PAIRS) return too_many("holes", error);
        if (side_of_ring(&rings[0], &rings[i]) != ST_INSIDE || side_of_ring(&rings[i], &rings[0]) == ST_INSIDE) {
            return st_fail(error, STRATA_MISUSE, 0, "hole %u of a polygon does not lie inside its outer ring", i);
        }
        for (uint32_t j = 1; j < i; j++) {
            bool within = side_of_ring(&rings[j], &rings[i]) == ST_INSIDE;
            if (!within && side_of_ring(&rings[i], &rings[j]) != ST_INSIDE) continue;
            return st_fail(error, STRATA_MISUSE, 0, "hole %u of a polygon lies inside its hole %u", within ? i : j,
                           within ? j : i);
        }
    }
    return STRATA_OK;
}

strata_status st_polygon_check(const st_ring *rings, uint32_t count, st_arena *memory, strata_error *error) {
    size_t total = 0, filled = 0;
    for (uint32_t i = 0; i < count; i++) total += rings[i].count;
    ring_edge *items = st_arena_alloc(memory, total * sizeof *items);
    if (items == NULL) return st_no_memory(error, "checking a polygon");
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < rings[i].count; j++) items[filled++] = (ring_edge){ &rings[i].edges[j], i, j };
    }
    strata_status status = check_edges(items, total, memory, error);
    return status == STRATA_OK ? check_holes(rings, count, error) : status;
}
