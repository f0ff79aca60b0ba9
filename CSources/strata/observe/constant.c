/* SPDX-License-Identifier: MIT
 * constant.c -- the value that a property of an object must have for the object to be in the result of a query. */
#include "observe/constant.h"

#include <string.h>

#include "base/status.h"
#include "strata_object.h"

/* Values of these types are equal if their bytes are. */
static bool is_plain(strata_type type) {
    switch (type) {
    case STRATA_BOOL:
    case STRATA_INT:
    case STRATA_STRING:
    case STRATA_UUID:
    case STRATA_OBJECT_ID:
    case STRATA_LINK: return true;
    default: return false;
    }
}

static bool is_equality(const strata_view *view, uint32_t table, const strata_node *node) {
    const strata_operand *left = &node->left;
    if (node->op != STRATA_EQUAL || node->options != 0 || node->right != NULL || node->value_count != 1) return false;
    if (left->path_length != 1 || left->path->kind != STRATA_STEP_COLUMN) return false;
    if (left->aggregate != STRATA_EACH_VALUE) return false;
    const st_column *column = &view->catalog->tables[table].columns[left->path->column];
    return column->collection == STRATA_SINGLE && column->type == node->values->type && is_plain(column->type);
}

/* The node behind one and all of its children. NOT has one without saying so. */
static uint32_t behind(const strata_query *query, uint32_t node) {
    uint32_t end = node + 1, count = query->nodes[node].op == STRATA_NOT ? 1 : query->nodes[node].children;
    for (uint32_t i = 0; i < count; i++) end = behind(query, end);
    return end;
}

st_constant st_constant_of(const strata_view *view, const strata_query *query) {
    const strata_node *nodes = query->nodes;
    bool all = query->node_count != 0 && nodes->op == STRATA_AND;
    uint32_t count = all ? nodes->children : query->node_count != 0, at = all;
    for (uint32_t i = 0; i < count; i++, at = behind(query, at))
        if (is_equality(view, query->table, &nodes[at]))
            return (st_constant){ nodes[at].left.path->column, nodes[at].values };
    return (st_constant){ 0, NULL };
}

static bool differ(const strata_value *a, const strata_value *b) {
    if (a->type != b->type) return a->type == STRATA_NULL;
    switch (a->type) {
    case STRATA_BOOL: return a->as.boolean != b->as.boolean;
    case STRATA_INT: return a->as.integer != b->as.integer;
    case STRATA_LINK: return a->as.link != b->as.link;
    case STRATA_UUID: return memcmp(a->as.fixed, b->as.fixed, 16) != 0;
    case STRATA_OBJECT_ID: return memcmp(a->as.fixed, b->as.fixed, 12) != 0;
    case STRATA_STRING:
        if (a->as.bytes.size != b->as.bytes.size) return true;
        return a->as.bytes.size != 0 && !strata_value_is_outside(a) &&
               memcmp(a->as.bytes.data, b->as.bytes.data, a->as.bytes.size) != 0;
    default: return false;
    }
}

bool st_constant_is_missed(const st_constant *constant, strata_view *view, uint32_t table, uint64_t key) {
    strata_row row;
    strata_value value;
    strata_status status = strata_row_bind(view, table, key, &row, NULL);
    if (status == STRATA_NOT_FOUND) return true; /* an object that is gone has no value */
    return status == STRATA_OK && strata_row_get(&row, constant->column, &value, NULL) == STRATA_OK &&
           differ(&value, constant->value);
}

bool st_constant_name(const strata_value *value, st_buffer *out) {
    const uint8_t type = (uint8_t)value->type;
    bool done = st_buffer_append(out, &type, sizeof type);
    if (!done) return false;
    switch (value->type) {
    case STRATA_BOOL: return st_buffer_append(out, &value->as.boolean, sizeof value->as.boolean);
    case STRATA_INT: return st_buffer_append(out, &value->as.integer, sizeof value->as.integer);
    case STRATA_LINK: return st_buffer_append(out, &value->as.link, sizeof value->as.link);
    case STRATA_UUID: return st_buffer_append(out, value->as.fixed, 16);
    case STRATA_OBJECT_ID: return st_buffer_append(out, value->as.fixed, 12);
    default: return value->as.bytes.size == 0 || st_buffer_append(out, value->as.bytes.data, value->as.bytes.size);
    }
}

strata_status st_constant_name_of(const st_constant *constant, strata_view *view, uint32_t table, uint64_t key,
                                  st_buffer *out, bool *known, strata_error *error) {
    strata_row row;
    strata_value value;
    *known = true;
    strata_status status = strata_row_bind(view, table, key, &row, error);
    if (status == STRATA_NOT_FOUND) return STRATA_OK;
    if (status == STRATA_OK) status = strata_row_get(&row, constant->column, &value, error);
    if (status != STRATA_OK || value.type == STRATA_NULL) return status;
    *known = value.type == constant->value->type && !(value.type == STRATA_STRING && strata_value_is_outside(&value));
    if (*known && !st_constant_name(&value, out)) return st_no_memory(error, "looking for observers");
    return STRATA_OK;
}
