/* SPDX-License-Identifier: MIT
 *
 * directory.h -- the directory of a long collection: which blocks it has, and how many elements are in each.
 *
 * A view keeps the directory it looked at last, read and checked; it holds while the trees do not move. With it, the
 * block of a position is found by a guide, a table with the chunk of every (1 << guide_shift)th element.
 */
#ifndef ST_COLLECTION_DIRECTORY_H
#define ST_COLLECTION_DIRECTORY_H

#include "collection/chunk_tree.h"
#include "collection/collection_cell.h"
#include "table/view.h"

/** A directory, read and checked. A view keeps the one it looked at last. */
struct st_directory {
    uint64_t identity, epoch; /* of which collection, in which tree epoch */
    uint64_t count;
    uint32_t next_block, chunk_count;
    size_t capacity;
    st_stored_chunk *chunks;
    const uint8_t **data;     /* the block of each chunk, once looked at */
    uint64_t *starts;         /* the position of the first element of each chunk, and the count */
    uint32_t *guide;          /* the chunk with every (1 << guide_shift)th element, and the last chunk; */
    uint32_t guide_shift;     /* made when an element is looked for: UINT32_MAX until then */
};

/** The directory of a long collection. Lifetime: until another one is asked for, or trees change. */
strata_status st_directory_get(strata_view *view, const st_collection_cell *cell, struct st_directory **out,
                               strata_error *error);
/** The chunk with the element at a position, which exists. */
uint32_t st_directory_find(struct st_directory *directory, uint64_t position);
/** The block of a chunk, checked. */
strata_status st_directory_block(strata_view *view, const struct st_directory *directory, const st_column *column,
                                 uint32_t chunk, const uint8_t **out, strata_error *error);
void st_directory_free(struct st_directory *directory);

/** Begins a directory of about so many chunks, in an empty buffer. False if there is no memory. */
bool st_directory_begin(st_buffer *directory, size_t chunks);
/** Adds a chunk. False if there is no memory. */
static inline bool st_directory_add(st_buffer *directory, st_stored_chunk chunk) {
    if (directory->capacity - directory->size < sizeof chunk && !st_buffer_reserve(directory, sizeof chunk)) return false;
    memcpy(directory->data + directory->size, &chunk, sizeof chunk);
    directory->size += sizeof chunk;
    return true;
}
strata_status st_directory_put(st_txn *writer, uint64_t identity, st_buffer *directory, uint32_t next_block,
                               strata_error *error);

#endif
