/* SPDX-License-Identifier: MIT
 *
 * ranks.h -- object keys in an order, each found by its position and the other way round.
 *
 * In the order of keys, those that lie close together are bits (key_bits.h). Otherwise the keys stand in chunks; where a
 * chunk begins is the sum of the counts before it. In the order of keys a key is found by its value; in any other order
 * each key has the number of its chunk.
 *
 * A search finds the chunk by a word that each has, and in there the place by the words of its keys, so that it reads
 * only rows whose words are equal; if those of the keys are not known, some rows of that chunk. Words ascend with the
 * order: whatever has a smaller word comes before. Invariant: the word of a chunk is at most that of each key in it, and
 * at least that of each key before it. No key is there twice.
 */
#ifndef ST_OBSERVE_RANKS_H
#define ST_OBSERVE_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "observe/key_bits.h"

enum { ST_RANK_CHUNK = 64, ST_RANK_PAGE = 1024, ST_RANK_STRETCH = 64 /* chunks */ };

typedef struct st_rank_chunk {
    uint32_t number; /* its own */
    uint64_t *words; /* of its keys; NULL: they are not known */
    uint64_t keys[ST_RANK_CHUNK];
} st_rank_chunk;

/** A chunk in its order. */
typedef struct st_rank_entry {
    st_rank_chunk *chunk;
    uint64_t word;
    bool has_word;
} st_rank_entry;

/** Empty when it is zero, and in the order of keys. Freed with st_ranks_free(). */
typedef struct st_ranks {
    st_rank_entry *chunks; /* in their order; none is empty */
    uint32_t *counts;      /* of the keys of each; side by side, because they are added up again and again */
    uint64_t *stretches;   /* of the keys of each ST_RANK_STRETCH chunks */
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

/** Fills empty ranks. `words` are those of the keys, or NULL. False if there is no memory, or a key is there twice, or not
 * in the order of keys. */
bool st_ranks_fill(st_ranks *ranks, const uint64_t *keys, const uint64_t *words, size_t count, bool any_order);
void st_ranks_free(st_ranks *ranks);

/** Where a key is. False if it is not there; `*out_position` is then as it was. */
bool st_ranks_find(const st_ranks *ranks, uint64_t key, uint64_t *out_position);
/** What is looked for in an order. */
typedef struct st_rank_search {
    /** Whether a key comes before it. */
    bool (*before)(void *context, uint64_t key);
    /** The word of a key. False if there is none, because of a failure; then the search ends somewhere. */
    bool (*word_of)(void *context, uint64_t key, uint64_t *out);
    uint64_t word; /* its own */
    void *context;
} st_rank_search;

/** The first position whose key does not come before what is looked for; their count if there is none. Not of bits. */
uint64_t st_ranks_search(st_ranks *ranks, const st_rank_search *search);
/** Reads the words of all chunks that have none. */
void st_ranks_read_words(st_ranks *ranks, const st_rank_search *search);
/** In the order of keys: where a key would be. */
uint64_t st_ranks_bound(const st_ranks *ranks, uint64_t key);
/** Copies so many keys, in their order, from a position on. They must exist. */
void st_ranks_copy(const st_ranks *ranks, uint64_t position, uint64_t count, uint64_t *out);
/** The bytes that they take. */
size_t st_ranks_memory(const st_ranks *ranks);
/** The key at a position that exists. */
uint64_t st_ranks_key(const st_ranks *ranks, uint64_t position);
/** Removes the key at a position that exists. */
void st_ranks_remove(st_ranks *ranks, uint64_t position);
/** Inserts a key before a position, which may be their count; in the order of keys, that is where it belongs. `word`
 * points to its word, or is NULL. False if there is no memory. */
bool st_ranks_insert(st_ranks *ranks, uint64_t position, uint64_t key, const uint64_t *word);

#endif
