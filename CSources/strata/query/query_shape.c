/* SPDX-License-Identifier: MIT
 * query_shape.c -- what a query is but for the constants of its comparisons. */
#include "query/query_shape.h"

bool st_shape_leaves_open(const strata_node *node) {
    return node->op >= STRATA_EQUAL && node->op < STRATA_WITHIN && node->right == NULL && node->value_count != 0;
}

/* Room for the words of anything but paths is kept free behind the words so far. */
enum { ROOM = 6, WORDS = ST_SHAPE_WORDS - ROOM };

static void add(st_shape *shape, uint64_t word) { shape->words[shape->count++] = word; }

static void add_pair(st_shape *shape, uint32_t high, uint32_t low) { add(shape, (uint64_t)high << 32 | low); }

static bool add_path(st_shape *shape, const strata_step *path, uint32_t length) {
    if (path == NULL && length != 0) return false;
    for (uint32_t i = 0; i < length; i++) {
        const strata_step *step = &path[i];
        if (step->kind == STRATA_STEP_KEY || shape->count > WORDS) return false; /* a key is no number */
        add_pair(shape, (uint32_t)step->kind, step->table);
        add(shape, step->column);
        if (step->kind == STRATA_STEP_POSITION) add(shape, (uint64_t)step->position);
    }
    return shape->count <= WORDS;
}

static bool add_operand(st_shape *shape, const strata_operand *operand) {
    add_pair(shape, (uint32_t)operand->aggregate, operand->aggregate_length);
    add(shape, operand->path_length);
    return add_path(shape, operand->path, operand->path_length);
}

static void gather(st_shape *shape, const strata_value *values, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) shape->gathered[shape->argument_count++] = values[i];
    shape->arguments = shape->gathered;
}

/* The constants of the only comparison stay where they are; those of several are gathered. */
static bool add_constants(st_shape *shape, const strata_node *node) {
    uint32_t before = shape->argument_count;
    if (node->values == NULL || node->value_count > ST_SHAPE_ARGUMENTS - before) return false;
    if (before == 0) {
        shape->arguments = node->values;
        shape->argument_count = node->value_count;
        return true;
    }
    if (shape->arguments != shape->gathered) {
        shape->argument_count = 0;
        gather(shape, shape->arguments, before);
    }
    gather(shape, node->values, node->value_count);
    return true;
}

static bool add_node(st_shape *shape, const strata_node *node) {
    if ((uint32_t)node->op >= STRATA_WITHIN || (node->options & STRATA_PARAMETERS) != 0) return false;
    add_pair(shape, (uint32_t)node->op << 1 | (node->right != NULL), node->options);
    add_pair(shape, node->children, node->value_count);
    if (node->op < STRATA_EQUAL) return shape->count <= WORDS;
    if (!add_operand(shape, &node->left)) return false;
    if (node->right != NULL) return add_operand(shape, node->right);
    return node->value_count == 0 || add_constants(shape, node);
}

static bool add_stage(st_shape *shape, const strata_stage *stage) {
    if (stage->keys == NULL && stage->key_count != 0) return false;
    add_pair(shape, (uint32_t)stage->kind, stage->key_count);
    if (stage->kind == STRATA_STAGE_LIMIT) {
        add(shape, stage->skip);
        add(shape, stage->limit);
        return shape->count <= WORDS;
    }
    for (uint32_t i = 0; i < stage->key_count; i++) {
        const strata_sort *key = &stage->keys[i];
        add_pair(shape, key->path_length, key->descending);
        if (!add_path(shape, key->path, key->path_length)) return false;
    }
    return shape->count <= WORDS;
}

static uint64_t hash_of(const st_shape *shape) {
    uint64_t hash = 0;
    for (uint32_t i = 0; i < shape->count; i++) {
        hash = (hash ^ shape->words[i]) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 32;
    }
    return hash;
}

bool st_shape_find(const strata_query *query, st_shape *out) {
    out->count = out->argument_count = 0;
    out->arguments = NULL;
    if (query->source != STRATA_SOURCE_TABLE || query->after != NULL) return false;
    if (query->node_count > ST_SHAPE_NODES) return false;
    if (query->nodes == NULL && query->node_count != 0) return false;
    if (query->stages == NULL && query->stage_count != 0) return false;
    add_pair(out, query->table, query->node_count);
    for (uint32_t i = 0; i < query->node_count; i++)
        if (!add_node(out, &query->nodes[i])) return false;
    for (uint32_t i = 0; i < query->stage_count; i++)
        if (!add_stage(out, &query->stages[i])) return false;
    out->hash = hash_of(out);
    return true;
}
