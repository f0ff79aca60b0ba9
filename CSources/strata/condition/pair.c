/* SPDX-License-Identifier: MIT
 * pair.c -- two operands compared with each other. */
#include "base/status.h"
#include "value/mixed.h"
#include "condition/operand.h"
#include "value/scalar.h"
#include "text/text.h"

/* ---- Checks ----------------------------------------------------------- */

/* "Person", "int": what has to be the same. */
static const char *type_name(const st_query *query, const st_operand *operand) {
    if (operand->type != STRATA_LINK) return st_type_name(operand->type);
    return query->view->catalog->tables[operand->target].name;
}

strata_status st_pair_check(st_query *query, const strata_node *node, const st_operand *left, const st_operand *right,
                            st_kind *out) {
    char name[ST_OPERAND_NAME], other[ST_OPERAND_NAME];
    bool total = left->aggregate != STRATA_EACH_VALUE || right->aggregate != STRATA_EACH_VALUE;
    bool same = left->type == right->type && (left->type != STRATA_LINK || left->target == right->target);
    *out = same ? st_kind_of(left->type) : ST_KIND_MIXED;
    (void)st_operand_name(query, left, name);
    (void)st_operand_name(query, right, other);
    if (node->op == STRATA_BETWEEN) {
        return st_fail(query->error, STRATA_MISUSE, 0, "%s is compared with BETWEEN, which takes two values, not %s",
                       name, other);
    }
    if (!same && !(total && st_is_number(left->type) && st_is_number(right->type))) {
        return st_fail(query->error, STRATA_TYPE, 0,
                       "%s (%s) is compared with %s (%s); two columns have to be of the same type", name,
                       type_name(query, left), other, type_name(query, right));
    }
    return STRATA_OK;
}

/* ---- Two values ------------------------------------------------------- */

static bool holds(strata_operator op, int order) {
    switch (op) {
    case STRATA_LESS: return order < 0;
    case STRATA_LESS_EQUAL: return order <= 0;
    case STRATA_GREATER: return order > 0;
    case STRATA_GREATER_EQUAL: return order >= 0;
    default: return order == 0; /* of IN, each value is one of those that may be equal */
    }
}

static bool has_letters(strata_type type) { return type == STRATA_STRING || type == STRATA_DATA; }

/* Neither is null; they are of the kind of the test. */
static bool meets(const st_test *test, strata_operator op, const strata_value *left, const strata_value *right) {
    if (st_is_textual(op)) {
        if (!has_letters(left->type) || !has_letters(right->type)) return false;
        return st_search(op, left->as.bytes, right->as.bytes, left->type == STRATA_STRING);
    }
    switch (test->kind) {
    case ST_KIND_INT: {
        int64_t a = st_int_of(left), b = st_int_of(right);
        return holds(op, a < b ? -1 : a > b);
    }
    case ST_KIND_REAL: {
        double a = st_real_of(left), b = st_real_of(right);
        return a == a && b == b && holds(op, a < b ? -1 : a > b); /* NaN equals nothing */
    }
    case ST_KIND_DECIMAL:
        return holds(op, strata_decimal_compare(strata_decimal_load(left->as.fixed),
                                                strata_decimal_load(right->as.fixed)));
    case ST_KIND_MIXED: return st_mixed_alike(left, right) && holds(op, st_mixed_compare(left, right));
    case ST_KIND_BYTES: break;
    }
    return holds(op, st_compare(st_bytes_of(left), st_bytes_of(right)));
}

/* Folds a string; data only if it is searched, as by constants. */
static bool fold(st_query *query, const st_test *test, strata_value *value, st_buffer *folded) {
    bool search = st_is_search(test->op) || test->op == STRATA_LIKE;
    bool letters = value->type == STRATA_STRING || (search && value->type == STRATA_DATA);
    if (!letters || value->as.bytes.size == 0) return true;
    if (!st_text_fold(value->as.bytes, test->node->options, folded)) {
        st_query_fail(query, st_no_memory(query->error, "comparing without case"));
        return false;
    }
    value->as.bytes = (strata_bytes){ folded->data, folded->size };
    return true;
}

bool st_pair_meets(st_query *query, const st_test *test, const strata_value *left, const strata_value *right) {
    bool negate = test->op == STRATA_NOT_EQUAL;
    strata_operator op = negate ? STRATA_EQUAL : test->op;
    if (left->type == STRATA_NULL || right->type == STRATA_NULL) {
        bool both = left->type == right->type, equality = st_is_equality(op) || op == STRATA_LIKE;
        return (both && equality) != negate;
    }
    if (test->node->options == 0) return meets(test, op, left, right) != negate;
    strata_value a = *left, b = *right;
    if (!fold(query, test, &a, &query->folded) || !fold(query, test, &b, &query->folded_right)) return false;
    return meets(test, op, &a, &b) != negate;
}

/* ---- All values of two operands --------------------------------------- */

typedef struct pairs {
    st_query *query;
    const st_test *test;
    const st_stored_row *row;
    st_operand *inner;
    const strata_value *outer; /* of the other operand, while the inner one is walked */
    bool swapped;              /* the inner one is on the right */
} pairs;

static bool visit_inner(void *context, const strata_value *value) {
    const pairs *p = context;
    return p->swapped ? st_pair_meets(p->query, p->test, p->outer, value)
                      : st_pair_meets(p->query, p->test, value, p->outer);
}

static bool visit(const pairs *p, st_operand *operand, st_visitor visitor, void *context) {
    if (operand->aggregate == STRATA_EACH_VALUE) {
        return st_path_walk(p->query, operand, operand->step_count, p->row, visitor, context);
    }
    const st_test *counted = operand == p->test->left ? p->test->counted : NULL;
    strata_value total = st_operand_total(p->query, operand, counted, p->row);
    return p->query->status != STRATA_OK || visitor(context, &total);
}

static bool visit_outer(void *context, const strata_value *value) {
    pairs *p = context;
    p->outer = value;
    return visit(p, p->inner, visit_inner, p);
}

bool st_pair_match(st_query *query, const st_test *test, const st_stored_row *row) {
    if (st_operand_column(test->left) != ST_NONE && st_operand_column(test->right) != ST_NONE) {
        strata_value left, right;
        return st_operand_value(query, test->left, row, &left) &&
               st_operand_value(query, test->right, row, &right) && st_pair_meets(query, test, &left, &right);
    }
    /* The operand of many values is walked once, if only one is. */
    bool swapped = test->right->many && test->right->aggregate == STRATA_EACH_VALUE;
    pairs p = { .query = query, .test = test, .row = row, .swapped = swapped };
    p.inner = swapped ? test->right : test->left;
    return visit(&p, swapped ? test->left : test->right, visit_outer, &p) && query->status == STRATA_OK;
}
