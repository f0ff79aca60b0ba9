/* SPDX-License-Identifier: MIT
 * edge_tree.c -- edges on a sphere, to be found by where they are. */
#include "geo/edge_tree.h"

#include <math.h>

#include "base/sort.h"

enum { LEAF = 4 /* edges */ };

/* ---- Bounds ----------------------------------------------------------- */

static const double rounding = 1e-12;

static double along(const double direction[3], const st_spot *spot) {
    return direction[0] * spot->x + direction[1] * spot->y + direction[2] * spot->z;
}

/* The range of an edge along a direction: that of its ends, unless it rises at one end and falls at the other. Then the
 * top or the bottom of its great circle lies between them. */
static void measure(const st_edge *e, const double d[3], double *low, double *high) {
    double from = along(d, &e->from), to = along(d, &e->to);
    double rise[3] = { d[1] * e->nz - d[2] * e->ny, d[2] * e->nx - d[0] * e->nz, d[0] * e->ny - d[1] * e->nx };
    double rise_from = along(rise, &e->from), rise_to = along(rise, &e->to);
    *low = fmin(from, to) - rounding;
    *high = fmax(from, to) + rounding;
    if ((rise_from > 0) == (rise_to > 0)) return;
    double top = sqrt(rise[0] * rise[0] + rise[1] * rise[1] + rise[2] * rise[2]);
    if (rise_from > 0) *high = top + rounding;
    else *low = -top - rounding;
}

static st_edge_bounds bounds_of(const st_edge *e) {
    static const double axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    st_edge_bounds bounds = { .normal = { e->nx, e->ny, e->nz } };
    for (int i = 0; i < 3; i++) measure(e, axes[i], &bounds.low[i], &bounds.high[i]);
    return bounds;
}

static bool boxes_meet(const st_edge_bounds *a, const st_edge_bounds *b) {
    for (int i = 0; i < 3; i++) {
        if (a->low[i] > b->high[i] || b->low[i] > a->high[i]) return false;
    }
    return true;
}

static bool meets_slab(const st_edge *e, const st_edge_bounds *node) {
    double low, high;
    measure(e, node->normal, &low, &high);
    return low <= node->far && high >= node->near;
}

/* Makes the box larger, and adds up the normals, which may point to either side. */
static void include(st_edge_bounds *bounds, const st_edge_bounds *other) {
    double turn = 0;
    for (int i = 0; i < 3; i++) {
        bounds->low[i] = fmin(bounds->low[i], other->low[i]);
        bounds->high[i] = fmax(bounds->high[i], other->high[i]);
        turn += bounds->normal[i] * other->normal[i];
    }
    for (int i = 0; i < 3; i++) bounds->normal[i] += turn < 0 ? -other->normal[i] : other->normal[i];
}

/* ---- Making ----------------------------------------------------------- */

/* The position of the middle of a box on a Z-order curve: the bits of its coordinates take turns. */
static uint64_t place_of(const st_edge_bounds *box) {
    enum { BITS = 21 };
    uint64_t place = 0;
    for (int i = 0; i < 3; i++) {
        double middle = (box->low[i] + box->high[i]) / 2, share = fmin(fmax((middle + 1) / 2, 0), 1);
        uint64_t step = (uint64_t)(share * ((1 << BITS) - 1));
        for (int bit = 0; bit < BITS; bit++) place |= (step >> bit & 1) << (3 * bit + i);
    }
    return place;
}

/* The slab is measured edge by edge, anew for every level. */
static void make_slab(const st_edge_tree *tree, st_edge_bounds *node, size_t from, size_t to) {
    node->near = INFINITY;
    node->far = -INFINITY;
    for (size_t i = from; i < to && i < tree->count; i++) {
        double low, high;
        measure(tree->edges[tree->numbers[i]], node->normal, &low, &high);
        node->near = fmin(node->near, low);
        node->far = fmax(node->far, high);
    }
}

static void fill_nodes(st_edge_tree *tree) {
    static const st_edge_bounds nowhere = { .low = { INFINITY, INFINITY, INFINITY },
                                            .high = { -INFINITY, -INFINITY, -INFINITY } };
    for (size_t leaf = 0; leaf < tree->leaves; leaf++) {
        st_edge_bounds *node = &tree->nodes[tree->leaves + leaf];
        *node = nowhere;
        for (size_t i = LEAF * leaf; i < LEAF * (leaf + 1) && i < tree->count; i++) {
            include(node, &tree->edge_bounds[i]);
        }
        make_slab(tree, node, LEAF * leaf, LEAF * (leaf + 1));
    }
    size_t width = 2 * LEAF; /* edges below each node of a level */
    for (size_t first = tree->leaves / 2; first != 0; first /= 2, width *= 2) {
        for (size_t i = 0; i < first; i++) {
            st_edge_bounds *node = &tree->nodes[first + i];
            *node = tree->nodes[2 * (first + i)];
            include(node, &tree->nodes[2 * (first + i) + 1]);
            make_slab(tree, node, width * i, width * (i + 1));
        }
    }
}

bool st_edge_tree_make(const st_edge *const *edges, size_t count, st_arena *memory, st_edge_tree *out) {
    *out = (st_edge_tree){ .edges = edges, .count = count, .leaves = 1 };
    while (out->leaves * LEAF < count) out->leaves *= 2;
    out->edge_bounds = st_arena_alloc(memory, (count + 1) * sizeof *out->edge_bounds);
    out->numbers = st_arena_alloc(memory, (count + 1) * sizeof *out->numbers);
    out->nodes = st_arena_alloc(memory, 2 * out->leaves * sizeof *out->nodes);
    st_sort_item *items = st_arena_alloc(memory, (2 * count + 1) * sizeof *items);
    if (out->edge_bounds == NULL || out->numbers == NULL || out->nodes == NULL || items == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        st_edge_bounds bounds = bounds_of(edges[i]);
        items[i] = (st_sort_item){ place_of(&bounds), i };
    }
    st_sort_items(items, items + count, count);
    for (size_t i = 0; i < count; i++) {
        out->numbers[i] = items[i].index;
        out->edge_bounds[i] = bounds_of(edges[out->numbers[i]]);
    }
    fill_nodes(out);
    return true;
}

/* ---- Searching -------------------------------------------------------- */

static void search_leaf(st_edge_tree *tree, size_t leaf, size_t position,
                        void (*visit)(void *context, size_t number), void *context) {
    size_t to = LEAF * (leaf + 1) < tree->count ? LEAF * (leaf + 1) : tree->count;
    for (size_t i = LEAF * leaf > position ? LEAF * leaf : position + 1; i < to; i++) {
        tree->compared++;
        if (!boxes_meet(&tree->edge_bounds[position], &tree->edge_bounds[i])) continue;
        visit(context, (size_t)tree->numbers[i]);
    }
}

/* Goes through the tree from the leaf of the edge to the right; whatever lies below a node that is not met is left
 * out. */
void st_edge_tree_search(st_edge_tree *tree, size_t position, void (*visit)(void *context, size_t number),
                         void *context) {
    const st_edge_bounds *bounds = &tree->edge_bounds[position];
    const st_edge *edge = tree->edges[tree->numbers[position]];
    for (size_t node = tree->leaves + position / LEAF; node != 0;) {
        const st_edge_bounds *below = &tree->nodes[node];
        if (boxes_meet(bounds, below) && meets_slab(edge, below)) {
            if (node < tree->leaves) {
                node *= 2;
                continue;
            }
            search_leaf(tree, node - tree->leaves, position, visit, context);
        }
        while ((node & 1) != 0) node /= 2; /* a right child: its parent is done, too */
        if (node != 0) node++;
    }
}
