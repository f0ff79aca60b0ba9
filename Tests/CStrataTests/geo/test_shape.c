/* SPDX-License-Identifier: MIT
 * test_shape.c -- shapes on the earth, and the points in them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geo/edge_tree.h"
#include "geo/shape.h"
#include "tests.h"

enum { MOST = 64 };

/** A shape with room for its points. In the tests it is called `s`. */
typedef struct sketch {
    strata_shape shape;
    strata_geo_point points[MOST];
    uint32_t rings[8];
} sketch;

/* A ring of longitudes and latitudes, closed by itself. */
#define RING(...) (const double[]){ __VA_ARGS__ }, sizeof((double[]){ __VA_ARGS__ }) / sizeof(double)

static void add_ring(sketch *s, const double *numbers, size_t count) {
    strata_shape *shape = &s->shape;
    uint32_t first = shape->point_count;
    for (size_t i = 0; i + 1 < count; i += 2) {
        s->points[shape->point_count++] = (strata_geo_point){ numbers[i], numbers[i + 1] };
    }
    s->points[shape->point_count++] = s->points[first];
    s->rings[shape->ring_count++] = shape->point_count - first;
}

static sketch *polygon(const double *numbers, size_t count) {
    sketch *s = calloc(1, sizeof *s);
    CHECK(s != NULL);
    s->shape.kind = STRATA_POLYGON;
    s->shape.points = s->points;
    s->shape.ring_sizes = s->rings;
    add_ring(s, numbers, count);
    return s;
}

static bool contains(const strata_shape *shape, double longitude, double latitude) {
    st_arena memory = { 0 };
    const st_area *area;
    strata_error error;
    strata_status status = st_area_make(shape, &memory, &area, &error);
    if (status != STRATA_OK) ctest_fail(__FILE__, __LINE__, error.message);
    bool inside = st_area_contains(area, (strata_geo_point){ longitude, latitude });
    st_arena_free(&memory);
    return inside;
}

static bool in_box(double west, double south, double east, double north, double longitude, double latitude) {
    strata_geo_point corners[] = { { west, south }, { east, north } };
    strata_shape box = { .kind = STRATA_BOX, .points = corners, .point_count = 2 };
    return contains(&box, longitude, latitude);
}

static bool in_circle(double longitude, double latitude, double radius, double at_longitude, double at_latitude) {
    strata_geo_point center = { longitude, latitude };
    strata_shape circle = { .kind = STRATA_CIRCLE, .points = &center, .point_count = 1, .radius = radius };
    return contains(&circle, at_longitude, at_latitude);
}

static void refuse(const strata_shape *shape, const char *words) {
    strata_error error;
    CHECK_EQ(st_shape_check(shape, &error), STRATA_MISUSE);
    if (strstr(error.message, words) == NULL) ctest_fail(__FILE__, __LINE__, error.message);
}

/* ---- Boxes and circles ------------------------------------------------ */

/* Statement 142: the boundary of a box belongs to it. */
void test_shape_box(void) {
    CHECK(in_box(10, 20, 30, 40, 20, 30));
    CHECK(in_box(10, 20, 30, 40, 10, 20));
    CHECK(in_box(10, 20, 30, 40, 30, 40));
    CHECK(!in_box(10, 20, 30, 40, 9.999999, 30));
    CHECK(!in_box(10, 20, 30, 40, 20, 40.000001));
    CHECK(in_box(170, -10, -170, 10, 180, 0));
    CHECK(in_box(170, -10, -170, 10, -180, 0));
    CHECK(in_box(170, -10, -170, 10, -175, 0));
    CHECK(!in_box(170, -10, -170, 10, 0, 0));
    CHECK(in_box(170, -10, 180, 10, -180, 0));
    CHECK(in_box(-180, -10, -170, 10, 180, 0));
    CHECK(!in_box(-180, -10, -170, 10, 179, 0));
    CHECK(in_box(10, 80, 20, 90, -100, 90));
    CHECK(in_box(-180, -90, 180, 90, 12, 34));
    CHECK(!in_box(-180, -90, 180, 90, 12, 91));
    CHECK(!in_box(-180, -90, 180, 90, (double)NAN, 0));
}

/* Statement 143: distances along great circles. */
void test_shape_circle(void) {
    double degree = acos(-1) / 180;
    CHECK(in_circle(0, 0, 10 * degree, 9.999999, 0));
    CHECK(!in_circle(0, 0, 10 * degree, 10.000001, 0));
    CHECK(in_circle(0, 60, 10 * degree, 19.5, 60));
    CHECK(!in_circle(0, 60, 10 * degree, 21, 60));
    CHECK(in_circle(179, 0, 3 * degree, -179, 0));
    CHECK(in_circle(0, 89, 2 * degree, 180, 89.5));
    CHECK(in_circle(12, 34, 0, 12, 34));
    CHECK(in_circle(180, 34, 0, -180, 34));
    CHECK(!in_circle(12, 34, 0, 12, 34.0000001));
    CHECK(in_circle(0, 0, acos(-1), 180, 0));
    CHECK(in_circle(0, 0, 100, 179, -1));
    CHECK(!in_circle(0, 0, 179 * degree, 180, 0));
    /* Copenhagen and Oslo are 483 km apart, on an earth of 6378.1 km. */
    CHECK(in_circle(12.568, 55.676, 490 / 6378.1, 10.752, 59.914));
    CHECK(!in_circle(12.568, 55.676, 475 / 6378.1, 10.752, 59.914));
}

/* A pole is one point, whatever longitude it is written with. */
void test_shape_poles_have_all_longitudes(void) {
    static const double longitudes[] = { 0, 77, -77, 90, -103, 179, 180, -180 };
    enum { COUNT = sizeof longitudes / sizeof *longitudes };
    for (int i = 0; i < COUNT; i++) {
        sketch *corner = polygon(RING(longitudes[i], 90, 10, 80, 60, 80));
        sketch *beside = polygon(RING(10, 80, 60, 80, 35, 88)), *around = polygon(RING(0, 80, 120, 80, -120, 80));
        for (int k = 0; k < COUNT; k++) {
            double to = longitudes[k];
            CHECK(in_circle(longitudes[i], 90, 0, to, 90) && in_circle(longitudes[i], -90, 0, to, -90));
            CHECK(!in_circle(longitudes[i], 90, 0, to, -90) && !in_circle(longitudes[i], 90, 0, to, 89.9999999));
            CHECK(in_box(longitudes[i], 90, longitudes[i], 90, to, 90));
            CHECK(contains(&corner->shape, to, 90) && !contains(&corner->shape, to, -90));
            CHECK(!contains(&beside->shape, to, 90) && !contains(&beside->shape, to, -90));
            CHECK(contains(&around->shape, to, 90) && !contains(&around->shape, to, -90));
        }
        CHECK(contains(&corner->shape, 35, 85) && !contains(&corner->shape, 100, 85));
        CHECK(!contains(&corner->shape, -100, 85) && !contains(&corner->shape, 35, 70));
        free(corner);
        free(beside);
        free(around);
    }
}

/* ---- Polygons --------------------------------------------------------- */

/* Statement 142: edges are great circles, which bulge towards the pole. */
void test_shape_polygon_edges_are_great_circles(void) {
    sketch *s = polygon(RING(0, 50, 60, 50, 60, 20, 0, 20));
    CHECK(contains(&s->shape, 30, 30));
    CHECK(contains(&s->shape, 30, 53));  /* north of the parallel, south of the edge at 54.0 */
    CHECK(!contains(&s->shape, 30, 55));
    CHECK(!contains(&s->shape, 30, 21)); /* the southern edge is at 22.8 there */
    CHECK(contains(&s->shape, 30, 23));
    CHECK(!contains(&s->shape, -1, 30));
    CHECK(!contains(&s->shape, 61, 30));
    CHECK(contains(&s->shape, 0, 50));   /* a corner */
    CHECK(contains(&s->shape, 0, 35));   /* an edge */
    free(s);
}

void test_shape_polygon_at_the_180th_meridian(void) {
    sketch *s = polygon(RING(170, -10, -170, -10, -170, 10, 170, 10));
    CHECK(contains(&s->shape, 180, 0));
    CHECK(contains(&s->shape, -180, 0));
    CHECK(contains(&s->shape, -175, 5));
    CHECK(!contains(&s->shape, 165, 0));
    CHECK(!contains(&s->shape, 0, 0));
    free(s);
}

void test_shape_polygon_around_the_poles(void) {
    sketch *north = polygon(RING(0, 70, 90, 70, 180, 70, -90, 70));
    CHECK(contains(&north->shape, 45, 85));
    CHECK(contains(&north->shape, 0, 90));
    CHECK(contains(&north->shape, -33, 80));
    CHECK(!contains(&north->shape, 45, 60));
    CHECK(!contains(&north->shape, 45, -85));
    free(north);
    sketch *south = polygon(RING(0, -70, 90, -70, 180, -70, -90, -70));
    CHECK(contains(&south->shape, 45, -85));
    CHECK(contains(&south->shape, 0, -90));
    CHECK(!contains(&south->shape, 45, 85));
    CHECK(!contains(&south->shape, 0, 0));
    free(south);
    sketch *corner = polygon(RING(0, 80, 90, 80, 0, 90));
    CHECK(contains(&corner->shape, 45, 86));
    CHECK(contains(&corner->shape, 0, 90));
    CHECK(!contains(&corner->shape, 200, 89));
    CHECK(!contains(&corner->shape, -100, 89));
    free(corner);
    sketch *over = polygon(RING(0, 60, 0, 50, 10, 50, 180, 70)); /* one edge goes over the pole */
    CHECK(contains(&over->shape, 3, 55));
    CHECK(contains(&over->shape, 0, 89));
    CHECK(!contains(&over->shape, -3, 55));
    free(over);
}

/* The same ring turned round encloses the same: of its two sides the smaller one. */
void test_shape_polygon_direction_does_not_matter(void) {
    sketch *left = polygon(RING(0, 0, 40, 0, 40, 40, 0, 40)), *right = polygon(RING(0, 0, 0, 40, 40, 40, 40, 0));
    uint64_t state = ctest_seed();
    for (int i = 0; i < 2000; i++) {
        double longitude = (double)(ctest_random(&state) % 360001) / 1000 - 180;
        double latitude = (double)(ctest_random(&state) % 180001) / 1000 - 90;
        CHECK(contains(&left->shape, longitude, latitude) == contains(&right->shape, longitude, latitude));
    }
    free(left);
    free(right);
}

void test_shape_polygon_holes(void) {
    sketch *s = polygon(RING(0, 0, 40, 0, 40, 40, 0, 40));
    add_ring(s, RING(10, 10, 20, 10, 20, 20, 10, 20));
    add_ring(s, RING(25, 25, 30, 25, 30, 30));
    CHECK(contains(&s->shape, 5, 5));
    CHECK(!contains(&s->shape, 15, 15));
    CHECK(!contains(&s->shape, 29, 26));
    CHECK(contains(&s->shape, 26, 29));
    CHECK(contains(&s->shape, 10, 15)); /* the edge of a hole is no part of it */
    CHECK(contains(&s->shape, 10, 10));
    free(s);
}

/* Points in a random star: on the sphere, close to the equator, what a plane says holds, too. */
void test_shape_polygon_against_a_plane(void) {
    uint64_t state = ctest_seed();
    for (int round = 0; round < 300; round++) {
        double numbers[2 * 24];
        size_t corners = 3 + ctest_random(&state) % 20;
        for (size_t i = 0; i < corners; i++) {
            double turn = 2 * acos(-1) * (double)i / (double)corners;
            double far = 0.02 + (double)(ctest_random(&state) % 1000) / 20000;
            numbers[2 * i] = far * cos(turn);
            numbers[2 * i + 1] = far * sin(turn);
        }
        sketch *s = polygon(numbers, 2 * corners);
        for (int i = 0; i < 30; i++) {
            double x = (double)(ctest_random(&state) % 2001) / 10000 - 0.1 + 1e-7;
            double y = (double)(ctest_random(&state) % 2001) / 10000 - 0.1 + 1e-7;
            bool inside = false;
            double least = 1;
            for (size_t a = 0; a < corners; a++) {
                size_t b = (a + 1) % corners;
                double ax = numbers[2 * a], ay = numbers[2 * a + 1], bx = numbers[2 * b], by = numbers[2 * b + 1];
                double side = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / hypot(bx - ax, by - ay);
                least = fmin(least, fabs(side));
                if ((ay > y) != (by > y) && x < (bx - ax) * (y - ay) / (by - ay) + ax) inside = !inside;
            }
            if (least > 1e-6) CHECK(contains(&s->shape, x, y) == inside);
        }
        free(s);
    }
}

/* ---- What is refused -------------------------------------------------- */

static void refuse_polygon(sketch *s, const char *words) {
    refuse(&s->shape, words);
    free(s);
}

/* Statement 142. */
void test_shape_refuses_bad_rings(void) {
    sketch *s = polygon(RING(0, 0, 10, 0, 10, 10, 0, 10));
    s->points[4].latitude = 1;
    refuse_polygon(s, "does not end where it begins");
    refuse_polygon(polygon(RING(0, 0, 10, 0)), "at least four points");
    refuse_polygon(polygon(RING(0, 0, 10, 10, 10, 0, 0, 10)), "edges of a polygon cross");
    refuse_polygon(polygon(RING(0, 0, 10, 0, 10, 0, 0, 10)), "the same or opposite");
    refuse_polygon(polygon(RING(0, 0, 180, 0, 10, 10)), "the same or opposite");
    refuse_polygon(polygon(RING(0, 0, 10, 0, 20, 10, 10, 0, 0, 10)), "twice");
    refuse_polygon(polygon(RING(0, 0, 10, 5, 20, 0, 20, 10, 10, 5, 0, 10)), "meets itself at longitude 10");
    refuse_polygon(polygon(RING(0, 0, 10, 0, 10, 91, 0, 10)), "latitude 91");
    refuse_polygon(polygon(RING(0, 0, 181, 0, 10, 10, 0, 10)), "longitude 181");
    refuse_polygon(polygon(RING(0, 0, (double)NAN, 0, 10, 10, 0, 10)), "longitude");
    s = polygon(RING(0, 0, 10, 0, 10, 10, 0, 10));
    s->shape.point_count--;
    refuse_polygon(s, "points together");
    s = polygon(RING(0, 0, 10, 0, 10, 10, 0, 10));
    s->shape.ring_count = 0;
    refuse_polygon(s, "at least one ring");
}

/* Statement 142: holes outside of the ring, across it, sharing its edges, in each other. */
void test_shape_refuses_bad_holes(void) {
    sketch *s = polygon(RING(0, 0, 10, 0, 10, 10, 0, 10));
    add_ring(s, RING(20, 20, 30, 20, 30, 30));
    refuse_polygon(s, "hole 1 of a polygon does not lie inside its outer ring");
    s = polygon(RING(0, 0, 10, 0, 10, 10, 0, 10));
    add_ring(s, RING(5, 5, 15, 5, 15, 6));
    refuse_polygon(s, "edges of a polygon cross");
    s = polygon(RING(0, 0, 10, 0, 10, 10, 0, 10));
    add_ring(s, RING(0, 0, 10, 0, 5, 5));
    refuse_polygon(s, "twice");
    s = polygon(RING(0, 0, 20, 0, 20, 20, 0, 20));
    add_ring(s, RING(5, 5, 15, 5, 15, 15, 5, 15));
    add_ring(s, RING(8, 8, 10, 8, 10, 10));
    refuse_polygon(s, "hole 2 of a polygon lies inside its hole 1");
    s = polygon(RING(0, 0, 10, 0, 10, 10, 0, 10));
    add_ring(s, RING(-10, -10, 20, -10, 20, 20, -10, 20));
    refuse_polygon(s, "hole 1 of a polygon does not lie inside its outer ring");
    s = polygon(RING(0, 0, 10, 0, 10, 10, 0, 10));
    add_ring(s, RING(0, 0, 5, 2, 2, 5)); /* it may touch a corner */
    strata_error error;
    CHECK_EQ(st_shape_check(&s->shape, &error), STRATA_OK);
    free(s);
}

void test_shape_refuses_bad_boxes_and_circles(void) {
    strata_geo_point points[] = { { 0, 10 }, { 10, 0 } };
    refuse(&(strata_shape){ .kind = STRATA_BOX, .points = points, .point_count = 2 }, "north of the other");
    refuse(&(strata_shape){ .kind = STRATA_BOX, .points = points, .point_count = 1 }, "2 points");
    refuse(&(strata_shape){ .kind = STRATA_CIRCLE, .points = points, .point_count = 1, .radius = -1 }, "radius -1");
    refuse(&(strata_shape){ .kind = STRATA_CIRCLE, .points = points, .point_count = 1, .radius = NAN }, "radius");
    refuse(&(strata_shape){ .kind = (strata_shape_kind)7, .points = points, .point_count = 1 }, "a shape is");
    refuse(NULL, "a shape is");
}

/* A ring of many corners is checked with few comparisons, and asked. */
void test_shape_polygon_of_many_corners(void) {
    enum { CORNERS = 5000 };
    strata_geo_point *points = malloc((CORNERS + 1) * sizeof *points);
    uint32_t size = CORNERS + 1;
    CHECK(points != NULL);
    for (int i = 0; i < CORNERS; i++) {
        double turn = 2 * acos(-1) * i / (double)CORNERS, far = i % 2 == 0 ? 10 : 10.001;
        points[i] = (strata_geo_point){ 20 + far * cos(turn), 30 + far * sin(turn) };
    }
    points[CORNERS] = points[0];
    strata_shape shape = { .kind = STRATA_POLYGON, .points = points, .point_count = size, .ring_sizes = &size,
                           .ring_count = 1 };
    CHECK(contains(&shape, 20, 30));
    CHECK(contains(&shape, 29, 30));
    CHECK(!contains(&shape, 31, 30));
    free(points);
}

/* ---- Many edges ------------------------------------------------------- */

static double unit(uint64_t *state) { return (double)(ctest_random(state) % 1000000) / 1e6; }

/* Whether two edges cross, by the sides on which their ends lie. Touching does not count. */
static double turn(const st_spot *a, const st_spot *b, const st_spot *p) {
    return (a->y * b->z - a->z * b->y) * p->x + (a->z * b->x - a->x * b->z) * p->y + (a->x * b->y - a->y * b->x) * p->z;
}
static bool edges_cross(const st_edge *e, const st_edge *f) {
    double a = -turn(&e->from, &e->to, &f->from), b = turn(&e->from, &e->to, &f->to);
    double c = -turn(&f->from, &f->to, &e->to), d = turn(&f->from, &f->to, &e->from);
    return a * b > 0 && c * d > 0 && a * c > 0;
}

/* Pairs of edges that a search visited: how often, a byte for each. */
typedef struct visits {
    const st_edge_tree *tree;
    size_t at;
    uint8_t *pairs;
} visits;

static void note_pair(void *context, size_t number) {
    visits *v = context;
    size_t a = v->at < number ? v->at : number, b = v->at < number ? number : v->at;
    v->pairs[a * v->tree->count + b]++;
}

/* The tree leaves out no two edges that cross, and visits none twice. */
void test_shape_edges_that_cross_are_found(void) {
    enum { CORNERS = 120 };
    uint64_t state = ctest_seed();
    for (int round = 0; round < 300; round++) {
        st_arena memory = { 0 };
        st_ring ring;
        st_edge_tree tree;
        strata_geo_point points[CORNERS + 1];
        const st_edge *edges[CORNERS];
        strata_error error;
        uint32_t count = 3 + (uint32_t)(ctest_random(&state) % (CORNERS - 3));
        double width = round % 3 == 0 ? 340 : 30, longitude = unit(&state) * 20, latitude = unit(&state) * 40 - 80;
        for (uint32_t i = 0; i < count; i++) { /* now and then a comb: long edges side by side */
            bool comb = round % 2 == 0, right = (i & 2) != 0;
            double x = comb ? (right ? width : 0) + unit(&state) : unit(&state) * width;
            points[i].longitude = longitude + x - 180;
            points[i].latitude = latitude + (comb ? i * 0.1 : unit(&state) * 100);
        }
        points[count] = points[0];
        if (st_ring_make(points, count + 1, 0, &memory, &ring, &error) == STRATA_OK) {
            visits v = { .tree = &tree, .pairs = calloc(count, count) };
            CHECK(v.pairs != NULL);
            for (uint32_t i = 0; i < count; i++) edges[i] = &ring.edges[i];
            CHECK(st_edge_tree_make(edges, count, &memory, &tree));
            for (size_t i = 0; i < count; i++) {
                v.at = (size_t)tree.numbers[i];
                st_edge_tree_search(&tree, i, note_pair, &v);
            }
            for (uint32_t i = 0; i < count; i++) {
                for (uint32_t k = i; k < count; k++) {
                    CHECK(v.pairs[i * count + k] <= (i < k));
                    if (i < k && edges_cross(edges[i], edges[k])) CHECK_EQ(v.pairs[i * count + k], 1);
                }
            }
            free(v.pairs);
        }
        st_arena_free(&memory);
    }
}

/* A comb whose teeth lie side by side over their whole length. */
static strata_shape comb(uint32_t count, uint32_t *ring_size) {
    strata_geo_point *points = malloc((count + 1) * sizeof *points);
    CHECK(points != NULL);
    for (uint32_t i = 0; i < count; i++) points[i] = (strata_geo_point){ (i & 2) != 0 ? 20 : 0, 30.0 * i / count };
    points[0] = (strata_geo_point){ -1, 0 };
    points[count - 1] = (strata_geo_point){ -1, 30 };
    points[count] = points[0];
    *ring_size = count + 1;
    return (strata_shape){ .kind = STRATA_POLYGON, .points = points, .point_count = count + 1, .ring_count = 1,
                           .ring_sizes = ring_size };
}

void test_shape_of_many_long_edges(void) {
    enum { COUNT = 40000 };
    uint32_t ring_size;
    strata_error error;
    strata_shape shape = comb(COUNT, &ring_size);
    strata_geo_point *points = (strata_geo_point *)(uintptr_t)shape.points;
    if (st_shape_check(&shape, &error) != STRATA_OK) ctest_fail(__FILE__, __LINE__, error.message);
    points[COUNT / 2].latitude += 0.01; /* one tooth cuts into others */
    refuse(&shape, "edges of a polygon cross");
    free(points);
}

void test_shape_has_limits(void) {
    uint32_t size = STRATA_MAX_POINTS + 1;
    strata_geo_point *points = calloc(size, sizeof *points);
    CHECK(points != NULL);
    strata_shape shape = { .kind = STRATA_POLYGON, .points = points, .point_count = size, .ring_count = 1,
                           .ring_sizes = &size };
    refuse(&shape, "a polygon has 1000001 points; it may have 1000000");
    free(points);
}

/* Every hole is compared with every other one. */
void test_shape_of_many_holes(void) {
    enum { ACROSS = 160, HOLES = ACROSS * ACROSS };
    strata_geo_point *points = malloc((5 + 4 * HOLES) * sizeof *points);
    uint32_t *rings = malloc((HOLES + 1) * sizeof *rings);
    CHECK(points != NULL && rings != NULL);
    static const strata_geo_point outside[] = { { -1, -1 }, { 41, -1 }, { 41, 41 }, { -1, 41 }, { -1, -1 } };
    memcpy(points, outside, sizeof outside);
    rings[0] = 5;
    for (uint32_t i = 0; i < HOLES; i++) {
        double x = i % ACROSS * 0.2, y = (double)(i / ACROSS) * 0.2;
        strata_geo_point *hole = points + 5 + 4 * (size_t)i;
        hole[0] = hole[3] = (strata_geo_point){ x, y };
        hole[1] = (strata_geo_point){ x + 0.1, y };
        hole[2] = (strata_geo_point){ x, y + 0.1 };
        rings[i + 1] = 4;
    }
    strata_shape shape = { .kind = STRATA_POLYGON, .points = points, .point_count = 5 + 4 * 1000, .ring_count = 1001,
                           .ring_sizes = rings };
    strata_error error;
    CHECK_EQ(st_shape_check(&shape, &error), STRATA_OK);
    shape.point_count = 5 + 4 * HOLES;
    shape.ring_count = HOLES + 1;
    refuse(&shape, "too many holes of a polygon lie side by side");
    free(points);
    free(rings);
}
