/* SPDX-License-Identifier: MIT
 * directory.c -- the directory of a long collection. */
#include "collection/directory.h"

#include <stdlib.h>

#include "base/status.h"
#include "store/tree.h"
#include "store/trees.h"

enum { DIRECTORY_FORMAT = 1, DIRECTORY_HEADER = 8, GUIDES = 4 /* entries of the guide for each chunk, at most */ };

/* Room for the chunks, for what is known of each, and for the guide, in one piece. */
static bool reserve_chunks(struct st_directory *d, size_t count) {
    if (count <= d->capacity) return true;
    size_t capacity = count + count / 4;
    size_t each = sizeof *d->chunks + sizeof *d->data + sizeof *d->starts + GUIDES * sizeof *d->guide;
    uint64_t *room = malloc((capacity + 1) * each);
    if (room == NULL) return false;
    free(d->starts);
    d->starts = room;
    d->data = (const uint8_t **)(void *)(d->starts + capacity + 1);
    d->chunks = (st_stored_chunk *)(void *)(d->data + capacity + 1);
    d->guide = (uint32_t *)(void *)(d->chunks + capacity + 1);
    d->capacity = capacity;
    return true;
}

static strata_status load(st_txn *txn, const st_collection_cell *cell, struct st_directory *d, strata_error *error) {
    uint8_t key[8];
    strata_bytes value;
    strata_status status = st_tree_get(txn, ST_COLLECTIONS, st_directory_key(key, cell->identity), &value, error);
    if (status < 0) return status;
    const uint8_t *p = value.data;
    if (status == STRATA_NOT_FOUND || value.size < 2 * DIRECTORY_HEADER || value.size % 8 != 0 ||
        value.size / 8 - 1 > UINT32_MAX || p[0] != DIRECTORY_FORMAT)
        return st_collection_damaged(cell->identity, error);
    d->chunk_count = (uint32_t)(value.size / 8 - 1);
    d->next_block = strata_load32(p + 4);
    if (d->next_block == 0) return st_collection_damaged(cell->identity, error);
    if (!reserve_chunks(d, d->chunk_count)) return st_no_memory(error, "reading a collection");
    uint64_t count = 0;
    bool good = true;
    memcpy(d->chunks, p + DIRECTORY_HEADER, d->chunk_count * sizeof *d->chunks);
    memset(d->data, 0, d->chunk_count * sizeof *d->data);
    for (uint32_t i = 0; i < d->chunk_count; i++) {
        st_stored_chunk chunk = d->chunks[i];
        d->starts[i] = count;
        good = good && chunk.count - 1 < UINT16_MAX && chunk.block - 1 < d->next_block - 1;
        count += chunk.count;
    }
    d->starts[d->chunk_count] = d->count = count;
    d->guide_shift = UINT32_MAX;
    return good && count == cell->count ? STRATA_OK : st_collection_damaged(cell->identity, error);
}

strata_status st_directory_get(strata_view *view, const st_collection_cell *cell, struct st_directory **out,
                               strata_error *error) {
    struct st_directory *d = view->caches.directory;
    *out = NULL;
    if (d == NULL) {
        d = view->caches.directory = calloc(1, sizeof *d);
        if (d == NULL) return st_no_memory(error, "reading a collection");
    }
    if (d->identity != cell->identity || d->epoch != view->tree_epoch) {
        d->identity = 0;
        strata_status status = load(view->txn, cell, d, error);
        if (status != STRATA_OK) return status;
        d->identity = cell->identity;
        d->epoch = view->tree_epoch;
    }
    *out = d;
    return d->count == cell->count ? STRATA_OK : st_collection_damaged(cell->identity, error);
}

static void make_guide(struct st_directory *d) {
    uint32_t shift = 0;
    while (d->count >> shift >= (GUIDES - 1) * (uint64_t)d->chunk_count) shift++;
    uint64_t entries = (d->count >> shift) + 1;
    for (uint32_t i = 0, chunk = 0; i < entries; i++) {
        while (d->starts[chunk + 1] <= (uint64_t)i << shift && chunk + 1 < d->chunk_count) chunk++;
        d->guide[i] = chunk;
    }
    d->guide[entries] = d->chunk_count - 1;
    d->guide_shift = shift;
}

uint32_t st_directory_find(struct st_directory *d, uint64_t position) {
    if (d->guide_shift == UINT32_MAX) make_guide(d);
    const uint32_t *guide = &d->guide[position >> d->guide_shift];
    uint32_t low = guide[0], high = guide[1];
    while (low < high) { /* most often there are two at most */
        uint32_t middle = low + (high - low + 1) / 2;
        bool right = d->starts[middle] <= position;
        low = right ? middle : low;
        high = right ? high : middle - 1;
    }
    return low;
}

strata_status st_directory_block(strata_view *view, const struct st_directory *directory, const st_column *column,
                                 uint32_t chunk, const uint8_t **out, strata_error *error) {
    *out = directory->data[chunk];
    if (*out != NULL) return STRATA_OK;
    strata_status status =
        st_collection_block(view->txn, directory->identity, column, directory->chunks[chunk], out, error);
    if (status == STRATA_OK) directory->data[chunk] = *out;
    return status;
}

void st_directory_free(struct st_directory *directory) {
    if (directory == NULL) return;
    free(directory->starts);
    free(directory);
}

bool st_directory_begin(st_buffer *directory, size_t chunks) {
    if (!st_buffer_reserve(directory, DIRECTORY_HEADER + chunks * sizeof(st_stored_chunk))) return false;
    memset(directory->data, 0, DIRECTORY_HEADER);
    directory->data[0] = DIRECTORY_FORMAT;
    directory->size = DIRECTORY_HEADER;
    return true;
}

strata_status st_directory_put(st_txn *writer, uint64_t identity, st_buffer *directory, uint32_t next_block,
                               strata_error *error) {
    uint8_t key[8];
    st_store32(directory->data + 4, next_block);
    return st_tree_put(writer, ST_COLLECTIONS, st_directory_key(key, identity),
                       (strata_bytes){ directory->data, directory->size }, error);
}
