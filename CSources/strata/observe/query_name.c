/* SPDX-License-Identifier: MIT
 *
 * query_name.c -- bytes that stand for a query.
 *
 * What has a length stands behind its length, so that no two queries run into the same bytes. What a node, a value, a
 * stage or a source of its kind does not use is left out, as are the bytes between fields; in a step it is zero.
 */
#include "observe/query_name.h"

static bool add(st_buffer *out, const void *bytes, size_t size) {
    return size == 0 || st_buffer_append(out, bytes, size);
}

static bool add_number(st_buffer *out, uint64_t number) { return add(out, &number, sizeof number); }

static bool add_bytes(st_buffer *out, strata_bytes bytes) {
    return add_number(out, bytes.size) && add(out, bytes.data, bytes.size);
}

static bool add_step(st_buffer *out, const strata_step *step) {
    return add_number(out, step->kind) && add_number(out, step->table) && add_number(out, step->column) &&
           add_number(out, (uint64_t)step->position) && add_bytes(out, step->key);
}

static bool add_path(st_buffer *out, const strata_step *steps, uint32_t count) {
    bool done = add_number(out, count);
    for (uint32_t i = 0; i < count && done; i++) done = add_step(out, &steps[i]);
    return done;
}

static bool add_operand(st_buffer *out, const strata_operand *operand) {
    return add_path(out, operand->path, operand->path_length) && add_number(out, operand->aggregate) &&
           add_number(out, operand->aggregate_length);
}

static bool add_value(st_buffer *out, const strata_value *value) {
    if (!add_number(out, value->type) || !add_number(out, value->table)) return false;
    switch (value->type) {
    case STRATA_NULL: return true;
    case STRATA_BOOL: return add_number(out, value->as.boolean);
    case STRATA_FLOAT: return add(out, &value->as.single, sizeof value->as.single);
    case STRATA_STRING:
    case STRATA_DATA:
    case STRATA_NESTED: return add_bytes(out, value->as.bytes);
    case STRATA_OBJECT_ID: return add(out, value->as.fixed, 12);
    case STRATA_UUID:
    case STRATA_DECIMAL: return add(out, value->as.fixed, 16);
    default: return add(out, &value->as.integer, sizeof value->as.integer); /* of all others the same 8 bytes */
    }
}

static bool add_shape(st_buffer *out, const strata_shape *shape) {
    if (shape == NULL) return add_number(out, 0);
    return add_number(out, 1) && add_number(out, shape->kind) && add_number(out, shape->point_count) &&
           add(out, shape->points, shape->point_count * sizeof *shape->points) && add_number(out, shape->ring_count) &&
           add(out, shape->ring_sizes, shape->ring_count * sizeof *shape->ring_sizes) &&
           add(out, &shape->radius, sizeof shape->radius);
}

static bool add_node(st_buffer *out, const strata_node *node) {
    bool done = add_number(out, node->op) && add_number(out, node->options) && add_number(out, node->children) &&
                add_operand(out, &node->left) && add_number(out, node->right != NULL) &&
                (node->right == NULL || add_operand(out, node->right)) && add_number(out, node->value_count);
    for (uint32_t i = 0; i < node->value_count && done; i++) done = add_value(out, &node->values[i]);
    return done && add_shape(out, node->shape);
}

static bool add_stage(st_buffer *out, const strata_stage *stage) {
    bool done = add_number(out, stage->kind);
    if (stage->kind == STRATA_STAGE_LIMIT) return done && add_number(out, stage->skip) && add_number(out, stage->limit);
    done = done && add_number(out, stage->key_count);
    for (uint32_t i = 0; i < stage->key_count && done; i++)
        done = add_number(out, stage->keys[i].descending) &&
               add_path(out, stage->keys[i].path, stage->keys[i].path_length);
    return done;
}

static bool add_source(st_buffer *out, const strata_query *query) {
    bool done = add_number(out, query->source) && add_number(out, query->table);
    switch (query->source) {
    case STRATA_SOURCE_TABLE: return done;
    case STRATA_SOURCE_KEYS:
        return done && add_number(out, query->key_count) &&
               add(out, query->keys, query->key_count * sizeof *query->keys);
    default:
        return done && add_number(out, query->origin_table) && add_number(out, query->origin_column) &&
               add_number(out, query->key);
    }
}

bool st_query_name(const strata_query *query, st_buffer *out) {
    bool done = add_source(out, query) && add_number(out, query->node_count);
    for (uint32_t i = 0; i < query->node_count && done; i++) done = add_node(out, &query->nodes[i]);
    done = done && add_number(out, query->stage_count);
    for (uint32_t i = 0; i < query->stage_count && done; i++) done = add_stage(out, &query->stages[i]);
    return done;
}
