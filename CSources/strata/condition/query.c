/* SPDX-License-Identifier: MIT
 * query.c -- the status of a query. */
#include "condition/query.h"

#include "base/status.h"

void st_query_fail(st_query *query, strata_status status) {
    if (query->status == STRATA_OK) query->status = status;
}

bool st_query_no_memory(st_query *query, const char *doing) {
    st_query_fail(query, st_no_memory(query->error, doing));
    return false;
}
