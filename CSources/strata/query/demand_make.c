/* SPDX-License-Identifier: MIT
 * demand_make.c -- checks a comparison against its column and prepares its operands. */
#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "codec/decimal.h"
#include "codec/mixed.h"
#include "query/query.h"

/* ---- Checks ----------------------------------------------------------- */

static const char *operator_name(strata_operator op) {
    switch (op) {
    case STRATA_EQUAL: return "=";
    case STRATA_NOT_EQUAL: return "!=";
    case STRATA_LESS: return "<";
    case STRATA_LESS_EQUAL: return "<=";
    case STRATA_GREATER: return ">";
    case STRATA_GREATER_EQUAL: return ">=";
    case STRATA_IN: return "IN";
    case STRATA_BEGINS_WITH: return "BEGINS WITH";
    case STRATA_ENDS_WITH: return "ENDS WITH";
    case STRATA_CONTAINS: return "CONTAINS";
    case STRATA_BETWEEN: return "BETWEEN";
    default: return "an unknown operator";
    }
}

/* "a string", "an int". */
static const char *a_or_an(const char *noun) { return strchr("aeiou", noun[0]) != NULL && noun[1] != 'u' ? "an" : "a"; }

static bool is_equality(strata_operator op) { return op == STRATA_EQUAL || op == STRATA_NOT_EQUAL || op == STRATA_IN; }

static bool is_search(strata_operator op) {
    return op == STRATA_BEGINS_WITH || op == STRATA_ENDS_WITH || op == STRATA_CONTAINS;
}

static bool type_has_operator(const st_column *column, strata_operator op) {
    if (is_equality(op)) return true;
    bool ordered = op >= STRATA_LESS && op <= STRATA_GREATER_EQUAL;
    switch (column->type) {
    case STRATA_INT:
    case STRATA_FLOAT:
    case STRATA_DOUBLE:
    case STRATA_DECIMAL:
    case STRATA_DATE: return ordered || op == STRATA_BETWEEN;
    case STRATA_MIXED: return true;
    case STRATA_STRING: return ordered || is_search(op);
    case STRATA_DATA: return is_search(op);
    case STRATA_UUID:
    case STRATA_OBJECT_ID: return ordered;
    default: return false;
    }
}

static strata_status check(st_query *query, const st_table *table, const st_column *column, const strata_node *node) {
    strata_operator op = node->op;
    const char *type = st_type_name(column->type), *list = column->collection == STRATA_LIST ? " (in a list)" : "";
    if (!type_has_operator(column, op)) {
        return st_fail(query->error, STRATA_TYPE, 0, "%s of %s is %s %s%s, which cannot be compared with %s",
                       column->name, table->name, a_or_an(type), type, list, operator_name(op));
    }
    uint32_t wanted = op == STRATA_BETWEEN ? 2 : op == STRATA_IN ? node->value_count : 1;
    if (node->value_count != wanted || (wanted != 0 && node->values == NULL)) {
        return st_fail(query->error, STRATA_MISUSE, 0, "%s of %s is compared with %s, which takes %u value%s, not %u",
                       column->name, table->name, operator_name(op), wanted, wanted == 1 ? "" : "s", node->value_count);
    }
    for (uint32_t i = 0; i < wanted; i++) {
        const strata_value *value = node->values + i;
        const char *other = st_type_name(value->type);
        const char *flaw = column->type == STRATA_MIXED ? st_mixed_flaw(value, UINT32_MAX) : NULL;
        if (flaw != NULL) {
            return st_fail(query->error, STRATA_TYPE, 0, "%s of %s is compared with a value that %s", column->name,
                           table->name, flaw);
        }
        if (value->type != STRATA_NULL && value->type != column->type && column->type != STRATA_MIXED) {
            return st_fail(query->error, STRATA_TYPE, 0, "%s of %s is %s %s%s; compared with %s %s", column->name,
                           table->name, a_or_an(type), type, list, a_or_an(other), other);
        }
        if (value->type == STRATA_LINK && column->type == STRATA_LINK &&
            (value->as.link == 0 || value->as.link > ST_KEY_MAX)) {
            return st_fail(query->error, STRATA_MISUSE, 0,
                           "%s of %s is compared with the object key %llu, which no object has; use null for no link",
                           column->name, table->name, (unsigned long long)value->as.link);
        }
        bool bytes = value->type == STRATA_STRING || value->type == STRATA_DATA;
        if (bytes && value->as.bytes.size != 0 && value->as.bytes.data == NULL) {
            return st_fail(query->error, STRATA_MISUSE, 0, "%s of %s is compared with bytes without an address",
                           column->name, table->name);
        }
    }
    if ((node->options & STRATA_CASE_INSENSITIVE) != 0 &&
        ((column->type != STRATA_STRING && column->type != STRATA_MIXED) || !(is_equality(op) || is_search(op)))) {
        return st_fail(query->error, STRATA_TYPE, 0, "%s of %s, %s %s: upper and lower case cannot be ignored with %s",
                       column->name, table->name, a_or_an(type), type, operator_name(op));
    }
    return STRATA_OK;
}

/* ---- Numbers ---------------------------------------------------------- */

static void demand_nothing(st_demand *d) {
    d->op = STRATA_FALSE;
    d->low = 1;
    d->high = 0;
    d->real_low = 1;
    d->real_high = 0;
}

static int64_t int_of(const strata_value *value) {
    return value->type == STRATA_BOOL ? value->as.boolean
           : value->type == STRATA_LINK ? (int64_t)value->as.link : value->as.integer;
}

static double real_of(const strata_value *value) {
    return value->type == STRATA_FLOAT ? (double)value->as.single : value->as.real;
}

static void demand_ints(st_demand *d, strata_operator op, const strata_value *values) {
    int64_t v = int_of(values);
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
        d->high = int_of(values + 1);
        break;
    default: d->low = d->high = v; break;
    }
}

/* Open bounds become closed ones by taking the neighbouring number. */
static void demand_reals(st_demand *d, strata_operator op, const strata_value *values) {
    double v = real_of(values), other = op == STRATA_BETWEEN ? real_of(values + 1) : 0;
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

static strata_bytes bytes_of(const strata_value *value) {
    if (value->type == STRATA_UUID) return (strata_bytes){ value->as.fixed, 16 };
    if (value->type == STRATA_OBJECT_ID) return (strata_bytes){ value->as.fixed, 12 };
    return value->as.bytes;
}

/* The operand, folded if it is to be. False if there is no memory. */
static bool take_operand(st_query *query, const st_demand *d, const strata_value *value, strata_bytes *out) {
    if (d->kind == ST_KIND_DECIMAL) {
        uint8_t *key = st_arena_take(&query->memory, ST_DECIMAL_KEY);
        if (key != NULL) st_decimal_key_encode(strata_decimal_load(value->as.fixed), key);
        *out = (strata_bytes){ key, ST_DECIMAL_KEY };
        return key != NULL;
    }
    *out = bytes_of(value);
    if (out->size == 0) out->data = "";
    if (!d->fold || out->size == 0) return true;
    uint8_t *folded = st_arena_take(&query->memory, out->size);
    if (folded == NULL) return false;
    st_fold(out->data, out->size, folded);
    out->data = folded;
    return true;
}

/* ---- Mixed values ----------------------------------------------------- */

/* The operand as it is, or folded if it is to be and is a string. */
static bool take_mixed(st_query *query, const st_demand *d, const strata_value *value, strata_value *out) {
    *out = *value;
    return !d->fold || value->type != STRATA_STRING || take_operand(query, d, value, &out->as.bytes);
}

static strata_status demand_mixed(st_query *query, st_demand *d, strata_operator op, const strata_value *values) {
    bool taken = take_mixed(query, d, values, &d->mixed);
    if (taken && op == STRATA_BETWEEN) taken = take_mixed(query, d, values + 1, &d->mixed_high);
    if (taken && is_search(op)) {
        bool bytes = values->type == STRATA_STRING || values->type == STRATA_DATA;
        if (!bytes || values->as.bytes.size == 0) d->op = STRATA_FALSE;
        else taken = take_operand(query, d, values, &d->bytes);
    }
    return taken ? STRATA_OK : st_no_memory(query->error, "compiling a query");
}

/* ---- Sets ------------------------------------------------------------- */

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

static bool demand_set(st_query *query, st_demand *d, const strata_node *node) {
    bool bytes = d->kind == ST_KIND_BYTES || d->kind == ST_KIND_DECIMAL;
    size_t item = d->kind == ST_KIND_MIXED ? sizeof(strata_value) : bytes ? sizeof(strata_bytes) : 8, count = 0;
    d->op = STRATA_IN;
    d->set.ints = st_arena_take(&query->memory, item * node->value_count);
    if (d->set.ints == NULL) return false;
    for (uint32_t i = 0; i < node->value_count; i++) {
        const strata_value *value = node->values + i;
        if (value->type == STRATA_NULL) {
            d->null_matches = true;
            continue;
        }
        if (d->kind == ST_KIND_INT) d->set.ints[count++] = int_of(value);
        else if (d->kind == ST_KIND_REAL && !isnan(real_of(value))) d->set.reals[count++] = real_of(value);
        else if (d->kind == ST_KIND_MIXED && !take_mixed(query, d, value, &d->set.mixed[count++])) return false;
        else if (bytes && !take_operand(query, d, value, &d->set.bytes[count++])) return false;
    }
    d->set_size = count;
    if (count != 0) {
        qsort(d->set.ints, count, item, d->kind == ST_KIND_INT ? order_ints
                                        : d->kind == ST_KIND_REAL ? order_reals
                                        : d->kind == ST_KIND_MIXED ? order_mixed : order_bytes);
    }
    return true;
}

/* ---- The whole -------------------------------------------------------- */

strata_status st_demand_make(st_query *query, const st_table *table, const st_column *column, const strata_node *node,
                             st_demand *out) {
    *out = (st_demand){ .op = node->op };
    strata_status status = check(query, table, column, node);
    if (status != STRATA_OK) return status;
    strata_type type = column->type;
    out->kind = type == STRATA_BOOL || type == STRATA_INT || type == STRATA_LINK ? ST_KIND_INT
                : type == STRATA_FLOAT || type == STRATA_DOUBLE || type == STRATA_DATE ? ST_KIND_REAL
                : type == STRATA_DECIMAL ? ST_KIND_DECIMAL : type == STRATA_MIXED ? ST_KIND_MIXED : ST_KIND_BYTES;
    out->fold = (node->options & STRATA_CASE_INSENSITIVE) != 0;
    out->negate = node->op == STRATA_NOT_EQUAL;
    strata_operator op = out->negate ? STRATA_EQUAL : node->op;
    out->op = op;
    if (op == STRATA_IN) {
        return demand_set(query, out, node) ? STRATA_OK : st_no_memory(query->error, "compiling a query");
    }
    const strata_value *values = node->values;
    if (values[0].type == STRATA_NULL || (op == STRATA_BETWEEN && values[1].type == STRATA_NULL)) {
        out->null_matches = op == STRATA_EQUAL;
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
    } else if (is_search(op) && out->bytes.size == 0) {
        demand_nothing(out);
    }
    return STRATA_OK;
}
