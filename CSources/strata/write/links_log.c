/* SPDX-License-Identifier: MIT
 * links_log.c -- the log of links that come and go. */
#include "write/links_log.h"

#include "base/status.h"
#include "posting/postings_batch.h"
#include "value/mixed.h"
#include "value/mixed_links.h"
#include "write/write_set.h"

enum { KEY_BITS = 48 };

/* The record of the commit says of an object that links to it changed. */
static void note_link(strata_view *view, const st_column *column, uint64_t target) {
    uint32_t table = column->type == STRATA_LINK ? column->target : (uint32_t)(target >> KEY_BITS);
    uint64_t key = target & ((UINT64_C(1) << KEY_BITS) - 1);
    st_change_log_note(&view->writes->log, STRATA_DELTA_LINKED, table, key, column->number, column->table, 0);
}

strata_status st_links_log(strata_view *view, const st_column *column, uint64_t target, uint64_t origin, bool added,
                           strata_error *error) {
    uint8_t value[8];
    st_store_big64(value, target);
    st_posting_batch *batch = &view->writes->changes.batches[column->link_set];
    if (!st_posting_batch_add(batch, (strata_bytes){ value, 8 }, origin, added)) {
        strata_status status = st_no_memory(error, "changing a link");
        st_writes_fail(view->writes, status, error);
        return status;
    }
    view->writes->changes.logged++;
    view->writes->dirty = true;
    if (view->writes->log.on) note_link(view, column, target);
    return STRATA_OK;
}

/* What is logged of each link of a value. */
typedef struct logged_links {
    strata_view *view;
    const st_column *column;
    uint64_t origin;
    bool added;
} logged_links;

static strata_status log_link(void *context, uint32_t table, uint64_t key, strata_error *error) {
    const logged_links *l = context;
    return st_links_log(l->view, l->column, st_link_number(l->column, table, key), l->origin, l->added, error);
}

strata_status st_links_log_value(strata_view *view, const st_column *column, const strata_value *value,
                                 uint64_t origin, bool added, strata_error *error) {
    logged_links links = { view, column, origin, added };
    if (column->link_id == 0) return STRATA_OK;
    return st_mixed_links(value, log_link, &links, error);
}
