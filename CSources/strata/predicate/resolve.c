/* SPDX-License-Identifier: MIT
 * resolve.c -- a predicate as the condition of a query. */
#include "base/status.h"
#include "predicate/fit.h"
#include "predicate/resolver.h"
#include "predicate/target.h"
#include "value/operator.h"
#include "value/scalar.h"

/* The condition with all that its nodes point to. */
typedef struct owned_condition {
    strata_condition condition; /* first: what the caller sees */
    st_arena memory;            /* it lies there itself */
} owned_condition;

/* ---- Nodes ------------------------------------------------------------ */

static bool add_node(st_resolver *resolver, strata_node node) {
    resolver->nodes[resolver->count++] = node;
    return true;
}

static bool add_plain(st_resolver *resolver, strata_operator op, uint32_t children) {
    strata_node node;
    memset(&node, 0, sizeof node);
    node.op = op;
    node.children = children;
    return add_node(resolver, node);
}

/* A node that compares a target. Options are for letters, which data does not have. */
static strata_node comparison(const st_clause *clause, strata_operator op, const st_target *left) {
    strata_node node;
    memset(&node, 0, sizeof node);
    node.op = op;
    node.options = left->type == STRATA_DATA ? 0 : clause->options;
    node.left = left->operand;
    return node;
}

/* ---- Constants -------------------------------------------------------- */

static bool add_values(st_resolver *resolver, strata_node node, const strata_value *values, uint32_t count) {
    node.values = values;
    node.value_count = count;
    return add_node(resolver, node);
}

static bool is_empty(const strata_value *value) {
    bool bytes = value->type == STRATA_STRING || value->type == STRATA_DATA;
    return value->type == STRATA_NULL || (bytes && value->as.bytes.size == 0);
}

/* Only strings and data can be searched for. */
static bool check_needle(st_resolver *resolver, const st_target *target, strata_operator op, const st_term *term) {
    strata_type type = term->constant.value.type;
    bool needs = st_is_textual(op);
    if (!needs || type == STRATA_NULL || type == STRATA_STRING || type == STRATA_DATA) return true;
    return st_resolver_fail(resolver, STRATA_TYPE, term->column, "%s looks in '%.*s' for a string or data, not for %s",
                            st_operator_text(op), st_shown(target->name), (const char *)target->name.data,
                            st_type_name(type));
}

/* Lists and maps are equal or not, and nothing else. */
static bool check_nested(st_resolver *resolver, const st_target *target, const st_clause *clause,
                         const strata_value *value, uint32_t column) {
    bool order = st_is_order(clause->op) || clause->op == STRATA_BETWEEN;
    if (value->type != STRATA_NESTED || !order) return true;
    return st_resolver_fail(resolver, STRATA_TYPE, column,
                            "'%.*s' of %s cannot be compared by %s with a list or map of values, which have no order "
                            "in conditions; use == or !=", st_shown(target->name), (const char *)target->name.data,
                            target->owner, st_operator_text(clause->op));
}

/* A constant. Null is neither less nor greater than anything, and an empty string is found nowhere. */
static bool add_value(st_resolver *resolver, const st_clause *clause, const st_target *target, const st_term *term) {
    strata_operator op = clause->op;
    strata_value *value = st_arena_alloc(resolver->memory, sizeof *value);
    if (value == NULL) return st_resolver_no_memory(resolver);
    if (!check_needle(resolver, target, op, term) ||
        !check_nested(resolver, target, clause, &term->constant.value, term->column) ||
        !st_fit_value(resolver, target, &term->constant.value, term->column, value)) {
        return false;
    }
    if (st_is_search(op) && is_empty(value)) return add_plain(resolver, STRATA_FALSE, 0);
    if (st_is_order(op) && value->type == STRATA_NULL) return add_plain(resolver, STRATA_FALSE, 0);
    if (op == STRATA_LIKE && value->type == STRATA_NULL) op = STRATA_EQUAL;
    strata_node node = comparison(clause, op, target);
    if (value->type == STRATA_NULL) node.options = 0;
    return add_values(resolver, node, value, 1);
}

/* Compares with an object that is in no store: one with a key that no object gets, or in a table that no store has. */
static bool add_nothing(st_resolver *resolver, const st_clause *clause, const st_target *target, const st_term *term) {
    if (clause->op == STRATA_IN) return add_plain(resolver, STRATA_FALSE, 0);
    bool object = target->type == STRATA_LINK || target->type == STRATA_MIXED;
    if (!object || (clause->op != STRATA_EQUAL && clause->op != STRATA_NOT_EQUAL)) {
        return st_resolver_fail(resolver, STRATA_TYPE, term->column,
                                "'%.*s' of %s is compared by %s with an object that is in no store",
                                st_shown(target->name), (const char *)target->name.data, target->owner,
                                st_operator_text(clause->op));
    }
    strata_value *value = st_arena_alloc(resolver->memory, sizeof *value);
    if (value == NULL) return st_resolver_no_memory(resolver);
    *value = target->type == STRATA_LINK ? strata_link(ST_KEY_MAX) : strata_link(1);
    if (target->type == STRATA_MIXED) value->table = STRATA_MAX_TABLES;
    return add_values(resolver, comparison(clause, clause->op, target), value, 1);
}

static bool add_list(st_resolver *resolver, const st_clause *clause, const st_target *target, const st_term *term) {
    uint32_t count = term->constant.value_count;
    strata_value *values = st_arena_alloc(resolver->memory, count * sizeof *values);
    bool null = false;
    if (values == NULL) return st_resolver_no_memory(resolver);
    for (uint32_t i = 0; i < count; i++) {
        const strata_value *value = &term->constant.values[i];
        if (!check_nested(resolver, target, clause, value, term->column) ||
            !st_fit_value(resolver, target, value, term->column, &values[i])) {
            return false;
        }
        null |= values[i].type == STRATA_NULL;
    }
    bool never = count == 0 || (clause->op == STRATA_BETWEEN && null);
    if (never) return add_plain(resolver, STRATA_FALSE, 0);
    return add_values(resolver, comparison(clause, clause->op, target), values, count);
}

static bool add_shape(st_resolver *resolver, const st_clause *clause, const st_target *target, const st_term *term) {
    if (!st_check_points(resolver, target, target->column)) return false;
    if (clause->options != 0) {
        return st_resolver_fail(resolver, STRATA_MISUSE, clause->column, "the options [c] and [d] are for strings");
    }
    strata_node node = comparison(clause, STRATA_WITHIN, target);
    node.shape = st_copy_shape(resolver->memory, term->constant.shape);
    return node.shape == NULL ? st_resolver_no_memory(resolver) : add_node(resolver, node);
}

static bool add_constant(st_resolver *resolver, const st_clause *clause, const st_target *target, const st_term *term) {
    if (term->constant.kind == STRATA_ARGUMENT_SHAPE) return add_shape(resolver, clause, target, term);
    if (!st_check_operator(resolver, target, clause->op, clause->options, clause->column)) return false;
    switch (term->constant.kind) {
    case STRATA_ARGUMENT_LIST: return add_list(resolver, clause, target, term);
    case STRATA_ARGUMENT_NOTHING: return add_nothing(resolver, clause, target, term);
    default: return add_value(resolver, clause, target, term);
    }
}

/* ---- Two paths -------------------------------------------------------- */

/* Only properties of the same type are compared, and counts with all numbers, so that checking one side is enough. */
static bool add_columns(st_resolver *resolver, const st_clause *clause, const st_target *left, const st_target *right) {
    if (!st_check_operator(resolver, left, clause->op, clause->options, clause->column)) return false;
    if (left->operand.aggregate != STRATA_EACH_VALUE && right->operand.aggregate != STRATA_EACH_VALUE) {
        return st_resolver_fail(resolver, STRATA_MISUSE, clause->column,
                                "two aggregates cannot be compared with each other");
    }
    bool alike = left->type == right->type && (left->type != STRATA_LINK || left->table == right->table);
    bool counts = left->operand.aggregate == STRATA_COUNT || right->operand.aggregate == STRATA_COUNT;
    alike |= counts && st_is_number(left->type) && st_is_number(right->type);
    if (!alike) {
        bool links = left->type == STRATA_LINK && right->type == STRATA_LINK;
        return st_resolver_fail(resolver, STRATA_TYPE, clause->column,
                                "'%.*s' of %s and '%.*s' of %s cannot be compared: they are of the types %s and %s",
                                st_shown(left->name), (const char *)left->name.data, left->owner, st_shown(right->name),
                                (const char *)right->name.data, right->owner,
                                links ? resolver->tables[left->table].name : st_type_name(left->type),
                                links ? resolver->tables[right->table].name : st_type_name(right->type));
    }
    strata_operand *operand = st_arena_alloc(resolver->memory, sizeof *operand);
    if (operand == NULL) return st_resolver_no_memory(resolver);
    *operand = right->operand;
    strata_node node = comparison(clause, clause->op, left);
    node.right = operand;
    return add_node(resolver, node);
}

/* ---- Comparisons ------------------------------------------------------ */

static bool add_clause(st_resolver *resolver, const st_origin *origin, const st_clause *clause);

/* A path to many values needs a quantifier, unless it says itself that it means any of them. A quantifier needs a path
 * to many values. */
static bool check_quantifier(st_resolver *resolver, const st_clause *clause, const st_target *left,
                             const st_target *right) {
    const st_target *many = left->many ? left : right != NULL && right->many ? right : NULL;
    bool given = clause->quantifier != ST_QUANTIFIER_NONE_GIVEN;
    bool dynamic = left->dynamic || (right != NULL && right->dynamic);
    if ((many != NULL) == given || (many == NULL ? dynamic : many->spread)) return true;
    if (many != NULL) {
        return st_resolver_fail(resolver, STRATA_MISUSE, many->column,
                                "the path to '%.*s' of %s leads to any number of values; write ANY or NONE in front "
                                "of it, or an aggregate such as @count into it", st_shown(many->name),
                                (const char *)many->name.data, many->owner);
    }
    return st_resolver_fail(resolver, STRATA_MISUSE, left->column,
                            "ANY and NONE need a collection in the path to '%.*s' of %s; leave them out",
                            st_shown(left->name), (const char *)left->name.data, left->owner);
}

/* Adds a step into a mixed value, for which the path of a target has room. */
static void look_inside(st_target *target) {
    uint32_t length = target->operand.path_length;
    if (target->steps[length - 1].kind == STRATA_STEP_EACH) return;
    memset(&target->steps[length], 0, sizeof *target->steps);
    target->steps[length].kind = STRATA_STEP_EACH;
    target->operand.path_length++;
}

/* `x IN collection`: some element of it equals x. */
static bool add_membership(st_resolver *resolver, const st_origin *origin, const st_clause *clause) {
    st_target collection, element;
    st_clause equal = *clause;
    equal.op = STRATA_EQUAL;
    if (!st_target_find(resolver, origin, &clause->right, &collection)) return false;
    bool total = collection.operand.aggregate != STRATA_EACH_VALUE;
    if (!collection.many && !total && collection.type == STRATA_MIXED) look_inside(&collection);
    else if (!collection.many || total) {
        return st_resolver_fail(resolver, STRATA_MISUSE, collection.column,
                                "'%.*s' of %s is no collection; behind IN stands one, or a list such as {1, 2}",
                                st_shown(collection.name), (const char *)collection.name.data, collection.owner);
    }
    if (clause->left.kind == ST_TERM_CONSTANT) return add_constant(resolver, &equal, &collection, &clause->left);
    if (!st_target_find(resolver, origin, &clause->left, &element)) return false;
    if (element.many) {
        return st_resolver_fail(resolver, STRATA_MISUSE, element.column,
                                "'%.*s' of %s leads to any number of values; only one can be looked for",
                                st_shown(element.name), (const char *)element.name.data, element.owner);
    }
    return add_columns(resolver, &equal, &collection, &element);
}

/* The count of the objects of a collection that meet a condition. */
static bool add_subquery(st_resolver *resolver, const st_origin *origin, const st_clause *clause) {
    st_target target;
    const st_term *term = &clause->left;
    bool number = clause->right.kind == ST_TERM_CONSTANT && clause->right.constant.kind == STRATA_ARGUMENT_VALUE;
    if (!number || clause->quantifier != ST_QUANTIFIER_NONE_GIVEN) {
        return st_resolver_fail(resolver, STRATA_MISUSE, number ? term->column : clause->right.column,
                                number ? "the count of a SUBQUERY is one number; leave ANY and NONE out"
                                       : "the count of a SUBQUERY is compared with a constant number");
    }
    if (!st_target_find(resolver, origin, term, &target)) return false;
    bool objects = target.type == STRATA_LINK && target.operand.aggregate == STRATA_EACH_VALUE;
    if (target.nested) {
        return st_resolver_fail(resolver, STRATA_MISUSE, target.column,
                                "SUBQUERY looks through one collection; '%.*s' of %s is inside of another one",
                                st_shown(target.name), (const char *)target.name.data, target.owner);
    }
    if (!target.many || !objects) {
        return st_resolver_fail(resolver, STRATA_MISUSE, target.column,
                                "'%.*s' of %s is no collection of objects; SUBQUERY needs one", st_shown(target.name),
                                (const char *)target.name.data, target.owner);
    }
    st_origin inner = { .table = target.table, .variable = term->element };
    target.operand.aggregate = STRATA_COUNT;
    target.operand.aggregate_length = target.operand.path_length;
    target.type = STRATA_INT;
    uint32_t at = resolver->count;
    if (!add_constant(resolver, clause, &target, &clause->right)) return false;
    resolver->nodes[at].children = 1;
    return add_clause(resolver, &inner, term->condition);
}

static bool add_comparison(st_resolver *resolver, const st_origin *origin, const st_clause *clause) {
    st_target left, right;
    if (clause->quantifier == ST_QUANTIFIER_NONE && !add_plain(resolver, STRATA_NOT, 1)) return false;
    if (clause->left.kind == ST_TERM_SUBQUERY) return add_subquery(resolver, origin, clause);
    if (clause->right.kind == ST_TERM_SUBQUERY) {
        return st_resolver_fail(resolver, STRATA_MISUSE, clause->right.column,
                                "the count of a SUBQUERY is compared with a constant number");
    }
    if (clause->op == STRATA_IN && clause->right.kind == ST_TERM_PATH) return add_membership(resolver, origin, clause);
    if (!st_target_find(resolver, origin, &clause->left, &left)) return false;
    if (clause->right.kind == ST_TERM_CONSTANT) {
        return check_quantifier(resolver, clause, &left, NULL) &&
               add_constant(resolver, clause, &left, &clause->right);
    }
    return st_target_find(resolver, origin, &clause->right, &right) &&
           check_quantifier(resolver, clause, &left, &right) && add_columns(resolver, clause, &left, &right);
}

static bool add_clause(st_resolver *resolver, const st_origin *origin, const st_clause *clause) {
    if (clause->op >= STRATA_EQUAL) return add_comparison(resolver, origin, clause);
    if (!add_plain(resolver, clause->op, clause->child_count)) return false;
    for (const st_clause *child = clause->first; child != NULL; child = child->next) {
        if (!add_clause(resolver, origin, child)) return false;
    }
    return true;
}

/* ---- The whole -------------------------------------------------------- */

/* Aliases come from the caller; where they lead is checked when one is met. */
static strata_status check_aliases(const strata_alias *aliases, uint32_t count, strata_error *error) {
    if (count != 0 && aliases == NULL)
        return st_fail(error, STRATA_MISUSE, 0, "a predicate has %u aliases without an address", count);
    for (uint32_t i = 0; i < count; i++)
        if (aliases[i].name == NULL)
            return st_fail(error, STRATA_MISUSE, 0, "a predicate has an alias without a name, at %u", i);
    return STRATA_OK;
}

static strata_status resolve(const strata_predicate *predicate, strata_view *view, const st_origin *origin,
                             const strata_alias *aliases, uint32_t alias_count, strata_condition **out,
                             strata_error *error) {
    strata_status status = check_aliases(aliases, alias_count, error);
    if (status != STRATA_OK) return status;
    if (predicate == NULL)
        return st_fail(error, STRATA_MISUSE, 0, "the predicate is NULL: parsing it failed, or was not tried");
    st_arena memory = { 0 };
    st_resolver resolver = { .view = view, .tables = view->catalog->tables, .aliases = aliases,
                             .alias_count = alias_count, .memory = &memory, .error = error };
    owned_condition *owned = st_arena_alloc(&memory, sizeof *owned);
    resolver.nodes = owned == NULL ? NULL : st_arena_alloc(&memory, predicate->node_count * sizeof *resolver.nodes);
    if (resolver.nodes == NULL) st_resolver_no_memory(&resolver);
    else if (add_clause(&resolver, origin, predicate->root)) {
        *owned = (owned_condition){ { resolver.nodes, resolver.count }, memory };
        *out = &owned->condition;
        return STRATA_OK;
    }
    st_arena_free(&memory);
    return resolver.status;
}

strata_status strata_predicate_resolve(const strata_predicate *predicate, strata_view *view, uint32_t table,
                                       const strata_alias *aliases, uint32_t alias_count, strata_condition **out,
                                       strata_error *error) {
    *out = NULL;
    strata_status status = st_view_check(view, error);
    if (status != STRATA_OK) return status;
    if (st_view_table(view, table, error) == NULL) return STRATA_MISUSE;
    return resolve(predicate, view, &(st_origin){ .table = table }, aliases, alias_count, out, error);
}

strata_status strata_predicate_resolve_values(const strata_predicate *predicate, strata_view *view, uint32_t table,
                                              uint32_t column, const strata_alias *aliases, uint32_t alias_count,
                                              strata_condition **out, strata_error *error) {
    *out = NULL;
    strata_status status = st_view_check(view, error);
    if (status != STRATA_OK) return status;
    const st_column *values = st_view_column(view, table, column, error);
    if (values == NULL) return STRATA_MISUSE;
    if (values->collection == STRATA_SINGLE && values->type != STRATA_MIXED) {
        return st_fail(error, STRATA_MISUSE, 0, "%s.%s is no collection; resolve the predicate for objects of %s",
                       view->catalog->tables[table].name, values->name, view->catalog->tables[table].name);
    }
    st_origin origin = { .table = table, .values = values };
    return resolve(predicate, view, &origin, aliases, alias_count, out, error);
}

void strata_condition_free(strata_condition *condition) {
    owned_condition *owned = (owned_condition *)(void *)condition;
    if (owned == NULL) return;
    st_arena memory = owned->memory;
    st_arena_free(&memory);
}
