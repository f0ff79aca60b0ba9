/* SPDX-License-Identifier: MIT
 * shape_check.c -- do the rings of a polygon make sense together? */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "geo/shape_ring.h"

/* An edge and whose it is. */
typedef struct item {
    const st_edge *edge;
    uint32_t ring, number;
} item;

static const char *ring_name(uint32_t ring, char name[24]) {
    if (ring == 0) return "the outer ring";
    snprintf(name, 24, "hole %u", ring);
    return name;
}

static int order_items(const void *a, const void *b) {
    double x = ((const item *)a)->edge->low, y = ((const item *)b)->edge->low;
    return x < y ? -1 : x > y;
}

static bool same(const st_spot *a, const st_spot *b) {
    return a->place.longitude == b->place.longitude && a->place.latitude == b->place.latitude;
}

/* ---- Crossings -------------------------------------------------------- */

/* Positive if `p` is left of the great circle from `a` to `b`. */
static double turn_of(const st_spot *a, const st_spot *b, const st_spot *p) {
    return (a->y * b->z - a->z * b->y) * p->x + (a->z * b->x - a->x * b->z) * p->y + (a->x * b->y - a->y * b->x) * p->z;
}

/* All four corners turn the same way round where two edges cross. Edges that only touch do not. */
static bool cross(const st_edge *e, const st_edge *f) {
    const st_spot *a = &e->from, *b = &e->to, *c = &f->from, *d = &f->to;
    double acb = -turn_of(a, b, c), bda = turn_of(a, b, d);
    if (acb * bda <= 0) return false;
    double cbd = -turn_of(c, d, b), dac = turn_of(c, d, a);
    return acb * cbd > 0 && acb * dac > 0;
}

static strata_status check_pair(const item *one, const item *other, strata_error *error) {
    char a[24], b[24];
    const st_edge *e = one->edge, *f = other->edge;
    bool along = same(&e->from, &f->from) && same(&e->to, &f->to);
    if (along || (same(&e->from, &f->to) && same(&e->to, &f->from))) {
        return st_fail(error, STRATA_MISUSE, 0,
                       "a polygon has the edge from longitude %g, latitude %g to %g, %g twice, in %s and in %s",
                       e->from.place.longitude, e->from.place.latitude, e->to.place.longitude, e->to.place.latitude,
                       ring_name(one->ring, a), ring_name(other->ring, b));
    }
    if (one->ring == other->ring && same(&e->from, &f->from)) {
        return st_fail(error, STRATA_MISUSE, 0, "%s of a polygon meets itself at longitude %g, latitude %g",
                       ring_name(one->ring, a), e->from.place.longitude, e->from.place.latitude);
    }
    if (same(&e->from, &f->from) || same(&e->from, &f->to) || same(&e->to, &f->from) || same(&e->to, &f->to)) {
        return STRATA_OK;
    }
    if (!cross(e, f)) return STRATA_OK;
    return st_fail(error, STRATA_MISUSE, 0, "edges of a polygon cross: %u of %s and %u of %s", one->number + 1,
                   ring_name(one->ring, a), other->number + 1, ring_name(other->ring, b));
}

/* Only edges whose ranges of z overlap can meet; sorted, those follow each other. */
static strata_status check_edges(item *items, size_t count, strata_error *error) {
    qsort(items, count, sizeof *items, order_items);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count && items[j].edge->low <= items[i].edge->high; j++) {
            strata_status status = check_pair(&items[i], &items[j], error);
            if (status != STRATA_OK) return status;
        }
    }
    return STRATA_OK;
}

/* ---- Holes ------------------------------------------------------------ */

/* The side of `ring` on which `other` lies, which does not cross it. What they share says nothing; the middle of an
 * edge does, as long as edges are not shared. */
static st_side side_of_ring(const st_ring *ring, const st_ring *other) {
    for (uint32_t i = 0; i < other->count; i++) {
        st_side side = st_ring_side(ring, &other->edges[i].from);
        if (side != ST_ON_EDGE) return side;
    }
    for (uint32_t i = 0; i < other->count; i++) {
        const st_spot *a = &other->edges[i].from, *b = &other->edges[i].to;
        double x = a->x + b->x, y = a->y + b->y, z = a->z + b->z;
        strata_place middle = { atan2(y, x) * (180 / ST_PI), atan2(z, sqrt(x * x + y * y)) * (180 / ST_PI) };
        st_spot spot = st_spot_make(middle);
        st_side side = st_ring_side(ring, &spot);
        if (side != ST_ON_EDGE) return side;
    }
    return ST_ON_EDGE;
}

static strata_status check_holes(const st_ring *rings, uint32_t count, strata_error *error) {
    for (uint32_t i = 1; i < count; i++) {
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

strata_status st_rings_check(const st_ring *rings, uint32_t count, st_arena *memory, strata_error *error) {
    size_t total = 0, filled = 0;
    for (uint32_t i = 0; i < count; i++) total += rings[i].count;
    item *items = st_arena_alloc(memory, total * sizeof *items);
    if (items == NULL) return st_no_memory(error, "checking a polygon");
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < rings[i].count; j++) items[filled++] = (item){ &rings[i].edges[j], i, j };
    }
    strata_status status = check_edges(items, total, error);
    return status == STRATA_OK ? check_holes(rings, count, error) : status;
}
