/* SPDX-License-Identifier: MIT
 * bind.c -- gives a compiled comparison its constants. */
#include "condition/bind.h"

#include "base/arena.h"
#include "base/status.h"
#include "condition/comparison_make.h"
#include "condition/step.h"

/* A pattern that is an equality or a search at the beginning becomes one, so that indexes can be used. */
static strata_status replace_like(st_query *query, st_test *test) {
    const strata_value *pattern = test->node->values;
    strata_operator op = pattern->type == STRATA_NULL ? STRATA_EQUAL : test->comparison.op;
    if (test->comparison.fold != 0 || (op != STRATA_EQUAL && op != STRATA_BEGINS_WITH)) return STRATA_OK;
    strata_node *node = st_arena_alloc(&query->memory, sizeof *node);
    strata_value *value = st_arena_alloc(&query->memory, sizeof *value);
    if (node == NULL || value == NULL) return st_no_memory(query->error, "compiling a query");
    *node = *test->node;
    *value = *pattern;
    if (pattern->type != STRATA_NULL) value->as.bytes = test->comparison.bytes;
    node->values = value;
    test->node = node;
    test->op = node->op = op;
    return STRATA_OK;
}

/* Notes the column, if it is a comparison of which indexes may know. */
static void find_column(st_query *query, st_test *test) {
    const st_operand *left = test->left;
    const st_step *step = left->steps;
    bool links = step->kind == ST_STEP_ELEMENTS && left->type == STRATA_LINK;
    if (left->step_count != 1 || left->aggregate != STRATA_EACH_VALUE) return;
    if (test->right != NULL || test->within != NULL || test->op == STRATA_LIKE) return;
    if (step->kind != ST_STEP_CELL && !links) return;
    test->column = step->column;
    test->field = query->view->catalog->tables[step->table].fields[step->number];
}

strata_status st_bind(st_query *query, st_test *test) {
    strata_status status = st_comparison_make(query, test->left, test->node, &test->comparison);
    test->kind = test->comparison.kind;
    if (status == STRATA_OK && test->op == STRATA_LIKE) status = replace_like(query, test);
    test->column = NULL;
    if (status == STRATA_OK) find_column(query, test);
    return status;
}

bool st_bind_later(st_query *query, st_test *test) {
    st_bindings *bindings = query->bindings;
    if (bindings == NULL || bindings->made == bindings->count) return false;
    st_binding *binding = &bindings->items[bindings->made];
    if (binding->node + 1 != query->next_node) return false;
    binding->test = test;
    bindings->made++;
    test->kind = st_kind_of(test->left->type);
    test->comparison = (st_comparison){ .kind = test->kind, .op = test->op, .fold = test->node->options };
    return true;
}

strata_status st_bind_all(st_query *query, const st_bindings *bindings) {
    strata_status status = STRATA_OK;
    for (uint32_t i = 0; i < bindings->count && status == STRATA_OK; i++) {
        st_test *test = bindings->items[i].test;
        test->node = query->spec->nodes + bindings->items[i].node;
        test->op = test->node->op;
        status = st_bind(query, test);
    }
    return status;
}
