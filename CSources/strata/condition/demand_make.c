/* SPDX-License-Identifier: MIT
 * demand_make.c -- turns the constants of comparisons into demands. */
#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "value/decimal.h"
#include "value/decimal_order.h"
#include "value/mixed.h"
#include "condition/operand.h"
#include "value/mixed_order.h"
#include "value/scalar.h"
#include "text/text.h"

/* ---- Numbers ---------------------------------------------------------- */

static void demand_nothing(st_demand *d) {
    d->op = STRATA_FALSE;
    d->low = 1;
    d->high = 0;
    d->real_low = 1;
    d->real_high = 0;
}

static void demand_ints(st_demand *d, strata_operator op, const strata_value *values) {
    int64_t v = st_int_of(values);
    d->low = INT64_MIN;
    d->high = INT64_MAX;
    switch (op) {
    case STRATA_LESS:
        if (v == INT64_MIN) demand_nothing(d);
        else d->high = v - 1;
        break;
    case STRATA_LESS_EQUAL: d->high = v; break;
    case STRATA_GREATER:
        if (v == INT64_MAX) demand_nothing(d);
        else d->low = v + 1;
        break;
    case STRATA_GREATER_EQUAL: d->low = v; break;
    case STRATA_BETWEEN:
        d->low = v;
        d->high = st_int_of(values + 1);
        break;
    default: d->low = d->high = v; break;
    }
}

/* Open bounds become closed ones by taking the neighbouring number. */
static void demand_reals(st_demand *d, strata_operator op, const strata_value *values) {
    double v = st_real_of(values), other = op == STRATA_BETWEEN ? st_real_of(values + 1) : 0;
    d->real_low = -INFINITY;
    d->real_high = INFINITY;
    if (isnan(v) || isnan(other)) {
        demand_nothing(d);
        return;
    }
    switch (op) {
    case STRATA_LESS:
        if (v <= -INFINITY) demand_nothing(d);
        else d->real_high = nextafter(v, -INFINITY);
        break;
    case STRATA_LESS_EQUAL: d->real_high = v; break;
    case STRATA_GREATER:
        if (v >= INFINITY) demand_nothing(d);
        else d->real_low = nextafter(v, INFINITY);
        break;
    case STRATA_GREATER_EQUAL: d->real_low = v; break;
    case STRATA_BETWEEN:
        d->real_low = v;
        d->real_high = other;
        break;
    default: d->real_low = d->real_high = v; break;
    }
}

/* ---- Bytes ------------------------------------------------------------ */

/* The operand, folded if it is to be. False if there is no memory. */
static bool take_operand(st_query *query, const st_demand *d, const strata_value *value, strata_bytes *out) {
    if (d->kind == ST_KIND_DECIMAL) {
        uint8_t *key = st_arena_alloc(&query->memory, ST_DECIMAL_KEY);
        if (key != NULL) st_decimal_key_encode(strata_decimal_load(value->as.fixed), key);
        *out = (strata_bytes){ key, ST_DECIMAL_KEY };
        return key != NULL;
    }
    *out = st_bytes_of(value);
    if (out->size == 0) out->data = "";
    if (d->fold == 0 || out->size == 0) return true;
    if (!st_text_fold(*out, d->fold, &query->folded)) return false;
    uint8_t *folded = st_arena_alloc(&query->memory, out->size);
    if (folded == NULL) return false;
    *out = (strata_bytes){ folded, query->folded.size };
    if (out->size != 0) memcpy(folded, query->folded.data, out->size);
    return true;
}

/* ---- Patterns --------------------------------------------------------- */

/* A pattern whose only stars are at its ends is one of the searches, which are faster; one of none is an equality. */
static void simplify_like(st_demand *d) {
    const uint8_t *p = d->bytes.data;
    size_t size = d->bytes.size, stars = 0;
    bool begins, ends;
    for (size_t i = 0; i < size; i++) {
        if (p[i] == '?') return;
        stars += p[i] == '*';
    }
    begins = size != 0 && p[0] == '*';
    ends = size != 0 && p[size - 1] == '*';
    if (size <= (size_t)begins + ends || stars != (size_t)begins + ends) return;
    if (stars == 0 && d->kind == ST_KIND_MIXED) return; /* strings and data are not equal, but may be alike */
    d->op = begins && ends ? STRATA_CONTAINS : begins ? STRATA_ENDS_WITH : ends ? STRATA_BEGINS_WITH : STRATA_EQUAL;
    d->bytes = (strata_bytes){ p + begins, size - stars };
}

/* ---- Mixed values ----------------------------------------------------- */

/* The operand as it is, or folded if it is to be and is a string. */
static bool take_mixed(st_query *query, const st_demand *d, const strata_value *value, strata_value *out) {
    *out = *value;
    return d->fold == 0 || value->type != STRATA_STRING || take_operand(query, d, value, &out->as.bytes);
}

static strata_status demand_mixed(st_query *query, st_demand *d, strata_operator op, const strata_value *values) {
    bool taken = take_mixed(query, d, values, &d->mixed);
    if (taken && op == STRATA_BETWEEN) taken = take_mixed(query, d, values + 1, &d->mixed_high);
    if (taken && st_is_textual(op)) {
        bool bytes = values->type == STRATA_STRING || values->type == STRATA_DATA;
        if (bytes) taken = take_operand(query, d, values, &d->bytes);
        if (taken && bytes && op == STRATA_LIKE) simplify_like(d);
        if (!bytes || (d->bytes.size == 0 && op != STRATA_LIKE)) d->op = STRATA_FALSE;
    }
    return taken ? STRATA_OK : st_no_memory(query->error, "compiling a query");
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

/* A bit for each number from the least to the greatest, if they are near each other. */
static bool make_bits(st_query *query, st_demand *d) {
    uint64_t span = (uint64_t)d->set.ints[d->set_size - 1] - (uint64_t)d->set.ints[0];
    if (span >= MOST_BITS) return true;
    d->bits = st_arena_alloc(&query->memory, (size_t)span / 8 + 1);
    if (d->bits == NULL) return false;
    memset(d->bits, 0, (size_t)span / 8 + 1);
    for (size_t i = 0; i < d->set_size; i++) {
        uint64_t bit = (uint64_t)d->set.ints[i] - (uint64_t)d->set.ints[0];
        d->bits[bit / 8] |= (uint8_t)(1 << bit % 8);
    }
    d->span = span;
    return true;
}

static bool demand_set(st_query *query, st_demand *d, const strata_node *node) {
    bool bytes = d->kind == ST_KIND_BYTES || d->kind == ST_KIND_DECIMAL;
    size_t item = d->kind == ST_KIND_MIXED ? sizeof(strata_value) : bytes ? sizeof(strata_bytes) : 8, count = 0;
    d->op = STRATA_IN;
    d->set.ints = st_arena_alloc(&query->memory, item * node->value_count);
    if (d->set.ints == NULL) return false;
    for (uint32_t i = 0; i < node->value_count; i++) {
        const strata_value *value = node->values + i;
        if (value->type == STRATA_NULL) {
            d->null_matches = true;
            continue;
        }
        if (d->kind == ST_KIND_INT) d->set.ints[count++] = st_int_of(value);
        else if (d->kind == ST_KIND_REAL && !isnan(st_real_of(value))) d->set.reals[count++] = st_real_of(value);
        else if (d->kind == ST_KIND_MIXED && !take_mixed(query, d, value, &d->set.mixed[count++])) return false;
        else if (bytes && !take_operand(query, d, value, &d->set.bytes[count++])) return false;
    }
    d->set_size = count;
    if (count == 0) return true;
    qsort(d->set.ints, count, item, d->kind == ST_KIND_INT ? order_ints
                                    : d->kind == ST_KIND_REAL ? order_reals
                                    : d->kind == ST_KIND_MIXED ? order_mixed : order_bytes);
    return d->kind != ST_KIND_INT || count <= ST_FEW || make_bits(query, d);
}

/* ---- The whole -------------------------------------------------------- */

st_kind st_kind_of(strata_type type) {
    switch (type) {
    case STRATA_BOOL:
    case STRATA_INT:
    case STRATA_LINK: return ST_KIND_INT;
    case STRATA_FLOAT:
    case STRATA_DOUBLE:
    case STRATA_DATE: return ST_KIND_REAL;
    case STRATA_DECIMAL: return ST_KIND_DECIMAL;
    case STRATA_MIXED: return ST_KIND_MIXED;
    default: return ST_KIND_BYTES;
    }
}

/* An aggregate may be compared with numbers of other types: as mixed values are. */
static st_kind kind_of(const st_operand *left, const strata_node *node) {
    for (uint32_t i = 0; i < node->value_count; i++) {
        strata_type type = node->values[i].type;
        if (type != STRATA_NULL && type != left->type) return ST_KIND_MIXED;
    }
    return st_kind_of(left->type);
}

strata_status st_demand_make(st_query *query, const st_operand *left, const strata_node *node, st_demand *out) {
    strata_status status = st_demand_check_constants(query, left, node);
    if (status != STRATA_OK) return status;
    bool negate = node->op == STRATA_NOT_EQUAL;
    strata_operator op = negate ? STRATA_EQUAL : node->op;
    *out = (st_demand){ .kind = kind_of(left, node), .op = op, .negate = negate, .fold = node->options,
                        .code_points = left->type == STRATA_STRING };
    if (op == STRATA_IN) {
        return demand_set(query, out, node) ? STRATA_OK : st_no_memory(query->error, "compiling a query");
    }
    const strata_value *values = node->values;
    if (values[0].type == STRATA_NULL || (op == STRATA_BETWEEN && values[1].type == STRATA_NULL)) {
        out->null_matches = op == STRATA_EQUAL || op == STRATA_LIKE;
        demand_nothing(out);
    } else if (out->kind == ST_KIND_INT) {
        demand_ints(out, op, values);
    } else if (out->kind == ST_KIND_REAL) {
        demand_reals(out, op, values);
    } else if (out->kind == ST_KIND_MIXED) {
        return demand_mixed(query, out, op, values);
    } else if (!take_operand(query, out, values, &out->bytes) ||
               (op == STRATA_BETWEEN && !take_operand(query, out, values + 1, &out->bytes_high))) {
        return st_no_memory(query->error, "compiling a query");
    } else if (st_is_search(op) && out->bytes.size == 0) {
        demand_nothing(out);
    } else if (op == STRATA_LIKE) {
        simplify_like(out);
    }
    return STRATA_OK;
}
