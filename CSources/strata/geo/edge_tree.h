/* SPDX-License-Identifier: MIT
 *
 * edge_tree.h -- edges on a sphere, to be found by where they are.
 *
 * The edges lie along a curve that fills space, so that neighbours on it are neighbours in space, and a binary tree
 * above them knows where each stretch of it is: within a box and, along one direction, within a slab. Long edges that
 * lie side by side without crossing are nearly parallel; their boxes overlap, but slabs along their normals do not.
 */
#ifndef ST_GEO_EDGE_TREE_H
#define ST_GEO_EDGE_TREE_H

#include "base/arena.h"
#include "geo/ring.h"

/** Where edges are. */
typedef struct st_edge_bounds {
    double low[3], high[3]; /* the ranges of x, y and z */
    double normal[3];       /* the direction of the slab, of any length; 0: there is none */
    double near, far;       /* the range along it */
} st_edge_bounds;

typedef struct st_edge_tree {
    const st_edge *const *edges; /* as the caller numbers them */
    size_t count;
    uint64_t *numbers;           /* those numbers along the curve */
    st_edge_bounds *edge_bounds; /* along the curve */
    st_edge_bounds *nodes;       /* number 1 is the root, number n has the children 2 n and 2 n + 1 */
    size_t leaves;               /* how many nodes have no children; a power of two */
    uint64_t compared;           /* how often searches compared two edges */
} st_edge_tree;

/** Lifetime: that of `memory` and of the edges. False if there is no memory. */
bool st_edge_tree_make(const st_edge *const *edges, size_t count, st_arena *memory, st_edge_tree *out);

/** Visits, in no order, the edges behind `position` on the curve that may meet the edge there. Whoever searches from
 * each position meets each pair once. */
void st_edge_tree_search(st_edge_tree *tree, size_t position, void (*visit)(void *context, size_t number),
                         void *context);

#endif
