/* SPDX-License-Identifier: MIT
 * block_cache.c -- where blocks of rows were found in the tree. */
#include "table/block_cache.h"

#include <stdlib.h>

enum { BLOCKS_OF_SET = 2, FEWEST_SETS = 32, MOST_SETS = 32768 };

/* A block that was found. Object keys have 48 bits. */
typedef struct cached_block {
    const uint8_t *data;
    uint64_t first : 48, table : 16;
    uint64_t bound : 48, generation : 16;
    size_t size;
} cached_block;

struct st_block_cache {
    uint64_t epoch;      /* the tree epoch of this generation */
    uint16_t generation; /* blocks of another one do not count; never 0 */
    uint32_t sets, most; /* a power of two, and what it may become */
    uint32_t misses;     /* in this generation */
    uint32_t tables;
    uint8_t *shifts;     /* per table: how many lower bits of keys are left out */
    cached_block blocks[]; /* those of a set side by side, the one found last in front */
};

void st_block_cache_free(st_block_cache *cache) { free(cache); }

static st_block_cache *make(uint64_t epoch, uint32_t tables, uint32_t sets, uint32_t most) {
    size_t blocks = (size_t)sets * BLOCKS_OF_SET * sizeof(cached_block);
    st_block_cache *cache = calloc(1, sizeof *cache + blocks + tables);
    if (cache == NULL) return NULL;
    cache->epoch = epoch;
    cache->generation = 1;
    cache->sets = sets;
    cache->most = most;
    cache->tables = tables;
    cache->shifts = (uint8_t *)cache->blocks + blocks;
    return cache;
}

st_block_cache *st_block_cache_make_small(void) { return make(0, 0, FEWEST_SETS, FEWEST_SETS); }

/* Begins a generation: what was found in another state of the trees holds no longer. */
static void begin_generation(st_block_cache *cache, uint64_t epoch) {
    cache->epoch = epoch;
    cache->misses = 0;
    if (++cache->generation != 0) return;
    memset(cache->blocks, 0, (size_t)cache->sets * BLOCKS_OF_SET * sizeof(cached_block));
    cache->generation = 1;
}

/* The set of a key; tables are kept apart by a multiplicative hash. */
static cached_block *set_of(st_block_cache *cache, uint32_t table, uint64_t key) {
    uint64_t hash = (key >> cache->shifts[table]) + (uint64_t)table * UINT64_C(0x9E3779B1);
    return &cache->blocks[(hash & (cache->sets - 1)) * BLOCKS_OF_SET];
}

bool st_block_cache_find(st_block_cache *cache, uint64_t epoch, uint32_t table, uint64_t key, st_stored_block *out) {
    if (cache == NULL || cache->epoch != epoch || table >= cache->tables) return false;
    cached_block *set = set_of(cache, table, key);
    for (int i = 0; i < BLOCKS_OF_SET; i++) {
        const cached_block *k = &set[i];
        if (k->generation != cache->generation || k->table != table || key < k->first || key > k->bound) continue;
        *out = (st_stored_block){ k->data, k->size, k->bound };
        return true;
    }
    return false;
}

/* Lets the keys of a set span about one block. Blocks of a table differ: the shift stays unless it is off by a factor
 * of two at least. */
static void fit_shift(uint8_t *shift, uint32_t rows) {
    if (rows >> *shift < 4 && 2 * rows >> *shift > 0) return;
    for (*shift = 0; rows >> *shift > 1;) ++*shift;
}

void st_block_cache_add(st_block_cache **owner, uint64_t epoch, uint32_t tables, uint32_t table,
                        const st_stored_block *block, uint64_t key) {
    st_block_cache *cache = *owner;
    if (cache != NULL && cache->epoch != epoch) begin_generation(cache, epoch);
    bool full = cache == NULL || (cache->misses > 2 * cache->sets && cache->sets < cache->most);
    if (full || table >= cache->tables) {
        uint32_t sets = cache == NULL ? FEWEST_SETS : full ? 4 * cache->sets : cache->sets;
        st_block_cache *larger = make(epoch, tables, sets, cache == NULL ? MOST_SETS : cache->most);
        if (larger == NULL || table >= larger->tables) {
            free(larger);
            return;
        }
        free(cache);
        *owner = cache = larger;
    }
    cache->misses++;
    fit_shift(&cache->shifts[table], strata_block_rows(block->data));
    cached_block *set = set_of(cache, table, key);
    set[1] = set[0];
    set[0] = (cached_block){ .data = block->data, .size = block->size, .table = (uint16_t)table,
                             .first = strata_block_first(block->data) & ST_KEY_MAX,
                             .bound = block->bound & ST_KEY_MAX, .generation = cache->generation };
}
