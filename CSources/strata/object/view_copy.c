/* SPDX-License-Identifier: MIT
 * view_copy.c -- a new file with what a view shows. */
#include "strata_copy.h"

#include "store/tree_copy.h"
#include "write/flush.h"
#include "write/write_set.h"

strata_status strata_view_copy(strata_view *view, const char *path, strata_error *error) {
    strata_status status = st_view_readable(view, error);
    if (status == STRATA_OK && view->writes != NULL) {
        if (view->writes->failed) return st_writes_failure(view->writes, error);
        status = st_writes_flush(view, error);
    }
    return status == STRATA_OK ? st_tree_copy(view->txn, path, error) : status;
}
