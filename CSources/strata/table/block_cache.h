/* SPDX-License-Identifier: MIT
 *
 * block_cache.h -- where blocks of rows were found in the tree, for lookups in no order.
 *
 * What is cached holds for one tree epoch of the view. Blocks are kept in sets of two, by the object keys they cover:
 * keys that share their upper bits share a set, and so many lower bits are left out that a set has about one block to
 * keep. The cache is small at first, and grows up to a limit while more is looked up than it can keep.
 */
#ifndef ST_TABLE_BLOCK_CACHE_H
#define ST_TABLE_BLOCK_CACHE_H

#include "table/row_tree.h"

typedef struct st_block_cache st_block_cache;

/** Adds the block that holds `key`, found in tree epoch `epoch`. Without memory for it, does nothing. `*cache` is NULL
 * at first; `tables` is how many tables there are. */
void st_block_cache_add(st_block_cache **cache, uint64_t epoch, uint32_t tables, uint32_t table,
                        const st_stored_block *block, uint64_t key);

/** Finds the block that holds `key`, if the cache has it. */
bool st_block_cache_find(st_block_cache *cache, uint64_t epoch, uint32_t table, uint64_t key, st_stored_block *out);

void st_block_cache_free(st_block_cache *cache);

#endif
