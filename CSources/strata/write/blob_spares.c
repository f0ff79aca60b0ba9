/* SPDX-License-Identifier: MIT
 * blob_spares.c -- pieces of blobs that no row needs, until the end of the write. */
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

static bool push(st_identity_stack *stack, uint64_t identity) {
    if (!st_array_grow((void **)&stack->items, &stack->capacity, stack->count, sizeof identity)) return false;
    stack->items[stack->count++] = identity;
    return true;
}

bool st_blob_spares_drop(st_blob_spares *spares, uint64_t identity, bool stored) {
    return st_blob_spares_cut(spares, identity, 0) && push(stored ? &spares->waiting : &spares->unused, identity);
}

bool st_blob_spares_has(const st_blob_spares *spares, uint64_t identity, uint32_t piece) {
    const st_blob_spare *blob = find(spares, identity);
    return blob != NULL && piece >= blob->needed;
}

uint64_t st_blob_spares_take(st_blob_spares *spares) {
    st_identity_stack *unused = &spares->unused;
    return unused->count == 0 ? 0 : unused->items[--unused->count];
}

bool st_blob_spares_flushed(st_blob_spares *spares) {
    st_identity_stack *waiting = &spares->waiting;
    for (; waiting->count > 0; waiting->count--)
        if (!push(&spares->unused, waiting->items[waiting->count - 1])) return false;
    return true;
}

strata_status st_blob_spares_delete(st_blob_spares *spares, st_txn *writer, strata_error *error) {
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < spares->count && status == STRATA_OK; i++)
        status = st_blob_cut(writer, spares->blobs[i].identity, spares->blobs[i].needed, error);
    st_hash_table_free(&spares->by_identity);
    spares->count = spares->unused.count = spares->waiting.count = 0;
    return status;
}

void st_blob_spares_free(st_blob_spares *spares) {
    free(spares->blobs);
    free(spares->unused.items);
    free(spares->waiting.items);
    st_hash_table_free(&spares->by_identity);
}
