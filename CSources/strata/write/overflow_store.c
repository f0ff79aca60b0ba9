/* SPDX-License-Identifier: MIT
 * overflow_store.c -- storing overflow values. */
#include "write/overflow_store.h"

#include "table/blob.h"
#include "value/mixed.h"
#include "write/write_set.h"

strata_status st_overflow_store(strata_view *view, strata_type column_type, const strata_value *value,
                                uint8_t reference[ST_REFERENCE], strata_error *error) {
    strata_bytes bytes = value->as.bytes;
    st_blob blob = { .size = column_type == STRATA_MIXED ? st_mixed_reference(value->type, bytes.size) : bytes.size };
    strata_status status = st_identity_new(&view->writes->identities, view->txn, &blob.identity, error);
    if (status == STRATA_OK) status = st_blob_put(view->txn, blob.identity, bytes, error);
    st_view_trees_moved(view);
    if (status != STRATA_OK) st_writes_fail(view->writes, status, error);
    st_blob_save(blob, reference);
    return status;
}
