/* SPDX-License-Identifier: MIT
 * edge_tree.c -- edges on a sphere, to be found by where they are. */
#include "geo/edge_tree.h"

#include <math.h>

#include "base/sort.h"

enum { LEAF = 4 /* edges */ };

/* ---- Boxes ------------------------------------------------------------ */

/* Where an edge rises at one end and falls at the other, the top of its great circle lies between them; see ring.c. */
static void measure(double from, double to, double top, double rise_from, double rise_to, double *low, double *high) {
    static const double rounding = 1e-12;
    *low = (rise_from < 0 && rise_to > 0 ? -top : fmin(from, to)) - rounding;
    *high = (rise_from > 0 && rise_to < 0 ? top : fmax(from, to)) + rounding;
}

static st_edge_box box_of(const st_edge *e) {
    const st_spot *a = &e->from, *b = &e->to;
    double nx = e->nx, ny = e->ny, nz = e->nz;
    st_edge_box box;
    measure(a->x, b->x, sqrt(ny * ny + nz * nz), ny * a->z - nz * a->y, ny * b->z - nz * b->y, &box.low[0], &box.high[0]);
    measure(a->y, b->y, sqrt(nx * nx + nz * nz), nz * a->x - nx * a->z, nz * b->x - nx * b->z, &box.low[1], &box.high[1]);
    measure(a->z, b->z, sqrt(nx * nx + ny * ny), nx * a->y - ny * a->x, nx * b->y - ny * b->x, &box.low[2], &box.high[2]);
    return box;
}

static bool meet(const st_edge_box *a, const st_edge_box *b) {
    for (int i = 0; i < 3; i++) {
        if (a->low[i] > b->high[i] || b->low[i] > a->high[i]) return false;
    }
    return true;
}

static void include(st_edge_box *box, const st_edge_box *other) {
    for (int i = 0; i < 3; i++) {
        box->low[i] = fmin(box->low[i], other->low[i]);
        box->high[i] = fmax(box->high[i], other->high[i]);
    }
}

/* ---- Making ----------------------------------------------------------- */

/* The position of the middle of a box on a Z-order curve: the bits of its coordinates take turns. */
static uint64_t place_of(const st_edge_box *box) {
    enum { BITS = 21 };
    uint64_t place = 0;
    for (int i = 0; i < 3; i++) {
        double middle = (box->low[i] + box->high[i]) / 2, share = fmin(fmax((middle + 1) / 2, 0), 1);
        uint64_t step = (uint64_t)(share * ((1 << BITS) - 1));
        for (int bit = 0; bit < BITS; bit++) place |= (step >> bit & 1) << (3 * bit + i);
    }
    return place;
}

static void fill_nodes(st_edge_tree *tree) {
    static const st_edge_box nowhere = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (size_t leaf = 0; leaf < tree->leaves; leaf++) {
        st_edge_box *node = &tree->nodes[tree->leaves + leaf];
        *node = nowhere;
        for (size_t i = LEAF * leaf; i < LEAF * (leaf + 1) && i < tree->count; i++) {
            include(node, &tree->boxes[tree->numbers[i]]);
        }
    }
    for (size_t node = tree->leaves - 1; node != 0; node--) {
        tree->nodes[node] = tree->nodes[2 * node];
        include(&tree->nodes[node], &tree->nodes[2 * node + 1]);
    }
}

bool st_edge_tree_make(const st_edge *const *edges, size_t count, st_arena *memory, st_edge_tree *out) {
    *out = (st_edge_tree){ .edges = edges, .count = count, .leaves = 1 };
    while (out->leaves * LEAF < count) out->leaves *= 2;
    out->boxes = st_arena_alloc(memory, (count + 1) * sizeof *out->boxes);
    out->numbers = st_arena_alloc(memory, (count + 1) * sizeof *out->numbers);
    out->nodes = st_arena_alloc(memory, 2 * out->leaves * sizeof *out->nodes);
    st_sort_item *items = st_arena_alloc(memory, (2 * count + 1) * sizeof *items);
    if (out->boxes == NULL || out->numbers == NULL || out->nodes == NULL || items == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        out->boxes[i] = box_of(edges[i]);
        items[i] = (st_sort_item){ place_of(&out->boxes[i]), i };
    }
    st_sort_items(items, items + count, count);
    for (size_t i = 0; i < count; i++) out->numbers[i] = items[i].index;
    fill_nodes(out);
    return true;
}

/* ---- Searching -------------------------------------------------------- */

/* Goes through the tree from left to right; whatever lies below a node that is not met is left out. */
void st_edge_tree_search(st_edge_tree *tree, size_t number, void (*visit)(void *context, size_t number),
                         void *context) {
    const st_edge_box *box = &tree->boxes[number];
    for (size_t node = 1; node != 0;) {
        bool met = meet(box, &tree->nodes[node]);
        if (met && node < tree->leaves) {
            node *= 2;
            continue;
        }
        size_t from = LEAF * (node - tree->leaves), to = from + LEAF < tree->count ? from + LEAF : tree->count;
        for (size_t i = from; met && i < to; i++) {
            tree->compared++;
            if (meet(box, &tree->boxes[tree->numbers[i]])) visit(context, (size_t)tree->numbers[i]);
        }
        while ((node & 1) != 0) node /= 2; /* a right child: its parent is done, too */
        if (node != 0) node++;
    }
}
