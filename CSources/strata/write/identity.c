/* SPDX-License-Identifier: MIT
 * identity.c -- the numbers under which overflow values and long collections are stored. */
#include "write/identity.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/status.h"
#include "collection/chunk_tree.h"
#include "store/tree.h"
#include "store/trees.h"

static const uint8_t KEY[8] = { 0, 'i', 'd', 'n', 0, 0, 0, 0 };

strata_status st_identity_next(st_txn *txn, uint64_t *out, strata_error *error) {
    strata_bytes record;
    *out = 1;
    strata_status status = st_tree_get(txn, ST_META, (strata_bytes){ KEY, 8 }, &record, error);
    if (status == STRATA_OK) *out = record.size == 8 ? strata_load64(record.data) : 0;
    if (status < 0 || *out != 0) return status < 0 ? status : STRATA_OK;
    return st_fail(error, STRATA_CORRUPT, 0, "the record of the next identity is damaged");
}

/* Numbers from this one on are not in use, unless the record is damaged. */
static strata_status check_unused(st_txn *writer, uint64_t next, strata_error *error) {
    static const st_tree trees[] = { ST_BLOBS, ST_COLLECTIONS };
    uint8_t from[8];
    st_store_big64(from, next);
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        strata_bytes key, value;
        strata_status status = st_tree_seek(writer, trees[i], (strata_bytes){ from, 8 }, &key, &value, error);
        if (status < 0) return status;
        if (status == STRATA_OK)
            return st_fail(error, STRATA_CORRUPT, 0,
                           "the record of the next identity is damaged: %llu or a later one is in use",
                           (unsigned long long)next);
    }
    return STRATA_OK;
}

strata_status st_identity_new(st_identities *identities, st_txn *writer, uint64_t *out, strata_error *error) {
    *out = 0;
    if (identities->next == 0) {
        strata_status status = st_identity_next(writer, &identities->next, error);
        if (status == STRATA_OK) status = check_unused(writer, identities->next, error);
        if (status != STRATA_OK) return status;
    }
    if (identities->unflushed == 0) identities->unflushed = identities->next;
    *out = identities->next++;
    identities->changed = true;
    return STRATA_OK;
}

strata_status st_identity_for_blob(st_identities *identities, st_txn *writer, uint64_t *out, strata_error *error) {
    *out = st_blob_spares_take(&identities->blobs);
    return *out != 0 ? STRATA_OK : st_identity_new(identities, writer, out, error);
}

static strata_status no_memory(strata_error *error) { return st_no_memory(error, "dropping a large value"); }

strata_status st_identity_drop_blob(st_identities *identities, uint64_t identity, strata_error *error) {
    bool stored = !st_identity_is_unflushed(identities, identity);
    return st_blob_spares_drop(&identities->blobs, identity, stored) ? STRATA_OK : no_memory(error);
}

strata_status st_identity_drop_collection(st_identities *identities, uint64_t identity, strata_error *error) {
    st_dropped *dropped = &identities->collections;
    if (!st_array_grow((void **)&dropped->identities, &dropped->capacity, dropped->count, sizeof identity))
        return no_memory(error);
    dropped->identities[dropped->count++] = identity;
    return STRATA_OK;
}

strata_status st_identities_flush(st_identities *identities, st_txn *writer, bool last, strata_error *error) {
    st_dropped *collections = &identities->collections;
    strata_status status = STRATA_OK;
    if (last) status = st_blob_spares_delete(&identities->blobs, writer, error);
    else if (!st_blob_spares_flushed(&identities->blobs)) status = no_memory(error);
    for (size_t i = 0; i < collections->count && status == STRATA_OK; i++)
        status = st_collection_blocks_delete(writer, collections->identities[i], error);
    collections->count = 0;
    identities->unflushed = 0;
    if (status != STRATA_OK || !identities->changed) return status;
    uint8_t record[8];
    st_store64(record, identities->next);
    identities->changed = false;
    return st_tree_put(writer, ST_META, (strata_bytes){ KEY, 8 }, (strata_bytes){ record, 8 }, error);
}

void st_identities_free(st_identities *identities) {
    st_blob_spares_free(&identities->blobs);
    free(identities->collections.identities);
}
