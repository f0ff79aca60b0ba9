/* SPDX-License-Identifier: MIT
 *
 * directory.h -- the directory of a long collection: which blocks it has, and how many elements are in each.
 *
 * A view keeps the directory it read last, checked; it holds for one tree epoch. The chunk of a position is found by a
 * guide: it has the chunk of every (1 << guide_shift)th element, which leaves a choice of few.
 */
#ifndef ST_COLLECTION_DIRECTORY_H
#define ST_COLLECTION_DIRECTORY_H

#include "collection/chunk_tree.h"
#include "collection/collection_cell.h"
#include "table/view.h"

typedef struct st_directory {
    uint64_t identity;        /* of the collection; 0 = nothing is loaded */
    uint64_t epoch;           /* the tree epoch it was loaded in */
    uint64_t count;
    uint32_t next_block, chunk_count;
    size_t capacity;
    st_stored_chunk *chunks;
    const uint8_t **data;     /* the block of each chunk; NULL until it was looked at */
    uint64_t *starts;         /* the position of the first element of each chunk; behind them the count */
    uint32_t *guide;          /* ends with the last chunk; made when the first position is looked for */
    uint32_t guide_shift;     /* UINT32_MAX: there is no guide yet */
} st_directory;

/** The directory of a long collection. Lifetime: until another one is asked for, or trees change. Fails:
 * STRATA_CORRUPT, STRATA_NO_MEMORY. */
strata_status st_directory_get(strata_view *view, const st_collection_cell *cell, st_directory **out,
                               strata_error *error);
/** The chunk with the element at a position, which exists. */
uint32_t st_directory_find(st_directory *directory, uint64_t position);
/** The block of a chunk, checked. Fails: STRATA_CORRUPT. */
strata_status st_directory_block(strata_view *view, const st_directory *directory, const st_column *column,
                                 uint32_t chunk, const uint8_t **out, strata_error *error);
void st_directory_free(st_directory *directory);

/* ---- Storing ---------------------------------------------------------- */

/** Begins the record of a directory, with room for so many chunks, in an empty buffer. False if there is no memory. */
bool st_directory_begin(st_buffer *directory, size_t chunks);
/** Adds a chunk. False if there is no memory. */
static inline bool st_directory_add(st_buffer *directory, st_stored_chunk chunk) {
    bool room = directory->capacity - directory->size >= sizeof chunk;
    if (!room && !st_buffer_reserve(directory, sizeof chunk)) return false;
    memcpy(directory->data + directory->size, &chunk, sizeof chunk);
    directory->size += sizeof chunk;
    return true;
}
/** Stores a record that is complete. */
strata_status st_directory_put(st_txn *writer, uint64_t identity, st_buffer *directory, uint32_t next_block,
                               strata_error *error);

#endif
