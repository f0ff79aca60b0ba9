/* SPDX-License-Identifier: MIT
 *
 * ranks.h -- object keys in an order, each found by its position and the other way round.
 *
 * In the order of keys, those that lie close together are bits (key_bits.h). Otherwise the keys stand in chunks; where a
 * chunk begins is the sum of the counts before it. In the order of keys a key is found by its value; in any other order
 * each key has the number of its chunk. No key is there twice.
 */
#ifndef ST_OBSERVE_RANKS_H
#define ST_OBSERVE_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "observe/key_bits.h"

enum { ST_RANK_CHUNK = 512, ST_RANK_PAGE = 1024 };

typedef struct st_rank_chunk {
    uint32_t number; /* its own */
    uint64_t keys[ST_RANK_CHUNK];
} st_rank_chunk;

/** A chunk in its order. The counts lie side by side, because they are added up again and again. */
typedef struct st_rank_entry {
    st_rank_chunk *chunk;
    uint32_t count;
} st_rank_entry;

/** Empty when it is zero, and in the order of keys. Freed with st_ranks_free(). */
typedef struct st_ranks {
    st_rank_entry *chunks; /* in their order; none is empty */
    size_t chunk_count, chunk_capacity;
    uint64_t count;
    bool dense;             /* there are bits, and no chunks */
    st_key_bits bits;
    bool any_order;         /* not the order of keys: then there are */
    uint32_t **pages;       /* by key / ST_RANK_PAGE: the number of the chunk of each key, plus 1 */
    size_t page_count;
    size_t *orders;         /* by number: which of `chunks` it is */
    uint32_t number_count, number_capacity;
    size_t memory;          /* bytes */
} st_ranks;

/** Fills empty ranks. False if there is no memory, or a key is there twice, or not in the order of keys. */
bool st_ranks_fill(st_ranks *ranks, const uint64_t *keys, size_t count, bool any_order);
void st_ranks_free(st_ranks *ranks);

/** Where a key is. False if it is not there; `*out_position` is then as it was. */
bool st_ranks_find(const st_ranks *ranks, uint64_t key, uint64_t *out_position);
/** Whether a key comes before what is looked for. */
typedef bool st_rank_before(void *context, uint64_t key);
/** The first position whose key does not come before what is looked for; their count if there is none. Not of bits. */
uint64_t st_ranks_search(const st_ranks *ranks, st_rank_before *before, void *context);
/** In the order of keys: where a key would be. */
uint64_t st_ranks_bound(const st_ranks *ranks, uint64_t key);
/** Copies all keys, in their order. */
void st_ranks_copy(const st_ranks *ranks, uint64_t *out);
/** The bytes that they take. */
size_t st_ranks_memory(const st_ranks *ranks);
/** The key at a position that exists. */
uint64_t st_ranks_key(const st_ranks *ranks, uint64_t position);
/** Removes the key at a position that exists. */
void st_ranks_remove(st_ranks *ranks, uint64_t position);
/** Inserts a key before a position, which may be their count; in the order of keys, that is where it belongs. False if
 * there is no memory. */
bool st_ranks_insert(st_ranks *ranks, uint64_t position, uint64_t key);

#endif
