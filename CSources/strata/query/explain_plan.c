/* SPDX-License-Identifier: MIT
 * explain_plan.c -- how rows are reached, in words. */
#include "query/plan.h"

static void explain_columns(st_query *query, const st_access *access) {
    if (access->index == NULL) {
        st_explain(query, "%s", access->column->name);
        return;
    }
    for (uint32_t i = 0; i < access->index->column_count; i++) {
        st_explain(query, "%s%s", i == 0 ? "" : ", ", access->table->columns[access->index->columns[i]].name);
    }
}

static void explain_access(st_query *query, const st_access *access) {
    if (access->kind == ST_ACCESS_LINKED) {
        explain_access(query, access->parts[0]);
        st_explain(query, ", links to it by %s of %s", access->column->name, access->table->name);
        return;
    }
    if (access->kind != ST_ACCESS_RANGES) {
        const char *between = access->kind == ST_ACCESS_UNION ? " or " : " and ";
        for (uint32_t i = 0; i < access->part_count; i++) {
            if (i != 0) st_explain(query, "%s", between);
            explain_access(query, access->parts[i]);
        }
        return;
    }
    st_explain(query, "index ");
    if (access->index != NULL || access->test_count == 0) {
        explain_columns(query, access);
        if (access->test_count != 0) st_explain(query, ": ");
    }
    for (uint32_t i = 0; i < access->test_count; i++) {
        if (i != 0) st_explain(query, access->either ? " or " : " and ");
        st_explain_test(query, access->tests[i]);
    }
}

void st_explain_plan(st_query *query, const st_plan *plan) {
    if (!query->explained) return;
    const st_access *access = plan->access;
    if (plan->way == ST_WAY_SCAN) st_explain(query, "scan %s", query->table->name);
    else explain_access(query, access);
    if (plan->way == ST_WAY_IN_ORDER && access->test_count != 0) st_explain(query, ", in its order");
    st_explain_filter(query, plan->way == ST_WAY_SCAN ? ", filter" : ", then filter", plan->rest);
}
