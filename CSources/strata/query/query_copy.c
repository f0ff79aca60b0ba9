/* SPDX-License-Identifier: MIT
 * query_copy.c -- a query that belongs to nobody else. */
#include "query/query_copy.h"

#include <stddef.h>

#include "base/sized.h"
#include "base/status.h"

strata_status st_query_read(const strata_query *given, strata_query *out, strata_error *error) {
    const uint32_t least = offsetof(strata_query, after);
    if (given == NULL || !st_sized_plausible(given->size, least))
        return st_fail(error, STRATA_MISUSE, 0,
                       "running a query: strata_query.size is %u; set it to sizeof(strata_query)",
                       given == NULL ? 0 : (unsigned)given->size);
    if (!st_sized_read(out, sizeof *out, given, given->size))
        return st_fail(error, STRATA_MISUSE, 0,
                       "running a query: strata_query has a field that version %s of the library does not know",
                       strata_version());
    out->size = (uint32_t)sizeof *out;
    return STRATA_OK;
}

/* ---- Copies ----------------------------------------------------------- */

/* What is copied, until there is no memory. */
typedef struct copier {
    st_arena *arena;
    bool failed;
} copier;

static void *copy(copier *c, const void *from, size_t count, size_t size) {
    if (from == NULL || count == 0 || c->failed) return NULL;
    void *to = count > SIZE_MAX / size ? NULL : st_arena_alloc(c->arena, count * size);
    if (to == NULL) c->failed = true;
    else memcpy(to, from, count * size);
    return to;
}

static strata_bytes copy_bytes(copier *c, strata_bytes bytes) {
    const void *data = copy(c, bytes.data, bytes.size, 1);
    return data == NULL ? (strata_bytes){ bytes.size == 0 ? bytes.data : NULL, bytes.size }
                        : (strata_bytes){ data, bytes.size };
}

static strata_step *copy_steps(copier *c, const strata_step *from, uint32_t count) {
    strata_step *steps = copy(c, from, count, sizeof *steps);
    for (uint32_t i = 0; steps != NULL && i < count; i++) steps[i].key = copy_bytes(c, steps[i].key);
    return steps;
}

static bool has_bytes(const strata_value *value) {
    return value->type == STRATA_STRING || value->type == STRATA_DATA || value->type == STRATA_NESTED;
}

static const strata_value *copy_values(copier *c, const strata_value *from, size_t count) {
    strata_value *values = copy(c, from, count, sizeof *values);
    for (size_t i = 0; values != NULL && i < count; i++)
        if (has_bytes(&values[i])) values[i].as.bytes = copy_bytes(c, values[i].as.bytes);
    return values;
}

static const strata_shape *copy_shape(copier *c, const strata_shape *from) {
    strata_shape *shape = copy(c, from, 1, sizeof *shape);
    if (shape == NULL) return NULL;
    shape->points = copy(c, from->points, from->point_count, sizeof *shape->points);
    shape->ring_sizes = copy(c, from->ring_sizes, from->ring_count, sizeof *shape->ring_sizes);
    return shape;
}

static void copy_node(copier *c, strata_node *node) {
    node->left.path = copy_steps(c, node->left.path, node->left.path_length);
    strata_operand *right = copy(c, node->right, 1, sizeof *right);
    if (right != NULL) right->path = copy_steps(c, right->path, right->path_length);
    node->right = right;
    node->values = copy_values(c, node->values, node->value_count);
    node->shape = copy_shape(c, node->shape);
}

static const strata_stage *copy_stages(copier *c, const strata_stage *from, uint32_t count) {
    strata_stage *stages = copy(c, from, count, sizeof *stages);
    for (uint32_t i = 0; stages != NULL && i < count; i++) {
        strata_sort *keys = copy(c, stages[i].keys, stages[i].key_count, sizeof *keys);
        for (uint32_t k = 0; keys != NULL && k < stages[i].key_count; k++)
            keys[k].path = copy_steps(c, keys[k].path, keys[k].path_length);
        stages[i].keys = keys;
    }
    return stages;
}

static const strata_bookmark *copy_bookmark(copier *c, const strata_bookmark *from) {
    strata_bookmark *bookmark = copy(c, from, 1, sizeof *bookmark);
    if (bookmark != NULL) bookmark->values = copy_values(c, bookmark->values, bookmark->value_count);
    return bookmark;
}

bool st_query_keep(st_arena *arena, strata_query *query) {
    copier c = { arena, false };
    query->keys = copy(&c, query->keys, (size_t)query->key_count, sizeof *query->keys);
    strata_node *nodes = copy(&c, query->nodes, query->node_count, sizeof *nodes);
    for (uint32_t i = 0; nodes != NULL && i < query->node_count; i++) copy_node(&c, &nodes[i]);
    query->nodes = nodes;
    query->stages = copy_stages(&c, query->stages, query->stage_count);
    query->after = copy_bookmark(&c, query->after);
    return !c.failed;
}

const strata_query *st_query_copy(st_arena *arena, const strata_query *query) {
    strata_query *to = st_arena_alloc(arena, sizeof *to);
    if (to == NULL || !st_sized_read(to, sizeof *to, query, query->size)) return NULL;
    to->size = (uint32_t)sizeof *to;
    return st_query_keep(arena, to) ? to : NULL;
}

const strata_step *st_steps_copy(st_arena *arena, const strata_step *steps, uint32_t count) {
    copier c = { arena, false };
    const strata_step *out = copy_steps(&c, steps, count);
    return c.failed ? NULL : out;
}
