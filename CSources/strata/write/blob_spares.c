/* SPDX-License-Identifier: MIT
 * blob_spares.c -- pieces of blobs that no row needs, until the flush deletes them. */
#include "write/blob_spares.h"

#include <stdlib.h>

#include "base/array.h"
#include "table/blob.h"

static uint32_t hash_of(uint64_t identity) { return (uint32_t)(identity * UINT64_C(0x9E3779B97F4A7C15) >> 32); }

static st_blob_spare *find(const st_blob_spares *spares, uint64_t identity) {
    const st_hash_table *table = &spares->by_identity;
    if (table->count == 0) return NULL;
    for (size_t at = hash_of(identity) & (table->size - 1); table->slots[at].position != 0;
         at = (at + 1) & (table->size - 1)) {
        st_blob_spare *blob = &spares->blobs[table->slots[at].position - 1];
        if (blob->identity == identity) return blob;
    }
    return NULL;
}

bool st_blob_spares_cut(st_blob_spares *spares, uint64_t identity, uint32_t needed) {
    st_blob_spare *blob = find(spares, identity);
    if (blob == NULL) {
        if (!st_array_grow((void **)&spares->blobs, &spares->capacity, spares->count, sizeof *blob)) return false;
        if (!st_hash_table_reserve(&spares->by_identity)) return false;
        st_hash_table_add(&spares->by_identity, hash_of(identity), spares->count);
        blob = &spares->blobs[spares->count++];
        blob->identity = identity;
    }
    blob->needed = needed;
    return true;
}

void st_blob_spares_used(st_blob_spares *spares, uint64_t identity, uint32_t pieces) {
    st_blob_spare *blob = find(spares, identity);
    if (blob != NULL) blob->needed = pieces;
}

bool st_blob_spares_add_unused(st_blob_spares *spares, uint64_t identity) {
    if (!st_array_grow((void **)&spares->unused, &spares->unused_capacity, spares->unused_count, sizeof identity))
        return false;
    spares->unused[spares->unused_count++] = identity;
    return true;
}

uint64_t st_blob_spares_take_unused(st_blob_spares *spares) {
    return spares->unused_count == 0 ? 0 : spares->unused[--spares->unused_count];
}

strata_status st_blob_spares_flush(st_blob_spares *spares, st_txn *writer, strata_error *error) {
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < spares->count && status == STRATA_OK; i++)
        status = st_blob_cut(writer, spares->blobs[i].identity, spares->blobs[i].needed, error);
    st_hash_table_free(&spares->by_identity);
    spares->count = spares->unused_count = 0;
    return status;
}

void st_blob_spares_free(st_blob_spares *spares) {
    free(spares->blobs);
    free(spares->unused);
    st_hash_table_free(&spares->by_identity);
}
