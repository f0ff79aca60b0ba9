/* SPDX-License-Identifier: MIT
 * tree.c -- parsed predicates: spellings, copies and equality. */
#include "predicate/tree.h"

#include "strata_decimal.h"

const char *st_operator_text(strata_operator op) {
    static const char *const texts[] = { "TRUEPREDICATE", "FALSEPREDICATE", "AND", "OR", "NOT", "==", "!=", "<", "<=",
                                         ">", ">=", "IN", "BEGINSWITH", "ENDSWITH", "CONTAINS", "BETWEEN", "LIKE" };
    return op < sizeof texts / sizeof texts[0] ? texts[op] : "?";
}

const char *st_aggregate_text(strata_aggregate aggregate) {
    static const char *const texts[] = { "", "count", "min", "max", "sum", "avg" };
    return aggregate < sizeof texts / sizeof texts[0] ? texts[aggregate] : "?";
}

/* ---- Copies ----------------------------------------------------------- */

void *st_copy(st_arena *memory, const void *bytes, size_t size) {
    void *copy = st_arena_alloc(memory, size);
    if (copy != NULL && size != 0) memcpy(copy, bytes, size);
    return copy;
}

const strata_shape *st_copy_shape(st_arena *memory, const strata_shape *shape) {
    strata_shape copy = *shape;
    copy.points = st_copy(memory, shape->points, shape->point_count * sizeof *shape->points);
    copy.ring_sizes = st_copy(memory, shape->ring_sizes, shape->ring_count * sizeof *shape->ring_sizes);
    return copy.points == NULL || copy.ring_sizes == NULL ? NULL : st_copy(memory, &copy, sizeof copy);
}

/* ---- Equality --------------------------------------------------------- */

static bool equal_bytes(strata_bytes a, strata_bytes b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static bool equal_values(const strata_value *a, const strata_value *b) {
    if (a->type != b->type) return false;
    switch (a->type) {
    case STRATA_NULL: return true;
    case STRATA_BOOL: return a->as.boolean == b->as.boolean;
    case STRATA_FLOAT: return memcmp(&a->as.single, &b->as.single, sizeof a->as.single) == 0;
    case STRATA_DOUBLE:
    case STRATA_DATE: return memcmp(&a->as.real, &b->as.real, sizeof a->as.real) == 0;
    case STRATA_STRING:
    case STRATA_DATA:
    case STRATA_NESTED: return equal_bytes(a->as.bytes, b->as.bytes);
    case STRATA_UUID: return memcmp(a->as.fixed, b->as.fixed, 16) == 0;
    case STRATA_OBJECT_ID: return memcmp(a->as.fixed, b->as.fixed, 12) == 0;
    case STRATA_DECIMAL:
        return strata_decimal_compare(strata_decimal_load(a->as.fixed), strata_decimal_load(b->as.fixed)) == 0;
    case STRATA_LINK: return a->table == b->table && a->as.link == b->as.link;
    default: return a->as.integer == b->as.integer;
    }
}

static bool equal_shapes(const strata_shape *a, const strata_shape *b) {
    if (a->kind != b->kind || a->point_count != b->point_count || a->ring_count != b->ring_count) return false;
    for (uint32_t i = 0; i < a->point_count; i++) {
        const strata_geo_point *p = &a->points[i], *q = &b->points[i];
        if (p->longitude != q->longitude || p->latitude != q->latitude) return false;
    }
    for (uint32_t i = 0; i < a->ring_count; i++) {
        if (a->ring_sizes[i] != b->ring_sizes[i]) return false;
    }
    return a->radius >= b->radius && a->radius <= b->radius;
}

static bool equal_constants(const strata_argument *a, const strata_argument *b) {
    if (a->kind != b->kind) return false;
    switch (a->kind) {
    case STRATA_ARGUMENT_VALUE: return equal_values(&a->value, &b->value);
    case STRATA_ARGUMENT_SHAPE: return equal_shapes(a->shape, b->shape);
    case STRATA_ARGUMENT_LIST:
        if (a->value_count != b->value_count) return false;
        for (uint32_t i = 0; i < a->value_count; i++) {
            if (!equal_values(&a->values[i], &b->values[i])) return false;
        }
        return true;
    default: return true;
    }
}

static bool equal_clauses(const st_clause *a, const st_clause *b);

static bool equal_terms(const st_term *a, const st_term *b) {
    if (a->kind != b->kind) return false;
    if (a->kind == ST_TERM_CONSTANT) return equal_constants(&a->constant, &b->constant);
    if (!equal_bytes(a->variable, b->variable) || !equal_bytes(a->element, b->element)) return false;
    if (a->component_count != b->component_count) return false;
    for (uint32_t i = 0; i < a->component_count; i++) {
        const st_component *p = &a->components[i], *q = &b->components[i];
        if (p->kind != q->kind) return false;
        if (p->kind == ST_COMPONENT_AGGREGATE && p->aggregate != q->aggregate) return false;
        if (p->kind == ST_COMPONENT_POSITION && p->position != q->position) return false;
        bool has_text = p->kind == ST_COMPONENT_NAME || p->kind == ST_COMPONENT_KEY;
        if (has_text && !equal_bytes(p->text, q->text)) return false;
    }
    return a->kind != ST_TERM_SUBQUERY || equal_clauses(a->condition, b->condition);
}

static bool equal_clauses(const st_clause *a, const st_clause *b) {
    if (a->op != b->op || a->options != b->options || a->quantifier != b->quantifier) return false;
    if (a->op >= STRATA_EQUAL) return equal_terms(&a->left, &b->left) && equal_terms(&a->right, &b->right);
    if (a->child_count != b->child_count) return false;
    for (a = a->first, b = b->first; a != NULL; a = a->next, b = b->next) {
        if (!equal_clauses(a, b)) return false;
    }
    return true;
}

bool strata_predicate_equal(const strata_predicate *a, const strata_predicate *b) {
    return a == b || (a != NULL && b != NULL && equal_clauses(a->root, b->root));
}
