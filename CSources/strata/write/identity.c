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
#include "table/blob.h"

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
    *out = identities->next++;
    identities->changed = true;
    return STRATA_OK;
}

strata_status st_identity_drop(st_dropped *dropped, uint64_t identity, strata_error *error) {
    if (!st_array_grow((void **)&dropped->identities, &dropped->capacity, dropped->count, sizeof identity))
        return st_no_memory(error, "dropping a large value");
    dropped->identities[dropped->count++] = identity;
    return STRATA_OK;
}

strata_status st_identities_flush(st_identities *identities, st_txn *writer, strata_error *error) {
    st_dropped *blobs = &identities->blobs, *collections = &identities->collections;
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < blobs->count && status == STRATA_OK; i++)
        status = st_blob_delete(writer, blobs->identities[i], error);
    for (size_t i = 0; i < collections->count && status == STRATA_OK; i++)
        status = st_collection_blocks_delete(writer, collections->identities[i], error);
    blobs->count = collections->count = 0;
    if (status != STRATA_OK || !identities->changed) return status;
    uint8_t record[8];
    st_store64(record, identities->next);
    identities->changed = false;
    return st_tree_put(writer, ST_META, (strata_bytes){ KEY, 8 }, (strata_bytes){ record, 8 }, error);
}

void st_identities_free(st_identities *identities) {
    free(identities->blobs.identities);
    free(identities->collections.identities);
}
