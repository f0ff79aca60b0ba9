/* SPDX-License-Identifier: MIT
 * comparison_make.c -- checks the constants of a comparison and compiles them. */
#include "condition/comparison_make.h"

#include <math.h>

#include "base/arena.h"
#include "base/sort.h"
#include "base/status.h"
#include "condition/comparison_check.h"
#include "text/text.h"
#include "value/decimal.h"
#include "value/decimal_order.h"
#include "value/mixed.h"
#include "value/mixed_order.h"
#include "value/operator.h"
#include "value/scalar.h"

/* ---- Numbers ---------------------------------------------------------- */

static void compare_nothing(st_comparison *c) {
    c->op = STRATA_FALSE;
    c->low = 1;
    c->high = 0;
    c->real_low = 1;
    c->real_high = 0;
}

static void compare_ints(st_comparison *c, strata_operator op, const strata_value *values) {
    int64_t v = st_int_of(values);
    c->low = INT64_MIN;
    c->high = INT64_MAX;
    switch (op) {
    case STRATA_LESS:
        if (v == INT64_MIN) compare_nothing(c);
        else c->high = v - 1;
        break;
    case STRATA_LESS_EQUAL: c->high = v; break;
    case STRATA_GREATER:
        if (v == INT64_MAX) compare_nothing(c);
        else c->low = v + 1;
        break;
    case STRATA_GREATER_EQUAL: c->low = v; break;
    case STRATA_BETWEEN:
        c->low = v;
        c->high = st_int_of(values + 1);
        break;
    default: c->low = c->high = v; break;
    }
}

/* An open bound is made a closed one by taking the neighbouring number. */
static void compare_reals(st_comparison *c, strata_operator op, const strata_value *values) {
    double v = st_real_of(values), other = op == STRATA_BETWEEN ? st_real_of(values + 1) : 0;
    c->real_low = -INFINITY;
    c->real_high = INFINITY;
    if (isnan(v) || isnan(other)) {
        compare_nothing(c);
        return;
    }
    switch (op) {
    case STRATA_LESS:
        if (v <= -INFINITY) compare_nothing(c);
        else c->real_high = nextafter(v, -INFINITY);
        break;
    case STRATA_LESS_EQUAL: c->real_high = v; break;
    case STRATA_GREATER:
        if (v >= INFINITY) compare_nothing(c);
        else c->real_low = nextafter(v, INFINITY);
        break;
    case STRATA_GREATER_EQUAL: c->real_low = v; break;
    case STRATA_BETWEEN:
        c->real_low = v;
        c->real_high = other;
        break;
    default: c->real_low = c->real_high = v; break;
    }
}

/* ---- Bytes ------------------------------------------------------------ */

/* The bytes of a constant, folded if the comparison folds. False if there is no memory. */
static bool copy_constant(st_query *query, const st_comparison *c, const strata_value *value, strata_bytes *out) {
    if (c->kind == ST_KIND_DECIMAL) {
        uint8_t *key = st_arena_alloc(&query->memory, ST_DECIMAL_KEY);
        if (key != NULL) st_decimal_key_encode(strata_decimal_load(value->as.fixed), key);
        *out = (strata_bytes){ key, ST_DECIMAL_KEY };
        return key != NULL;
    }
    *out = st_bytes_of(value);
    if (out->size == 0) out->data = "";
    if (c->fold == 0 || out->size == 0) return true;
    if (!st_text_fold(*out, c->fold, &query->folded)) return false;
    uint8_t *folded = st_arena_alloc(&query->memory, out->size);
    if (folded == NULL) return false;
    *out = (strata_bytes){ folded, query->folded.size };
    if (out->size != 0) memcpy(folded, query->folded.data, out->size);
    return true;
}

/* ---- Patterns --------------------------------------------------------- */

/* A pattern whose only stars are at its ends is one of the searches, which are faster; one without stars is an
 * equality. */
static void simplify_like(st_comparison *c) {
    const uint8_t *p = c->bytes.data;
    size_t size = c->bytes.size, stars = 0;
    bool begins, ends;
    for (size_t i = 0; i < size; i++) {
        if (p[i] == '?') return;
        stars += p[i] == '*';
    }
    begins = size != 0 && p[0] == '*';
    ends = size != 0 && p[size - 1] == '*';
    if (size <= (size_t)begins + ends || stars != (size_t)begins + ends) return;
    if (stars == 0 && c->kind == ST_KIND_MIXED) return; /* LIKE holds between a string and data, an equality does not */
    c->op = begins && ends ? STRATA_CONTAINS : begins ? STRATA_ENDS_WITH : ends ? STRATA_BEGINS_WITH : STRATA_EQUAL;
    c->bytes = (strata_bytes){ p + begins, size - stars };
}

/* ---- Mixed values ----------------------------------------------------- */

/* A constant; if the comparison folds and it is a string, then folded. */
static bool copy_mixed(st_query *query, const st_comparison *c, const strata_value *value, strata_value *out) {
    *out = *value;
    return c->fold == 0 || value->type != STRATA_STRING || copy_constant(query, c, value, &out->as.bytes);
}

static strata_status compare_mixed(st_query *query, st_comparison *c, strata_operator op, const strata_value *values) {
    bool copied = copy_mixed(query, c, values, &c->mixed);
    if (copied && op == STRATA_BETWEEN) copied = copy_mixed(query, c, values + 1, &c->mixed_high);
    if (copied && st_is_textual(op)) {
        bool bytes = values->type == STRATA_STRING || values->type == STRATA_DATA;
        if (bytes) copied = copy_constant(query, c, values, &c->bytes);
        if (copied && bytes && op == STRATA_LIKE) simplify_like(c);
        if (!bytes || (c->bytes.size == 0 && op != STRATA_LIKE)) c->op = STRATA_FALSE;
    }
    return copied ? STRATA_OK : st_no_memory(query->error, "compiling a query");
}

/* ---- Sets ------------------------------------------------------------- */

enum { MOST_BITS = 1 << 16 };

static int order_ints(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int order_reals(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static int order_bytes(const void *a, const void *b) {
    return st_compare(*(const strata_bytes *)a, *(const strata_bytes *)b);
}

static int order_mixed(const void *a, const void *b) { return st_mixed_compare(a, b); }

/* If the ints lie close together, a bit for each int from the least to the greatest. */
static bool make_bits(st_query *query, st_comparison *c) {
    uint64_t span = (uint64_t)c->set.ints[c->set_size - 1] - (uint64_t)c->set.ints[0];
    if (span >= MOST_BITS) return true;
    c->bits = st_arena_alloc(&query->memory, (size_t)span / 8 + 1);
    if (c->bits == NULL) return false;
    memset(c->bits, 0, (size_t)span / 8 + 1);
    for (size_t i = 0; i < c->set_size; i++) {
        uint64_t bit = (uint64_t)c->set.ints[i] - (uint64_t)c->set.ints[0];
        c->bits[bit / 8] |= (uint8_t)(1 << bit % 8);
    }
    c->span = span;
    return true;
}

static bool compare_set(st_query *query, st_comparison *c, const strata_node *node) {
    bool bytes = c->kind == ST_KIND_BYTES || c->kind == ST_KIND_DECIMAL;
    size_t item = c->kind == ST_KIND_MIXED ? sizeof(strata_value) : bytes ? sizeof(strata_bytes) : 8, count = 0;
    c->op = STRATA_IN;
    c->set.ints = st_arena_alloc(&query->memory, item * node->value_count);
    if (c->set.ints == NULL) return false;
    for (uint32_t i = 0; i < node->value_count; i++) {
        const strata_value *value = node->values + i;
        if (value->type == STRATA_NULL) {
            c->null_matches = true;
            continue;
        }
        if (c->kind == ST_KIND_INT) c->set.ints[count++] = st_int_of(value);
        else if (c->kind == ST_KIND_REAL && !isnan(st_real_of(value))) c->set.reals[count++] = st_real_of(value);
        else if (c->kind == ST_KIND_MIXED && !copy_mixed(query, c, value, &c->set.mixed[count++])) return false;
        else if (bytes && !copy_constant(query, c, value, &c->set.bytes[count++])) return false;
    }
    c->set_size = count;
    if (count == 0) return true;
    st_sort_array(c->set.ints, count, item, c->kind == ST_KIND_INT ? order_ints
                                          : c->kind == ST_KIND_REAL ? order_reals
                                          : c->kind == ST_KIND_MIXED ? order_mixed : order_bytes);
    return c->kind != ST_KIND_INT || count <= ST_FEW || make_bits(query, c);
}

/* ---- The whole -------------------------------------------------------- */

/* An aggregate may be compared with a number of another type; then both are compared as mixed values. */
static st_kind kind_of(const st_operand *left, const strata_node *node) {
    for (uint32_t i = 0; i < node->value_count; i++) {
        strata_type type = node->values[i].type;
        if (type != STRATA_NULL && type != left->type) return ST_KIND_MIXED;
    }
    return st_kind_of(left->type);
}

strata_status st_comparison_make(st_query *query, const st_operand *left, const strata_node *node, st_comparison *out) {
    strata_status status = st_comparison_check_constants(query, left, node);
    if (status != STRATA_OK) return status;
    bool negate = node->op == STRATA_NOT_EQUAL;
    strata_operator op = negate ? STRATA_EQUAL : node->op;
    *out = (st_comparison){ .kind = kind_of(left, node), .op = op, .negate = negate, .fold = node->options,
                        .code_points = left->type == STRATA_STRING };
    if (op == STRATA_IN) {
        return compare_set(query, out, node) ? STRATA_OK : st_no_memory(query->error, "compiling a query");
    }
    const strata_value *values = node->values;
    if (values[0].type == STRATA_NULL || (op == STRATA_BETWEEN && values[1].type == STRATA_NULL)) {
        out->null_matches = op == STRATA_EQUAL || op == STRATA_LIKE;
        compare_nothing(out);
    } else if (out->kind == ST_KIND_INT) {
        compare_ints(out, op, values);
    } else if (out->kind == ST_KIND_REAL) {
        compare_reals(out, op, values);
    } else if (out->kind == ST_KIND_MIXED) {
        return compare_mixed(query, out, op, values);
    } else if (!copy_constant(query, out, values, &out->bytes) ||
               (op == STRATA_BETWEEN && !copy_constant(query, out, values + 1, &out->bytes_high))) {
        return st_no_memory(query->error, "compiling a query");
    } else if (st_is_search(op) && out->bytes.size == 0) {
        compare_nothing(out);
    } else if (op == STRATA_LIKE) {
        simplify_like(out);
    }
    return STRATA_OK;
}
