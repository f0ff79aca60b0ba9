/* SPDX-License-Identifier: MIT
 *
 * chunk.h -- a chunk of a collection that is being changed.
 *
 * A long collection may have many chunks of which few are looked at: a chunk is loaded into memory when it is changed,
 * and otherwise read where it is stored.
 */
#ifndef ST_COLLECTION_CHUNK_H
#define ST_COLLECTION_CHUNK_H

#include "collection/chunk_tree.h"

/** The elements of a chunk, in memory. */
typedef struct st_loaded_chunk {
    struct st_loaded_chunk *next; /* of those of the edit */
    uint32_t capacity;
    bool changed;
    uint8_t *values[2];      /* the columns, each element of st_element_width() */
} st_loaded_chunk;

typedef struct st_chunk {
    uint32_t block;          /* the number of the block it is stored in; 0 = none */
    uint32_t count;
    st_loaded_chunk *loaded; /* NULL: its elements are those of the block */
    const uint8_t *data;     /* then the block, if it was looked at, */
    uint64_t epoch;          /* in this tree epoch */
} st_chunk;

/** Bytes of an element in memory: numbers that are never null take no more than they need. */
static inline size_t st_element_width(const st_column *column, uint32_t block_column) {
    return st_element_is_number(column, block_column) ? sizeof(uint64_t) : sizeof(strata_value);
}

/** Reads and writes elements of a loaded chunk. */
void st_chunk_get(const st_column *column, const st_chunk *chunk, uint32_t block_column, uint32_t slot, uint32_t count,
                  strata_value *out);
void st_chunk_put(const st_column *column, const st_chunk *chunk, uint32_t block_column, uint32_t slot, uint32_t count,
                  const strata_value *values);

/** Makes room for `count` elements in all in a loaded chunk, and adds what that takes to `*memory`. False if there is no
 * memory. */
bool st_chunk_reserve(const st_column *column, const st_chunk *chunk, size_t count, size_t *memory);

#endif
