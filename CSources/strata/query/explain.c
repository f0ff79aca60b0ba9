/* SPDX-License-Identifier: MIT
 * explain.c -- a plan in words. */
#include <stdarg.h>
#include <stdio.h>

#include "base/status.h"
#include "query/plan.h"
#include "strata_decimal.h"

void st_explain(st_query *query, const char *format, ...) {
    if (!query->explained) return;
    char *plan = query->stats.plan;
    size_t used = strlen(plan), room = sizeof query->stats.plan - used;
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(plan + used, room, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size < room) return;
    /* Cut where a character begins. */
    size_t end = sizeof query->stats.plan - 1;
    while (end > 0 && ((unsigned char)plan[end] & 0xC0) == 0x80) end--;
    while (end > 0 && ((unsigned char)plan[end - 1] & 0xC0) == 0x80) end--;
    if (end > 0 && ((unsigned char)plan[end - 1] & 0x80) != 0) end--;
    plan[end] = 0;
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

void st_explain_test(st_query *query, const st_test *test) {
    if (!query->explained) return;
    static const char *const names[] = {
        "=", "!=", "<", "<=", ">", ">=", "in", "begins with", "ends with", "contains",
    };
    const strata_node *node = test->node;
    st_explain(query, "%s ", test->column->name);
    if (node->op == STRATA_BETWEEN) {
        st_explain(query, "between ");
        explain_value(query, node->values);
        st_explain(query, " and ");
        explain_value(query, node->values + 1);
        return;
    }
    st_explain(query, "%s ", names[node->op - STRATA_EQUAL]);
    if (node->op == STRATA_IN) st_explain(query, "%u values", node->value_count);
    else explain_value(query, node->values);
}
