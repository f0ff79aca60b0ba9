/* SPDX-License-Identifier: MIT
 *
 * chunk.h -- a chunk of a collection that is being changed.
 *
 * A long collection may have many chunks of which few are looked at. A chunk is loaded, its elements copied into
 * memory, when one of them is changed; until then they are read where they are stored.
 */
#ifndef ST_COLLECTION_CHUNK_H
#define ST_COLLECTION_CHUNK_H

#include "collection/chunk_tree.h"

enum { ST_ALLOCATION = 16 /* estimated bytes that an allocation takes beside its own */ };

/** The elements of a chunk, in memory. */
typedef struct st_loaded_chunk {
    struct st_loaded_chunk *next; /* all of an edit are a list */
    uint32_t capacity;
    bool changed;
    uint8_t *values[2];           /* the columns, with elements of st_element_width() bytes */
} st_loaded_chunk;

typedef struct st_chunk {
    uint32_t block;          /* the number of the block it is stored in; 0 = none */
    uint32_t count;
    st_loaded_chunk *loaded; /* NULL: the elements are those of the block */
    const uint8_t *data;     /* not loaded: the block; NULL until it was looked at */
    uint64_t epoch;          /* not loaded: the tree epoch in which `data` is good */
} st_chunk;

/** Bytes of an element in memory: 8 for a number that is never null, otherwise those of a strata_value. */
static inline size_t st_element_width(const st_column *column, uint32_t block_column) {
    return st_element_is_number(column, block_column) ? sizeof(uint64_t) : sizeof(strata_value);
}

/** Reads and writes elements of a loaded chunk. */
void st_chunk_get(const st_column *column, const st_chunk *chunk, uint32_t block_column, uint32_t slot, uint32_t count,
                  strata_value *out);
void st_chunk_put(const st_column *column, const st_chunk *chunk, uint32_t block_column, uint32_t slot, uint32_t count,
                  const strata_value *values);

/** Makes room for `count` elements in all in a loaded chunk, and adds what that takes to `*memory`. False if there is
 * no memory. */
bool st_chunk_reserve(const st_column *column, const st_chunk *chunk, size_t count, size_t *memory);

#endif
