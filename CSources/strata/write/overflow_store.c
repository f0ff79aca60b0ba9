/* SPDX-License-Identifier: MIT
 * overflow_store.c -- storing overflow values. */
#include "write/overflow_store.h"

#include "base/status.h"
#include "table/reference.h"
#include "value/mixed.h"
#include "write/write_set.h"

strata_status st_overflow_store(strata_view *view, const st_column *column, uint64_t object,
                                const strata_value *value, uint64_t identity, uint8_t out_reference[ST_REFERENCE],
                                strata_error *error) {
    strata_bytes bytes = value->as.bytes;
    st_identities *identities = &view->writes->identities;
    st_blob blob = { 0, identity };
    uint32_t pieces = st_blob_pieces(bytes.size);
    bool replaces = blob.identity != 0, noted = true;
    strata_status status = STRATA_OK;
    st_view_trees_will_move(view);
    if (!replaces) status = st_identity_for_blob(identities, view->txn, &blob.identity, error);
    if (status == STRATA_OK) status = st_blob_write(view->txn, blob, 0, bytes, error);
    st_view_trees_moved(view);
    if (replaces) noted = st_blob_spares_cut(&identities->blobs, blob.identity, pieces);
    else st_blob_spares_used(&identities->blobs, blob.identity, pieces);
    if (status == STRATA_OK && !noted) status = st_no_memory(error, "replacing a large value");
    if (status != STRATA_OK) st_writes_fail(view->writes, status, error);
    blob.size = column->type == STRATA_MIXED ? st_mixed_reference(value->type, bytes.size) : bytes.size;
    st_reference_make(view, column, object, blob, out_reference);
    return status;
}

bool st_overflow_replaceable(const strata_view *view, const st_table *table, uint32_t column, uint64_t identity) {
    return !st_table_is_indexed(table, column) || st_identity_is_unflushed(&view->writes->identities, identity);
}
