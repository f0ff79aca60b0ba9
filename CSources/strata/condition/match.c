/* SPDX-License-Identifier: MIT
 *
 * match.c -- does a row meet a test? One row at a time.
 *
 * All of this is one recursion: a test may compare a count of objects, and there may be a condition on what is counted,
 * which is a test again.
 */
#include "condition/match.h"

#include "base/status.h"
#include "condition/path.h"
#include "condition/value.h"
#include "condition/within.h"
#include "table/reference.h"
#include "text/like.h"
#include "text/text.h"
#include "value/mixed.h"
#include "value/mixed_order.h"
#include "value/operator.h"
#include "value/scalar.h"
#include "value/total.h"

static void fail_folding(st_query *query) { (void)st_query_no_memory(query, "comparing without case"); }

/* ---- Cells ------------------------------------------------------------ */

static bool match_bytes(st_query *query, const st_comparison *comparison, const st_vector *vector, uint32_t slot) {
    strata_bytes bytes;
    bool none = false;
    if (vector->large != NULL && st_bit(vector->large, slot) && st_vector_bytes(vector, slot, &bytes) &&
        bytes.size == ST_REFERENCE && !st_comparison_size_fits(comparison, (size_t)st_reference_size(bytes))) {
        return false;
    }
    if (!st_query_bytes(query, vector, slot, &bytes)) return false;
    bool met = st_comparison_bytes(comparison, bytes, &query->folded, &none);
    if (none) fail_folding(query);
    return met;
}

static bool match_mixed(st_query *query, const st_comparison *comparison, const st_vector *vector, uint32_t slot) {
    strata_value value;
    bool none = false;
    if (!st_query_mixed(query, vector, slot, &value)) return false;
    bool met = st_comparison_mixed(comparison, &value, &query->folded, &none);
    if (none) fail_folding(query);
    return met;
}

static bool match_decimal(st_query *query, const st_comparison *comparison, const st_vector *vector, uint32_t slot) {
    strata_bytes bytes;
    return st_query_bytes(query, vector, slot, &bytes) && st_comparison_decimal(comparison, bytes.data);
}

bool st_query_match_cell(st_query *query, const st_test *test, const st_vector *vector, uint32_t slot) {
    const st_comparison *comparison = &test->comparison;
    if (st_vector_null(vector, slot)) return st_comparison_null(comparison);
    if (comparison->kind == ST_KIND_BYTES) return match_bytes(query, comparison, vector, slot);
    if (comparison->kind == ST_KIND_MIXED) return match_mixed(query, comparison, vector, slot);
    if (comparison->kind == ST_KIND_DECIMAL) return match_decimal(query, comparison, vector, slot);
    if (comparison->kind == ST_KIND_REAL) return st_comparison_real(comparison, st_vector_real(vector, slot));
    int64_t value = st_vector_int(vector, slot);
    if (test->left->type == STRATA_LINK && value == 0) return st_comparison_null(comparison);
    return st_comparison_int(comparison, value);
}

/* ---- Aggregates ------------------------------------------------------- */

/* Objects that meet a condition, being counted. */
typedef struct counting {
    st_query *query;
    const st_test *condition;
    st_operand *operand; /* the count */
    uint64_t count;
} counting;

/* A condition that may walk a collection is asked only once of each object. */
enum { COSTLY = 20 };

static bool count_object(void *context, const strata_value *value) {
    counting *c = context;
    st_answers *answers = &c->operand->counted;
    st_stored_row row;
    if (value->type != STRATA_LINK) return false;
    bool costly = c->condition->cost >= COSTLY;
    st_answer answer = costly ? st_answers_find(answers, value->as.link) : ST_UNKNOWN;
    if (answer != ST_UNKNOWN) {
        c->count += answer == ST_YES;
        return false;
    }
    if (!st_query_step(c->query, 1)) return true;
    strata_status status = st_query_find(c->query, c->operand->target, value->as.link, &row);
    if (!st_query_note(c->query, status)) return status < 0;
    c->query->stats.rows_visited++;
    bool met = st_query_match(c->query, c->condition, &row);
    c->count += met;
    if (c->query->status != STRATA_OK) return true;
    if (costly && !st_answers_note(answers, value->as.link, met ? ST_YES : ST_NO)) {
        return !st_query_no_memory(c->query, "counting objects");
    }
    return false;
}

static bool add_value(void *context, const strata_value *value) {
    if (value->type != STRATA_NULL) st_total_add(context, value);
    return false;
}

/* The value of an aggregate, which holds no bytes. `counted` is the condition on what is counted, or NULL. */
static strata_value total_of(st_query *query, st_operand *operand, const st_test *counted, const st_stored_row *row) {
    uint32_t collected = operand->collected;
    if (operand->aggregate == STRATA_COUNT && counted == NULL) {
        return strata_int((int64_t)st_path_count(query, operand, collected, row));
    }
    if (operand->aggregate == STRATA_COUNT) {
        counting c = { query, counted, operand, 0 };
        (void)st_path_walk(query, operand, collected, row, ST_VISIT_EACH, count_object, &c);
        return strata_int((int64_t)c.count);
    }
    st_total total = st_total_begin(operand->element, operand->aggregate);
    (void)st_path_walk(query, operand, operand->step_count, row, ST_VISIT_EACH, add_value, &total);
    return st_total_result(&total);
}

/* ---- Constants -------------------------------------------------------- */

typedef struct constants {
    st_query *query;
    const st_comparison *comparison;
} constants;

static bool meets_constants(void *context, const strata_value *value) {
    const constants *c = context;
    bool none = false;
    bool met = st_comparison_value(c->comparison, value, &c->query->folded, &none);
    if (none) fail_folding(c->query);
    return met;
}

static bool match_constants(st_query *query, const st_test *test, const st_stored_row *row) {
    constants c = { query, &test->comparison };
    st_operand *left = test->left;
    if (left->aggregate != STRATA_EACH_VALUE) {
        strata_value total = total_of(query, left, test->counted, row);
        return query->status == STRATA_OK && meets_constants(&c, &total);
    }
    return st_path_walk(query, left, left->step_count, row, ST_VISIT_SAME, meets_constants, &c) &&
           query->status == STRATA_OK;
}

/* The same for a column of the row itself: the cell is compared as it is stored, without making a value of it. */
static bool match_column(st_query *query, const st_test *test, const st_stored_row *row) {
    const st_vector *vector = st_step_vector(query, test->left->steps, row);
    return vector != NULL && st_query_match_cell(query, test, vector, row->slot);
}

/* ---- Two values ------------------------------------------------------- */

static bool holds(strata_operator op, int order) {
    switch (op) {
    case STRATA_LESS: return order < 0;
    case STRATA_LESS_EQUAL: return order <= 0;
    case STRATA_GREATER: return order > 0;
    case STRATA_GREATER_EQUAL: return order >= 0;
    default: return order == 0; /* EQUAL; for IN each value of the right side is compared for itself */
    }
}

static bool has_letters(strata_type type) { return type == STRATA_STRING || type == STRATA_DATA; }

/* Two values of the kind of the test, neither of them null. */
static bool values_meet(st_query *query, const st_test *test, strata_operator op, const strata_value *left,
                        const strata_value *right) {
    if (st_is_textual(op)) {
        if (!has_letters(left->type) || !has_letters(right->type)) return false;
        if (op == STRATA_LIKE && !st_like_fits(right->as.bytes)) {
            st_query_fail(query, st_fail(query->error, STRATA_MISUSE, 0, "a pattern of LIKE in a column has more than "
                                         "%d bytes with ? among them and no *", STRATA_MAX_SEGMENT));
            return false;
        }
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

/* Folds a string; data only for a search, as in a comparison with a constant. */
static bool fold(st_query *query, const st_test *test, strata_value *value, st_buffer *folded) {
    bool letters = value->type == STRATA_STRING || (st_is_textual(test->op) && value->type == STRATA_DATA);
    if (!letters || value->as.bytes.size == 0) return true;
    if (!st_text_fold(value->as.bytes, test->node->options, folded)) {
        return st_query_no_memory(query, "comparing without case");
    }
    value->as.bytes = (strata_bytes){ folded->data, folded->size };
    return true;
}

/* Does the comparison hold for these two values? */
static bool values_match(st_query *query, const st_test *test, const strata_value *left, const strata_value *right) {
    bool negate = test->op == STRATA_NOT_EQUAL;
    strata_operator op = negate ? STRATA_EQUAL : test->op;
    if (left->type == STRATA_NULL || right->type == STRATA_NULL) {
        bool both = left->type == right->type, equality = st_is_equality(op) || op == STRATA_LIKE;
        return (both && equality) != negate;
    }
    if (test->node->options == 0) return values_meet(query, test, op, left, right) != negate;
    strata_value a = *left, b = *right;
    if (!fold(query, test, &a, &query->folded) || !fold(query, test, &b, &query->folded_right)) return false;
    return values_meet(query, test, op, &a, &b) != negate;
}

/* ---- Two operands ----------------------------------------------------- */

/* All pairs of a value of one operand and a value of the other. */
typedef struct pairs {
    st_query *query;
    const st_test *test;
    const st_stored_row *row;
    st_operand *inner;
    const strata_value *outer; /* the value of the outer operand for which the inner one is walked */
    bool swapped;              /* the inner operand is the right one */
} pairs;

static bool visit_inner(void *context, const strata_value *value) {
    const pairs *p = context;
    return p->swapped ? values_match(p->query, p->test, p->outer, value)
                      : values_match(p->query, p->test, value, p->outer);
}

/* Shows each value of an operand: one if it is an aggregate. */
static bool visit(const pairs *p, st_operand *operand, st_visitor visitor, void *context) {
    if (operand->aggregate == STRATA_EACH_VALUE) {
        return st_path_walk(p->query, operand, operand->step_count, p->row, ST_VISIT_ANY, visitor, context);
    }
    const st_test *counted = operand == p->test->left ? p->test->counted : NULL;
    strata_value total = total_of(p->query, operand, counted, p->row);
    return p->query->status != STRATA_OK || visitor(context, &total);
}

static bool visit_outer(void *context, const strata_value *value) {
    pairs *p = context;
    p->outer = value;
    return visit(p, p->inner, visit_inner, p);
}

static bool match_operands(st_query *query, const st_test *test, const st_stored_row *row) {
    if (st_operand_column(test->left) != ST_NONE && st_operand_column(test->right) != ST_NONE) {
        strata_value left, right;
        return st_operand_value(query, test->left, row, &left) &&
               st_operand_value(query, test->right, row, &right) && values_match(query, test, &left, &right);
    }
    /* An operand of many values is the inner one: if the other one has a single value, it is walked only once. */
    bool swapped = test->right->many && test->right->aggregate == STRATA_EACH_VALUE;
    pairs p = { .query = query, .test = test, .row = row, .swapped = swapped };
    p.inner = swapped ? test->right : test->left;
    return visit(&p, swapped ? test->left : test->right, visit_outer, &p) && query->status == STRATA_OK;
}

/* ---- Tests ------------------------------------------------------------ */

static bool match_comparison(st_query *query, const st_test *test, const st_stored_row *row) {
    if (test->within != NULL) return st_within_match(query, test->within, test->left, row);
    if (test->right != NULL) return match_operands(query, test, row);
    return st_operand_column(test->left) == ST_NONE ? match_constants(query, test, row)
                                                    : match_column(query, test, row);
}

bool st_query_match(st_query *query, const st_test *test, const st_stored_row *row) {
    switch (test->op) {
    case STRATA_TRUE: return true;
    case STRATA_FALSE: return false;
    case STRATA_NOT: return !st_query_match(query, test->children[0], row);
    case STRATA_AND:
        for (uint32_t i = 0; i < test->child_count; i++) {
            if (!st_query_match(query, test->children[i], row)) return false;
        }
        return true;
    case STRATA_OR:
        for (uint32_t i = 0; i < test->child_count; i++) {
            if (st_query_match(query, test->children[i], row)) return true;
        }
        return false;
    default: return match_comparison(query, test, row);
    }
}
