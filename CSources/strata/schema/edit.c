/* SPDX-License-Identifier: MIT
 * edit.c -- changing the catalog inside of a write. */
#include "schema/edit.h"

#include "base/status.h"
#include "catalog/catalog_records.h"
#include "catalog/catalog_share.h"
#include "object/cursor.h"
#include "write/flush.h"
#include "write/write_set.h"

strata_status st_schema_edit_begin(strata_view *view, st_catalog **out, strata_error *error) {
    *out = NULL;
    strata_status status = st_writes_flush(view, error);
    if (status != STRATA_OK) return status;
    st_view_trees_will_move(view);
    *out = st_catalog_copy(view->catalog);
    return *out == NULL ? st_no_memory(error, "changing the schema") : STRATA_OK;
}

/* Takes over what the write set keeps beyond a flush. A record of the commit says that anything may have changed. */
static void take_over(st_write_set *fresh, st_write_set *old) {
    fresh->log = old->log;
    fresh->log.whole = fresh->log.on;
    old->log = (st_change_log){ .on = false };
    fresh->identities = old->identities;
    old->identities = (st_identities){ 0 };
    fresh->migration = old->migration;
    fresh->migrates_to = old->migrates_to;
    fresh->catalog_changed = true;
}

static strata_status use(strata_view *view, st_catalog *catalog, strata_error *error) {
    st_write_set *fresh = st_write_set_make(catalog);
    if (fresh == NULL) return st_no_memory(error, "changing the schema");
    st_view_detach_cursors(view);
    take_over(fresh, view->writes);
    st_write_set_free(view->writes);
    view->writes = fresh;
    st_catalog_release(view->store, view->catalog);
    catalog->references = 1;
    view->catalog = catalog;
    st_view_trees_moved(view);
    return STRATA_OK;
}

strata_status st_schema_edit_end(strata_view *view, st_catalog *catalog, strata_status status, strata_error *error) {
    if (status == STRATA_OK) status = st_writes_flush(view, error); /* what dropping has left to do */
    if (status == STRATA_OK) status = st_catalog_store(view->txn, catalog, error);
    if (status == STRATA_OK) status = use(view, catalog, error);
    if (status == STRATA_OK) return STRATA_OK;
    st_catalog_free(catalog);
    st_writes_fail(view->writes, status, error);
    return status;
}
