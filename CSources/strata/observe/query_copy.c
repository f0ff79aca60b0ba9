/* SPDX-License-Identifier: MIT
 * query_copy.c -- a query that belongs to nobody else. */
#include "observe/query_copy.h"

#include "base/sized.h"

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

const strata_query *st_query_copy(st_arena *arena, const strata_query *query) {
    copier c = { arena, false };
    strata_query *to = st_arena_alloc(arena, sizeof *to);
    if (to == NULL || !st_sized_read(to, sizeof *to, query, query->size)) return NULL;
    to->size = (uint32_t)sizeof *to;
    to->keys = copy(&c, to->keys, (size_t)to->key_count, sizeof *to->keys);
    strata_node *nodes = copy(&c, to->nodes, to->node_count, sizeof *nodes);
    for (uint32_t i = 0; nodes != NULL && i < to->node_count; i++) copy_node(&c, &nodes[i]);
    to->nodes = nodes;
    to->stages = copy_stages(&c, to->stages, to->stage_count);
    return c.failed ? NULL : to;
}

const strata_step *st_steps_copy(st_arena *arena, const strata_step *steps, uint32_t count) {
    copier c = { arena, false };
    const strata_step *out = copy_steps(&c, steps, count);
    return c.failed ? NULL : out;
}
