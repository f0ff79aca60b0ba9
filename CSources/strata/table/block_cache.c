/* SPDX-License-Identifier: MIT
 * block_cache.c -- where blocks of rows were found in the tree. */
#include "table/block_cache.h"

#include <stdlib.h>

enum { BLOCKS_OF_SET = 2, FEWEST_SETS = 32, MOST_SETS = 32768 };

/* A block that was found. Object keys have 48 bits. */
typedef struct known {
    const uint8_t *data;
    uint64_t first : 48, table : 16;
    uint64_t bound : 48, generation : 16;
    size_t size;
} known;

struct st_block_cache {
    uint64_t epoch;      /* of the trees, which `generation` stands for */
    uint16_t generation; /* never 0 */
    uint32_t sets;       /* a power of two */
    uint32_t misses;     /* of this generation */
    uint32_t tables;
    uint8_t *shifts;     /* per table: lower bits of keys that are not looked at */
    known blocks[];      /* those of a set side by side, the one found last in front */
};

void st_block_cache_free(st_block_cache *cache) { free(cache); }

static st_block_cache *make(uint64_t epoch, uint32_t tables, uint32_t sets) {
    size_t blocks = (size_t)sets * BLOCKS_OF_SET * sizeof(known);
    st_block_cache *cache = calloc(1, sizeof *cache + blocks + tables);
    if (cache == NULL) return NULL;
    cache->epoch = epoch;
    cache->generation = 1;
    cache->sets = sets;
    cache->tables = tables;
    cache->shifts = (uint8_t *)cache->blocks + blocks;
    return cache;
}

/* What was found in another state of the trees holds no longer. */
static void renew(st_block_cache *cache, uint64_t epoch) {
    cache->epoch = epoch;
    cache->misses = 0;
    if (++cache->generation != 0) return;
    memset(cache->blocks, 0, (size_t)cache->sets * BLOCKS_OF_SET * sizeof(known));
    cache->generation = 1;
}

static known *set_of(st_block_cache *cache, uint32_t table, uint64_t key) {
    uint64_t place = (key >> cache->shifts[table]) + (uint64_t)table * UINT64_C(0x9E3779B1);
    return &cache->blocks[(place & (cache->sets - 1)) * BLOCKS_OF_SET];
}

bool st_block_cache_find(st_block_cache *cache, uint64_t epoch, uint32_t table, uint64_t key, st_stored_block *out) {
    if (cache == NULL || cache->epoch != epoch || table >= cache->tables) return false;
    known *set = set_of(cache, table, key);
    for (int i = 0; i < BLOCKS_OF_SET; i++) {
        const known *k = &set[i];
        if (k->generation != cache->generation || k->table != table || key < k->first || key > k->bound) continue;
        *out = (st_stored_block){ k->data, k->size, k->bound };
        return true;
    }
    return false;
}

/* Keys of a set span about one block of this table. Other blocks of it differ, so it changes by much or not at all. */
static void fit_shift(uint8_t *shift, uint32_t rows) {
    if (rows >> *shift < 4 && 2 * rows >> *shift > 0) return;
    for (*shift = 0; rows >> *shift > 1;) ++*shift;
}

void st_block_cache_add(st_block_cache **place, uint64_t epoch, uint32_t tables, uint32_t table,
                        const st_stored_block *block, uint64_t key) {
    st_block_cache *cache = *place;
    if (cache != NULL && cache->epoch != epoch) renew(cache, epoch);
    bool full = cache == NULL || (cache->misses > 2 * cache->sets && cache->sets < MOST_SETS);
    if (full || table >= cache->tables) {
        uint32_t sets = cache == NULL ? FEWEST_SETS : full ? 4 * cache->sets : cache->sets;
        st_block_cache *larger = make(epoch, tables, sets);
        if (larger == NULL || table >= larger->tables) {
            free(larger);
            return;
        }
        free(cache);
        *place = cache = larger;
    }
    cache->misses++;
    fit_shift(&cache->shifts[table], strata_block_rows(block->data));
    known *set = set_of(cache, table, key);
    set[1] = set[0];
    set[0] = (known){ .data = block->data, .size = block->size, .first = strata_block_first(block->data) & ST_KEY_MAX,
                      .table = (uint16_t)table, .bound = block->bound & ST_KEY_MAX,
                      .generation = cache->generation };
}
