/* SPDX-License-Identifier: MIT
 *
 * block_cache.h -- where blocks of rows were found in the tree, for lookups in no order.
 *
 * What is cached holds for one tree epoch of the view. Blocks are kept in sets of two, by the object keys they cover:
 * keys that share their upper bits share a set, and so many lower bits are left out that a set has about one block to
 * keep. The cache is small at first, and grows up to a limit while more is looked up than it can keep. What it finds is
 * touched without a reading of the tree, so that of a store whose map has a bound it stays small.
 */
#ifndef ST_TABLE_BLOCK_CACHE_H
#define ST_TABLE_BLOCK_CACHE_H

#include "table/row_tree.h"

/** Ownership: freed with st_block_cache_free(). NULL is an empty one. */
typedef struct st_block_cache st_block_cache;

/** A cache that does not grow. NULL if there is no memory for it. */
st_block_cache *st_block_cache_make_small(void);

/** Adds the block that holds `key`, found in that tree epoch. `*owner` is the cache, which is made when it is NULL, and
 * replaced when it grows; `tables` is the number of tables. Does nothing if there is no memory for it. */
void st_block_cache_add(st_block_cache **owner, uint64_t epoch, uint32_t tables, uint32_t table,
                        const st_stored_block *block, uint64_t key);

/** Finds the block that holds `key`, if the cache has it. */
bool st_block_cache_find(st_block_cache *cache, uint64_t epoch, uint32_t table, uint64_t key, st_stored_block *out);

void st_block_cache_free(st_block_cache *cache);

#endif
