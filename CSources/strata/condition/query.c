/* SPDX-License-Identifier: MIT
 * query.c -- what a query needs before it runs, and its status. */
#include "condition/query.h"

#include "base/status.h"
#include "write/flush.h"
#include "write/write_set.h"

strata_status st_query_prepare(strata_view *view, strata_error *error) {
    strata_status status = st_view_check(view, error);
    if (status != STRATA_OK) return status;
    if (view->txn == NULL) return st_fail(error, STRATA_CLOSED, 0, "the view has no snapshot; open a new one");
    if (view->writes == NULL) return STRATA_OK;
    status = st_writes_ready(view, error);
    return status == STRATA_OK ? st_writes_flush(view, error) : status;
}

const char *st_query_root(const st_query *query, uint32_t table) {
    return table == ST_NONE ? query->values->name : query->view->catalog->tables[table].name;
}

void st_query_fail(st_query *query, strata_status status) {
    if (query->status == STRATA_OK) query->status = status;
}

bool st_query_no_memory(st_query *query, const char *doing) {
    st_query_fail(query, st_no_memory(query->error, doing));
    return false;
}
