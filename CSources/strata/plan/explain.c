/* SPDX-License-Identifier: MIT
 * explain.c -- plans and conditions in words. */
#include "plan/explain.h"

#include <stdarg.h>
#include <stdio.h>

#include "condition/step.h"
#include "strata_decimal.h"

/* Truncates a plan to at most `end` bytes, at the end of a character. */
static void truncate_plan(char *plan, size_t end) {
    while (end > 0 && ((unsigned char)plan[end] & 0xC0) == 0x80) end--;
    while (end > 0 && ((unsigned char)plan[end - 1] & 0xC0) == 0x80) end--;
    if (end > 0 && ((unsigned char)plan[end - 1] & 0x80) != 0) end--;
    plan[end] = 0;
}

void st_explain(st_query *query, const char *format, ...) {
    if (!query->explained) return;
    char *plan = query->stats.plan;
    size_t used = strlen(plan), room = sizeof query->stats.plan - used;
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(plan + used, room, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size < room) return;
    truncate_plan(plan, sizeof query->stats.plan - 1);
}

static void explain_value(st_query *query, const strata_value *value) {
    enum { SHOWN = 24 };
    switch (value->type) {
    case STRATA_NULL: st_explain(query, "null"); break;
    case STRATA_BOOL: st_explain(query, "%s", value->as.boolean ? "true" : "false"); break;
    case STRATA_INT: st_explain(query, "%lld", (long long)value->as.integer); break;
    case STRATA_FLOAT: st_explain(query, "%g", (double)value->as.single); break;
    case STRATA_DOUBLE:
    case STRATA_DATE: st_explain(query, "%.12g", value->as.real); break;
    case STRATA_LINK: st_explain(query, "object %llu", (unsigned long long)value->as.link); break;
    case STRATA_STRING: {
        const unsigned char *p = value->as.bytes.data;
        size_t size = value->as.bytes.size, shown = size < SHOWN ? size : SHOWN;
        while (shown > 0 && shown < size && (p[shown] & 0xC0) == 0x80) shown--;
        st_explain(query, "\"%.*s%s\"", (int)shown, shown == 0 ? "" : (const char *)p, shown < size ? "..." : "");
        break;
    }
    case STRATA_DECIMAL: {
        char text[STRATA_DECIMAL_TEXT];
        strata_decimal_print(strata_decimal_load(value->as.fixed), text);
        st_explain(query, "%s", text);
        break;
    }
    default: st_explain(query, "a value"); break;
    }
}

/* ---- Operands --------------------------------------------------------- */

static const char *aggregate_words(strata_aggregate aggregate) {
    static const char *const words[] = { "", "count of ", "min of ", "max of ", "sum of ", "average of " };
    return words[aggregate];
}

/* Is it each value of a collection, into which the next step goes? */
static bool is_entered(const st_operand *operand, uint32_t number) {
    return operand->steps[number].kind == ST_STEP_ELEMENTS && number + 1 < operand->step_count &&
           operand->steps[number + 1].kind >= ST_STEP_INNER_EACH;
}

static void explain_step(st_query *query, const st_step *step, bool first) {
    const char *dot = first ? "" : ".";
    strata_value key = strata_string(step->key.data, step->key.size);
    switch (step->kind) {
    case ST_STEP_CELL:
    case ST_STEP_ELEMENTS: st_explain(query, "%s%s", dot, step->column->name); return;
    case ST_STEP_KEYS: st_explain(query, "%s%s.keys", dot, step->column->name); return;
    case ST_STEP_BACKLINKS:
        st_explain(query, "%s@links.%s.%s", dot, query->view->catalog->tables[step->table].name, step->column->name);
        return;
    case ST_STEP_SELF:
    case ST_STEP_VALUE: st_explain(query, "%sself", dot); return;
    case ST_STEP_INNER_EACH: st_explain(query, "[*]"); return;
    case ST_STEP_ENTRY:
    case ST_STEP_ELEMENT: st_explain(query, "%s%s", dot, step->column->name); break;
    case ST_STEP_INNER_ENTRY:
    case ST_STEP_INNER_ELEMENT: break;
    }
    st_explain(query, "[");
    bool entry = step->kind == ST_STEP_ENTRY || step->kind == ST_STEP_INNER_ENTRY;
    if (entry) explain_value(query, &key);
    else st_explain(query, "%lld", (long long)step->position);
    st_explain(query, "]");
}

static void explain_operand(st_query *query, const st_operand *operand) {
    bool any = operand->many && operand->aggregate == STRATA_EACH_VALUE;
    st_explain(query, "%s%s", any ? "any of " : "", aggregate_words(operand->aggregate));
    for (uint32_t i = 0; i < operand->step_count; i++) {
        explain_step(query, &operand->steps[i], i == 0);
        if (is_entered(operand, i)) st_explain(query, "[*]");
    }
}

/* ---- Conditions ------------------------------------------------------- */

static void explain_shape(st_query *query, const strata_shape *shape) {
    static const char *const names[] = { "a box", "a circle", "a polygon" };
    st_explain(query, "%s", names[shape->kind]);
}

static void explain_comparison(st_query *query, const st_test *test) {
    static const char *const names[] = {
        "=", "!=", "<", "<=", ">", ">=", "in", "begins with", "ends with", "contains", "between", "like", "within",
    };
    static const char *const options[] = { "", "[c]", "[d]", "[cd]" };
    const strata_node *node = test->node;
    explain_operand(query, test->left);
    if (test->counted != NULL) {
        st_explain(query, " where (");
        st_explain_test(query, test->counted);
        st_explain(query, ")");
    }
    st_explain(query, " %s%s ", names[node->op - STRATA_EQUAL], options[node->options & 3]);
    if (test->within != NULL) {
        explain_shape(query, node->shape);
    } else if (test->right != NULL) {
        explain_operand(query, test->right);
    } else if (node->op == STRATA_IN) {
        st_explain(query, "%u values", node->value_count);
    } else {
        explain_value(query, node->values);
        if (node->op != STRATA_BETWEEN) return;
        st_explain(query, " and ");
        explain_value(query, node->values + 1);
    }
}

static bool is_compound(const st_test *test) { return test->op == STRATA_AND || test->op == STRATA_OR; }

void st_explain_part(st_query *query, const st_test *test, strata_operator around) {
    bool enclosed = around == STRATA_NOT || (is_compound(test) && around != STRATA_TRUE && around != test->op);
    if (enclosed) st_explain(query, "(");
    st_explain_test(query, test);
    if (enclosed) st_explain(query, ")");
}

/* "(a = 1 or b = 2) and not (c > 3)" */
static void explain_children(st_query *query, const st_test *test) {
    for (uint32_t i = 0; i < test->child_count; i++) {
        if (i > 0) st_explain(query, test->op == STRATA_AND ? " and " : " or ");
        st_explain_part(query, test->children[i], test->op);
    }
}

void st_explain_filter(st_query *query, const char *before, const st_test *test) {
    enum { MOST = sizeof query->stats.plan - 60 }; /* so that there is room for what follows */
    if (test == NULL || !query->explained) return;
    st_explain(query, "%s ", before);
    st_explain_test(query, test);
    if (strlen(query->stats.plan) <= MOST) return;
    truncate_plan(query->stats.plan, MOST - 3);
    st_explain(query, "...");
}

void st_explain_test(st_query *query, const st_test *test) {
    if (!query->explained || strlen(query->stats.plan) + 1 == sizeof query->stats.plan) return;
    switch (test->op) {
    case STRATA_TRUE: st_explain(query, "true"); break;
    case STRATA_FALSE: st_explain(query, "false"); break;
    case STRATA_AND:
    case STRATA_OR: explain_children(query, test); break;
    case STRATA_NOT:
        st_explain(query, "not ");
        st_explain_part(query, test->children[0], STRATA_NOT);
        break;
    default: explain_comparison(query, test); break;
    }
}
