/* SPDX-License-Identifier: MIT
 * explain_plan.c -- how rows are found, in words. */
#include "plan/explain_plan.h"

#include "plan/explain.h"

static void explain_columns(st_query *query, const st_access *access) {
    if (access->index == NULL) {
        st_explain(query, "%s", access->column->name);
        return;
    }
    for (uint32_t i = 0; i < access->index->column_count; i++) {
        st_explain(query, "%s%s", i == 0 ? "" : ", ", access->table->columns[access->index->columns[i]].name);
    }
}

static bool is_joined(const st_access *access) {
    return (access->kind == ST_ACCESS_UNION || access->kind == ST_ACCESS_INTERSECTION) && access->input_count != 0;
}

static void explain_access(st_query *query, const st_access *access, strata_operator around);

/* "index a = 1 and (index b = 2 or index c = 3)" */
static void explain_parts(st_query *query, const st_access *access, strata_operator around) {
    strata_operator op = access->kind == ST_ACCESS_UNION ? STRATA_OR : STRATA_AND;
    bool enclosed = around != STRATA_TRUE && around != op;
    if (enclosed) st_explain(query, "(");
    for (uint32_t i = 0; i < access->input_count; i++) {
        if (i != 0) st_explain(query, op == STRATA_OR ? " or " : " and ");
        explain_access(query, access->inputs[i], op);
    }
    if (enclosed) st_explain(query, ")");
}

/* `around` is the operator that joins it with others; STRATA_TRUE: it stands alone. */
static void explain_access(st_query *query, const st_access *access, strata_operator around) {
    if (is_joined(access)) {
        explain_parts(query, access, around);
    } else if (access->kind == ST_ACCESS_LINKED) {
        explain_access(query, access->inputs[0], STRATA_TRUE);
        st_explain(query, ", links to it by %s of %s", access->column->name, access->table->name);
    } else if (access->kind == ST_ACCESS_UNION) {
        st_explain(query, "nothing");
    } else {
        if (access->kind == ST_ACCESS_RANGES) st_explain(query, "index ");
        if (access->index != NULL || access->label == NULL) explain_columns(query, access);
        if (access->index != NULL && access->label != NULL) st_explain(query, ": ");
        if (access->label != NULL) st_explain_part(query, access->label, around);
    }
}

void st_explain_plan(st_query *query, const st_plan *plan) {
    if (!query->explained) return;
    const st_access *access = plan->access;
    if (plan->method == ST_METHOD_SCAN) st_explain(query, "scan %s", query->table->name);
    else explain_access(query, access, STRATA_TRUE);
    if (plan->method == ST_METHOD_IN_ORDER && access->label != NULL) st_explain(query, ", in its order");
    st_explain_filter(query, plan->method == ST_METHOD_SCAN ? ", filter" : ", then filter", plan->rest);
}
