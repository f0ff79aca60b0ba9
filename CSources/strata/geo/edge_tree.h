/* SPDX-License-Identifier: MIT
 *
 * edge_tree.h -- edges on a sphere, to be found by where they are.
 *
 * Every edge has a box in space. The edges lie along a curve that fills space, so that neighbours on it are neighbours
 * in space, and a binary tree above them has the box of each stretch of it.
 */
#ifndef ST_GEO_EDGE_TREE_H
#define ST_GEO_EDGE_TREE_H

#include "base/arena.h"
#include "geo/ring.h"

typedef struct st_edge_box {
    double low[3], high[3]; /* the ranges of x, y and z */
} st_edge_box;

typedef struct st_edge_tree {
    const st_edge *const *edges; /* as the caller numbers them */
    size_t count;
    uint64_t *numbers;           /* those numbers along the curve */
    st_edge_box *boxes;          /* of the edges, in the order of the caller */
    st_edge_box *nodes;          /* number 1 is the root, number n has the children 2 n and 2 n + 1 */
    size_t leaves;               /* how many nodes have no children; a power of two */
    uint64_t compared;           /* how often searches compared two edges */
} st_edge_tree;

/** Lifetime: that of `memory` and of the edges. False if there is no memory. */
bool st_edge_tree_make(const st_edge *const *edges, size_t count, st_arena *memory, st_edge_tree *out);

/** Visits each edge whose box meets that of edge `number`, and itself, in no order. */
void st_edge_tree_search(st_edge_tree *tree, size_t number, void (*visit)(void *context, size_t number), void *context);

#endif
