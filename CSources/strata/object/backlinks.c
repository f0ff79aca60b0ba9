/* SPDX-License-Identifier: MIT
 * backlinks.c -- who links to an object. */
#include "object/backlinks.h"

#include "base/status.h"
#include "write/flush.h"
#include "write/links_pending.h"
#include "write/write_set.h"

/* The origin column of a backlink question, checked against the target's table. */
static const st_column *origin_of(strata_view *view, uint32_t table, uint32_t origin_table, uint32_t origin_column,
                                  strata_error *error) {
    const st_column *column = st_view_column(view, origin_table, origin_column, error);
    if (column == NULL || st_view_table(view, table, error) == NULL) return NULL;
    if (column->link_id != 0 && (column->type == STRATA_MIXED || column->target == table)) return column;
    st_fail(error, STRATA_MISUSE, 0, "%s.%s does not link to %s", view->catalog->tables[origin_table].name,
            column->name, view->catalog->tables[table].name);
    return NULL;
}

strata_status st_backlinks_flush(strata_view *view, uint32_t table, uint64_t key, strata_error *error) {
    strata_status status = st_view_readable(view, error);
    if (status != STRATA_OK || view->writes == NULL) return status;
    status = st_writes_ready(view, error);
    if (status != STRATA_OK) return status;
    int64_t change;
    bool touched;
    status = st_links_pending(view, table, key, &change, &touched, error);
    return status == STRATA_OK && touched ? st_writes_flush(view, error) : status;
}

strata_status strata_backlinks_count(strata_view *view, uint32_t table, uint64_t key, uint32_t origin_table,
                                     uint32_t origin_column, uint64_t *out, strata_error *error) {
    *out = 0;
    const st_column *column = origin_of(view, table, origin_table, origin_column, error);
    if (column == NULL) return STRATA_MISUSE;
    strata_status status = st_backlinks_flush(view, table, key, error);
    if (status != STRATA_OK) return status;
    uint8_t value[8];
    st_store_big64(value, st_link_number(column, table, key));
    return st_postings_count_value(view->txn, st_link_set(column), (strata_bytes){ value, sizeof value }, &view->caches.links,
                                   view->tree_epoch, out, error);
}

strata_status st_backlinks_find(strata_view *view, uint32_t table, uint64_t key, uint32_t origin_table,
                                uint32_t origin_column, st_posting_set *out, strata_error *error) {
    const st_column *column = origin_of(view, table, origin_table, origin_column, error);
    if (column == NULL) return STRATA_MISUSE;
    *out = st_link_set(column);
    return st_backlinks_flush(view, table, key, error);
}
