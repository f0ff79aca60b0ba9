/* SPDX-License-Identifier: MIT
 * query.c -- what a query needs before it runs, and its status. */
#include "condition/query.h"

#include "base/interrupt.h"
#include "base/status.h"
#include "write/flush.h"
#include "write/write_set.h"

strata_status st_query_ready(strata_view *view, strata_error *error) {
    strata_status status = st_view_check(view, error);
    if (status != STRATA_OK) return status;
    if (view->txn == NULL) return st_fail(error, STRATA_CLOSED, 0, "the view has no snapshot; open a new one");
    status = st_interrupt_check(view->interrupt, 0, error);
    if (status != STRATA_OK || view->writes == NULL) return status;
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

/* ---- Steps ------------------------------------------------------------ */

bool st_query_look(st_query *query, uint32_t steps) {
    strata_interrupt *interrupt = query->view->interrupt;
    strata_status status = st_interrupt_check(interrupt, query->steps_given - query->steps_left + steps, query->error);
    query->steps_given = query->steps_left = st_interrupt_grant(interrupt);
    if (status != STRATA_OK) st_query_fail(query, status);
    return status == STRATA_OK;
}

void st_query_report(const st_query *query) {
    if (query->view == NULL) return; /* it was refused */
    (void)st_interrupt_check(query->view->interrupt, query->steps_given - query->steps_left, NULL);
}
