/* SPDX-License-Identifier: MIT
 * compile.c -- checks a query and turns its condition into tests. */
#include "condition/compile.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/sort.h"
#include "base/status.h"
#include "condition/bind.h"
#include "condition/comparison_check.h"
#include "condition/operand.h"
#include "condition/test.h"
#include "condition/within.h"

void st_query_free(st_query *query) {
    st_query_report(query);
    for (st_operand *operand = query->operands; operand != NULL; operand = operand->next) st_operand_free(operand);
    st_arena_free(&query->memory);
    st_buffer_free(&query->scratch);
    st_buffer_free(&query->folded);
    st_buffer_free(&query->folded_right);
    free(query->known);
    free(query->keep);
}

static strata_status no_memory(st_query *query) { return st_no_memory(query->error, "compiling a query"); }

/* ---- Tests ------------------------------------------------------------ */

static uint32_t cost_of(const st_test *test) {
    uint32_t cost = st_operand_cost(test->left);
    if (test->counted != NULL) cost += 8 * test->counted->cost;
    if (test->within != NULL) return cost + 60;
    if (test->right != NULL) return cost + st_operand_cost(test->right) + (test->node->options == 0 ? 0 : 40);
    if (st_operand_column(test->left) == ST_NONE) return cost;
    uint32_t fold = test->comparison.fold;
    if (fold != 0) return (fold & STRATA_DIACRITIC_INSENSITIVE) != 0 ? 40 : 20;
    if (test->comparison.kind >= ST_KIND_DECIMAL) return test->comparison.kind == ST_KIND_MIXED ? 25 : 10;
    if (test->comparison.kind != ST_KIND_BYTES) return test->comparison.op == STRATA_IN ? 3 : 1;
    return test->comparison.op == STRATA_EQUAL ? 4 : test->comparison.op == STRATA_LIKE ? 12 : 8;
}

/* A condition on objects of `table`, or its opposite. */
static strata_status compile_node(st_query *query, uint32_t table, uint32_t depth, bool negated, st_test **out);

/* The condition on what is counted. Objects are tested one at a time, so that it needs no selection masks. */
static strata_status compile_counted(st_query *query, uint32_t depth, st_test *test) {
    const st_operand *left = test->left;
    char name[ST_OPERAND_NAME];
    if (left->aggregate != STRATA_COUNT || test->node->children != 1) {
        return st_fail(query->error, STRATA_MISUSE, 0,
                       "a comparison of %s has %u children; only that of a count has one, on what is counted",
                       st_operand_name(query, left, name), test->node->children);
    }
    if (left->target == ST_NONE) {
        return st_fail(query->error, STRATA_TYPE, 0, "%s counts no objects, so there can be no condition on them",
                       st_operand_name(query, left, name));
    }
    uint32_t keep_count = query->keep_count;
    strata_status status = compile_node(query, left->target, depth + 1 + left->step_count, false, &test->counted);
    query->keep_count = keep_count;
    return status;
}

/* Compiles what the left operand is compared with. */
static strata_status compile_right(st_query *query, uint32_t table, st_test *test) {
    const strata_node *node = test->node;
    if (node->op == STRATA_WITHIN) return st_within_make(query, node, test->left, &test->within);
    strata_status status = STRATA_OK;
    if (node->right != NULL) {
        status = st_operand_make(query, table, node->right, &test->right);
        if (status == STRATA_OK) status = st_comparison_check(query, test->left, node);
        if (status != STRATA_OK) return status;
        return st_comparison_check_operands(query, node, test->left, test->right, &test->kind);
    }
    status = st_comparison_check(query, test->left, node);
    if (status != STRATA_OK || st_bind_later(query, test)) return status;
    return st_bind(query, test);
}

static st_test *make_test(st_query *query, st_test test) {
    st_test *made = st_arena_alloc(&query->memory, sizeof *made);
    if (made != NULL) *made = test;
    return made;
}

static strata_status compile_comparison(st_query *query, uint32_t table, uint32_t depth, const strata_node *node,
                                        st_test **out) {
    st_test *test = *out = make_test(query, (st_test){ .op = node->op, .node = node });
    if (test == NULL) return no_memory(query);
    strata_status status = st_operand_make(query, table, &node->left, &test->left);
    if (status == STRATA_OK) status = compile_right(query, table, test);
    if (status == STRATA_OK && node->children != 0) status = compile_counted(query, depth, test);
    if (status != STRATA_OK) return status;
    test->cost = cost_of(test);
    return STRATA_OK;
}

/* Replaces a comparison by its opposite. */
static strata_status oppose(st_query *query, st_test **test) {
    st_test **children = st_arena_alloc(&query->memory, sizeof *children);
    if (children == NULL) return no_memory(query);
    children[0] = *test;
    *test = make_test(query, (st_test){ .op = STRATA_NOT, .children = children, .child_count = 1,
                                        .cost = children[0]->cost });
    return *test == NULL ? no_memory(query) : STRATA_OK;
}

static bool is_constant(const st_test *test) { return test->op == STRATA_TRUE || test->op == STRATA_FALSE; }

/* Adds a child. A child that is a constant makes no difference or decides everything. */
static void add_child(st_test *test, st_test *child) {
    strata_operator decisive = test->op == STRATA_AND ? STRATA_FALSE : STRATA_TRUE;
    if (is_constant(test) || (is_constant(child) && child->op != decisive)) return;
    if (is_constant(child)) {
        *test = *child;
        return;
    }
    test->children[test->child_count++] = child;
    test->cost += child->cost;
}

/* Puts the children in the order of their costs; those that cost the same stay in theirs. */
static strata_status sort_children(st_query *query, st_test *test) {
    size_t count = test->child_count, at = 1;
    while (at < count && test->children[at - 1]->cost <= test->children[at]->cost) at++;
    if (at == count) return STRATA_OK;
    st_sort_item *items = st_arena_alloc(&query->memory, 2 * count * sizeof *items);
    st_test **sorted = st_arena_alloc(&query->memory, count * sizeof *sorted);
    if (items == NULL || sorted == NULL) return no_memory(query);
    for (size_t i = 0; i < count; i++) items[i] = (st_sort_item){ test->children[i]->cost, i };
    st_sort_items(items, items + count, count);
    for (size_t i = 0; i < count; i++) sorted[i] = test->children[items[i].index];
    test->children = sorted;
    return STRATA_OK;
}

/* AND or OR. Without children it is a constant; of a single child it is that child. */
static strata_status compile_compound(st_query *query, uint32_t table, uint32_t depth, strata_operator op,
                                      const strata_node *node, bool negated, st_test **out) {
    uint32_t count = node->children;
    if (count > query->spec->node_count) {
        return st_fail(query->error, STRATA_MISUSE, 0, "a condition of %u nodes has one with %u children",
                       query->spec->node_count, count);
    }
    st_test *test = *out = make_test(query, (st_test){ .op = op });
    if (test != NULL) test->children = st_arena_alloc(&query->memory, count * sizeof *test->children);
    if (test == NULL || test->children == NULL) return no_memory(query);
    for (uint32_t i = 0; i < count; i++) {
        st_test *child;
        strata_status status = compile_node(query, table, depth + 1, negated, &child);
        if (status != STRATA_OK) return status;
        add_child(test, child);
    }
    if (is_constant(test)) return STRATA_OK;
    if (test->child_count > 1) return sort_children(query, test);
    if (test->child_count == 1) *out = test->children[0];
    else test->op = op == STRATA_AND ? STRATA_TRUE : STRATA_FALSE;
    return STRATA_OK;
}

/* NOT is pushed down to the comparisons, so that indexes can be used for what is below it. */
static strata_status compile_node(st_query *query, uint32_t table, uint32_t depth, bool negated, st_test **out) {
    if (query->next_node >= query->spec->node_count) {
        return st_fail(query->error, STRATA_MISUSE, 0, "a condition of %u nodes ends before its last child",
                       query->spec->node_count);
    }
    if (depth > STRATA_MAX_DEPTH) {
        return st_fail(query->error, STRATA_MISUSE, 0, "a condition is nested more than %d deep", STRATA_MAX_DEPTH);
    }
    if (query->keep_count < 2 * depth + 2) query->keep_count = 2 * depth + 2;
    const strata_node *node = query->spec->nodes + query->next_node++;
    strata_operator op = node->op;
    switch (op) {
    case STRATA_TRUE:
    case STRATA_FALSE:
        *out = make_test(query, (st_test){ .op = (op == STRATA_TRUE) != negated ? STRATA_TRUE : STRATA_FALSE });
        return *out == NULL ? no_memory(query) : STRATA_OK;
    case STRATA_AND:
    case STRATA_OR:
        op = (op == STRATA_AND) != negated ? STRATA_AND : STRATA_OR;
        return compile_compound(query, table, depth, op, node, negated, out);
    case STRATA_NOT: return compile_node(query, table, depth + 1, !negated, out);
    default:
        if (op < STRATA_EQUAL || op > STRATA_WITHIN) {
            return st_fail(query->error, STRATA_MISUSE, 0, "%d is no operator of a condition", (int)op);
        }
        strata_status status = compile_comparison(query, table, depth, node, out);
        return status == STRATA_OK && negated ? oppose(query, out) : status;
    }
}

/* ---- The whole -------------------------------------------------------- */

static strata_status check_source(st_query *query) {
    const strata_query *spec = query->spec;
    query->table = st_view_table(query->view, spec->table, query->error);
    if (query->table == NULL) return STRATA_MISUSE;
    if (spec->source == STRATA_SOURCE_TABLE) return STRATA_OK;
    if (spec->source == STRATA_SOURCE_KEYS) {
        if (spec->key_count == 0 || spec->keys != NULL) return STRATA_OK;
        return st_fail(query->error, STRATA_MISUSE, 0, "a query of %llu keys of %s without an address",
                       (unsigned long long)spec->key_count, query->table->name);
    }
    const st_column *origin = st_view_column(query->view, spec->origin_table, spec->origin_column, query->error);
    if (origin == NULL) return STRATA_MISUSE;
    const char *owner = query->view->catalog->tables[spec->origin_table].name;
    if (spec->source == STRATA_SOURCE_LIST) {
        if (origin->collection != STRATA_SINGLE && origin->type == STRATA_LINK && origin->target == spec->table) {
            return STRATA_OK;
        }
        return st_fail(query->error, STRATA_MISUSE, 0, "%s of %s is not a list, set or map of %s", origin->name, owner,
                       query->table->name);
    }
    if (spec->source != STRATA_SOURCE_BACKLINKS) {
        return st_fail(query->error, STRATA_MISUSE, 0, "%d is no source of a query", (int)spec->source);
    }
    if (origin->link_id != 0 && spec->origin_table == spec->table) return STRATA_OK;
    return st_fail(query->error, STRATA_MISUSE, 0, "%s of %s gives no backlinks from %s", origin->name, owner,
                   query->table->name);
}

/* The condition on objects of `table`, or on values if that is ST_NONE. */
static strata_status compile_condition(st_query *query, uint32_t table) {
    const strata_query *spec = query->spec;
    if (spec->node_count == 0) return STRATA_OK;
    if (spec->nodes == NULL) {
        return st_fail(query->error, STRATA_MISUSE, 0, "a condition has %u nodes without an address", spec->node_count);
    }
    if (spec->node_count > STRATA_MAX_NODES) {
        return st_fail(query->error, STRATA_MISUSE, 0, "a condition has %u nodes; there may be %d", spec->node_count,
                       STRATA_MAX_NODES);
    }
    strata_status status = compile_node(query, table, 0, false, &query->condition);
    if (status == STRATA_OK && query->next_node != spec->node_count) {
        return st_fail(query->error, STRATA_MISUSE, 0, "a condition of %u nodes is complete after %u", spec->node_count,
                       query->next_node);
    }
    if (status == STRATA_OK && query->condition->op == STRATA_TRUE) query->condition = NULL;
    return status;
}

strata_status st_query_compile_values(st_query *query) { return compile_condition(query, ST_NONE); }

strata_status st_query_compile(st_query *query) {
    const strata_query *spec = query->spec;
    strata_status status = check_source(query);
    return status == STRATA_OK ? compile_condition(query, spec->table) : status;
}
