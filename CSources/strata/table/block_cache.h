/* SPDX-License-Identifier: MIT
 *
 * block_cache.h -- where blocks of rows were found in the tree, for lookups in no order.
 *
 * What is remembered holds for one tree epoch of the view. Blocks are kept in sets of two, by the object keys they
 * cover: keys that share their upper bits share a set, and so many bits are dropped that a set has about one block to
 * remember. It is small at first and grows while more is looked up than it can keep, up to a limit.
 */
#ifndef ST_TABLE_BLOCK_CACHE_H
#define ST_TABLE_BLOCK_CACHE_H

#include "table/view.h"

/** Remembers the block that holds `key`. Without memory for it, does nothing. */
void st_block_cache_add(strata_view *view, uint32_t table, const st_stored_block *block, uint64_t key);

/** Finds the block that holds `key`, if it is remembered. */
bool st_block_cache_find(strata_view *view, uint32_t table, uint64_t key, st_stored_block *out);

void st_block_cache_free(struct st_block_cache *cache);

#endif
