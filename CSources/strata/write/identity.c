/* SPDX-License-Identifier: MIT
 * identity.c -- numbers for values and collections that are stored outside of their row. */
#include "write/identity.h"

#include "base/array.h"
#include "base/status.h"
#include "store/tree.h"
#include "table/blob.h"
#include "collection/blocks.h"

static const uint8_t KEY[8] = { 0, 'i', 'd', 'n', 0, 0, 0, 0 };

strata_status st_identity_next(st_txn *txn, uint64_t *out, strata_error *error) {
    strata_bytes record;
    *out = 1;
    strata_status status = st_tree_get(txn, ST_META, (strata_bytes){ KEY, 8 }, &record, error);
    if (status == STRATA_OK) *out = record.size == 8 ? strata_load64(record.data) : 0;
    if (status < 0 || *out != 0) return status < 0 ? status : STRATA_OK;
    return st_fail(error, STRATA_CORRUPT, 0, "the record of the next identity is damaged");
}

strata_status st_identity_take(strata_view *view, uint64_t *out, strata_error *error) {
    st_write_set *writes = view->writes;
    *out = 0;
    if (writes->next_identity == 0) {
        strata_status status = st_identity_next(view->txn, &writes->next_identity, error);
        if (status != STRATA_OK) return status;
    }
    *out = writes->next_identity++;
    writes->identity_changed = true;
    writes->dirty = true;
    return STRATA_OK;
}

strata_status st_identity_drop(st_write_set *writes, uint64_t identity, bool collection, strata_error *error) {
    uint64_t **items = collection ? &writes->dropped_collections : &writes->dropped_blobs;
    size_t *count = collection ? &writes->dropped_collection_count : &writes->dropped_blob_count;
    size_t *capacity = collection ? &writes->dropped_collection_capacity : &writes->dropped_blob_capacity;
    if (!st_array_grow((void **)items, capacity, *count, sizeof **items))
        return st_no_memory(error, "dropping a large value");
    (*items)[(*count)++] = identity;
    writes->dirty = true;
    return STRATA_OK;
}

strata_status st_identity_flush(strata_view *view, strata_error *error) {
    st_write_set *writes = view->writes;
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < writes->dropped_blob_count && status == STRATA_OK; i++)
        status = st_blob_delete(view->txn, writes->dropped_blobs[i], error);
    for (size_t i = 0; i < writes->dropped_collection_count && status == STRATA_OK; i++)
        status = st_collection_blocks_delete(view->txn, writes->dropped_collections[i], error);
    writes->dropped_blob_count = writes->dropped_collection_count = 0;
    if (status != STRATA_OK || !writes->identity_changed) return status;
    uint8_t record[8];
    st_store64(record, writes->next_identity);
    writes->identity_changed = false;
    return st_tree_put(view->txn, ST_META, (strata_bytes){ KEY, 8 }, (strata_bytes){ record, 8 }, error);
}
