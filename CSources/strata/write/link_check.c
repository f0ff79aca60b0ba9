/* SPDX-License-Identifier: MIT
 * link_check.c -- a link leads to an object that exists. */
#include "write/link_check.h"

#include "base/status.h"
#include "value/mixed.h"
#include "value/mixed_links.h"
#include "write/row_find.h"

/* The links of one value, being checked. */
typedef struct checked_links {
    strata_view *view;
    const st_table *table;
    const st_column *column;
} checked_links;

static strata_status check_link(void *context, uint32_t table, uint64_t key, strata_error *error) {
    const checked_links *l = context;
    const st_catalog *catalog = l->view->catalog;
    st_row_ref row;
    strata_status status = STRATA_NOT_FOUND;
    bool mixed = l->column->type == STRATA_MIXED;
    uint32_t target = mixed ? table : l->column->target;
    bool known = target < catalog->table_count;
    if (mixed && known && (catalog->tables[target].flags & STRATA_TABLE_EMBEDDED) != 0)
        return st_fail(error, STRATA_MISUSE, 0,
                       "%s.%s cannot link to %s: its objects are embedded and belong to one column of their own type",
                       l->table->name, l->column->name, catalog->tables[target].name);
    if (known && key >= 1 && key < ST_KEY_MAX) status = st_view_row(l->view, target, key, &row, error);
    if (status != STRATA_NOT_FOUND) return status;
    return st_fail(error, STRATA_MISUSE, 0, "%s.%s cannot link to object %llu of %s: there is no such object",
                   l->table->name, l->column->name, (unsigned long long)key,
                   known ? catalog->tables[target].name : "a table that does not exist");
}

strata_status st_link_targets_check(strata_view *view, const st_table *table, const st_column *column,
                                    const strata_value *value, strata_error *error) {
    checked_links links = { view, table, column };
    if (column->link_id == 0) return STRATA_OK;
    return st_mixed_links(value, check_link, &links, error);
}
