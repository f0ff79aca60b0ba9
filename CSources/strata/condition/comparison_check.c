/* SPDX-License-Identifier: MIT
 * comparison_check.c -- checks comparisons against the types of what they compare. */
#include "condition/comparison_check.h"

#include "base/status.h"
#include "condition/operand.h"
#include "text/like.h"
#include "value/mixed.h"
#include "value/operator.h"
#include "value/scalar.h"

/* ---- Operators -------------------------------------------------------- */

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
    case STRATA_LIKE: return "LIKE";
    case STRATA_WITHIN: return "WITHIN";
    default: return "an unknown operator";
    }
}

/* For messages: the collection whose elements are compared, one by one. */
static const char *where(const st_operand *operand) {
    const st_step *last = &operand->steps[operand->step_count - 1];
    if (operand->aggregate != STRATA_EACH_VALUE || last->kind != ST_STEP_ELEMENTS) return "";
    static const char *const names[] = { "", " (in a list)", " (in a set)", " (in a map)" };
    return names[last->column->collection];
}

strata_status st_comparison_check(st_query *query, const st_operand *left, const strata_node *node) {
    char text[ST_OPERAND_NAME];
    strata_operator op = node->op;
    const char *type = st_type_name(left->type);
    if (!st_type_has_operator(left->type, op)) {
        return st_fail(query->error, STRATA_TYPE, 0, "%s is %s %s%s, which cannot be compared with %s",
                       st_operand_name(query, left, text), st_article(type), type, where(left), operator_name(op));
    }
    uint32_t known = STRATA_CASE_INSENSITIVE | STRATA_DIACRITIC_INSENSITIVE;
    if ((node->options & STRATA_PARAMETERS) != 0) {
        return st_fail(query->error, STRATA_MISUSE, 0,
                       "%s is compared with parameters; strata_query_prepare() takes such a query",
                       st_operand_name(query, left, text));
    }
    if ((node->options & ~known) != 0) {
        return st_fail(query->error, STRATA_MISUSE, 0, "%s is compared with the options %u, not all of which exist",
                       st_operand_name(query, left, text), node->options);
    }
    bool letters = left->type == STRATA_STRING || left->type == STRATA_MIXED;
    bool foldable = letters && (st_is_equality(op) || st_is_textual(op));
    if ((node->options & STRATA_CASE_INSENSITIVE) != 0 && !foldable) {
        return st_fail(query->error, STRATA_TYPE, 0, "%s, %s %s: upper and lower case cannot be ignored with %s",
                       st_operand_name(query, left, text), st_article(type), type, operator_name(op));
    }
    if ((node->options & STRATA_DIACRITIC_INSENSITIVE) != 0 && (!foldable || op == STRATA_LIKE)) {
        return st_fail(query->error, STRATA_TYPE, 0, "%s, %s %s: the marks of letters cannot be ignored with %s",
                       st_operand_name(query, left, text), st_article(type), type, operator_name(op));
    }
    return STRATA_OK;
}

/* ---- Constants -------------------------------------------------------- */

static strata_status check_constant(st_query *query, const st_operand *left, const strata_value *value) {
    char text[ST_OPERAND_NAME];
    const char *type = st_type_name(left->type), *other = st_type_name(value->type);
    const char *flaw = left->type == STRATA_MIXED ? st_mixed_flaw(value, UINT32_MAX) : NULL;
    bool total = left->aggregate != STRATA_EACH_VALUE;
    if (st_mixed_lacks_bytes(value)) {
        return st_fail(query->error, STRATA_MISUSE, 0, "%s is compared with bytes without an address",
                       st_operand_name(query, left, text));
    }
    if (flaw != NULL) {
        return st_fail(query->error, STRATA_TYPE, 0, "%s is compared with a value that %s",
                       st_operand_name(query, left, text), flaw);
    }
    if (value->type == STRATA_NULL && (left->aggregate == STRATA_COUNT || left->aggregate == STRATA_SUM)) {
        return st_fail(query->error, STRATA_TYPE, 0, "%s is compared with null, which it never is; nothing counts "
                       "and adds up to 0", st_operand_name(query, left, text));
    }
    bool fits = value->type == STRATA_NULL || value->type == left->type || left->type == STRATA_MIXED ||
                (total && st_is_number(left->type) && st_is_number(value->type));
    if (!fits) {
        return st_fail(query->error, STRATA_TYPE, 0, "%s is %s %s%s; compared with %s %s",
                       st_operand_name(query, left, text), st_article(type), type, where(left), st_article(other),
                       other);
    }
    bool link = value->type == STRATA_LINK && left->type == STRATA_LINK;
    if (link && (value->as.link == 0 || value->as.link > ST_KEY_MAX)) {
        return st_fail(query->error, STRATA_MISUSE, 0,
                       "%s is compared with the object key %llu, which no object has; use null for no link",
                       st_operand_name(query, left, text), (unsigned long long)value->as.link);
    }
    return STRATA_OK;
}

strata_status st_comparison_check_constants(st_query *query, const st_operand *left, const strata_node *node) {
    char text[ST_OPERAND_NAME];
    strata_operator op = node->op;
    uint32_t wanted = op == STRATA_BETWEEN ? 2 : op == STRATA_IN ? node->value_count : 1;
    if (node->value_count != 0 && node->values == NULL) {
        return st_fail(query->error, STRATA_MISUSE, 0, "%s is compared with %u values without an address",
                       st_operand_name(query, left, text), node->value_count);
    }
    if (node->value_count != wanted) {
        return st_fail(query->error, STRATA_MISUSE, 0, "%s is compared with %s, which takes %u value%s, not %u",
                       st_operand_name(query, left, text), operator_name(op), wanted, wanted == 1 ? "" : "s",
                       node->value_count);
    }
    if (wanted > STRATA_MAX_CONSTANTS) {
        return st_fail(query->error, STRATA_MISUSE, 0, "%s is compared with %u values; there may be %d",
                       st_operand_name(query, left, text), wanted, STRATA_MAX_CONSTANTS);
    }
    for (uint32_t i = 0; i < wanted; i++) {
        strata_status status = check_constant(query, left, node->values + i);
        if (status != STRATA_OK) return status;
    }
    if (op != STRATA_LIKE || (node->values->type != STRATA_STRING && node->values->type != STRATA_DATA) ||
        st_like_fits(node->values->as.bytes)) {
        return STRATA_OK;
    }
    return st_fail(query->error, STRATA_MISUSE, 0, "%s is compared with a pattern that has more than %d bytes with ? "
                   "among them and no *", st_operand_name(query, left, text), STRATA_MAX_SEGMENT);
}

/* ---- Two operands ----------------------------------------------------- */

/* What has to be the same for both operands: "int", or of links the table, "Person". */
static const char *type_name(const st_query *query, const st_operand *operand) {
    if (operand->type != STRATA_LINK) return st_type_name(operand->type);
    return query->view->catalog->tables[operand->target].name;
}

strata_status st_comparison_check_operands(st_query *query, const strata_node *node, const st_operand *left,
                                           const st_operand *right, st_kind *out) {
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
