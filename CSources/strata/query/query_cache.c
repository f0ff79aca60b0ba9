/* SPDX-License-Identifier: MIT
 * query_cache.c -- queries that are prepared by themselves, when a second one of their shape is run. */
#include "query/query_cache.h"

#include <stdlib.h>

#include "base/status.h"
#include "query/query_copy.h"

strata_status strata_query_cache_make(strata_query_cache **out, strata_error *error) {
    strata_query_cache *cache = *out = calloc(1, sizeof *cache);
    if (cache == NULL) return st_no_memory(error, "making a cache of queries");
    atomic_flag_clear(&cache->busy);
    return STRATA_OK;
}

static void empty(st_cached_query *place) {
    free(place->words);
    strata_prepared_free(place->prepared);
    *place = (st_cached_query){ .used = 0 };
}

void strata_query_cache_free(strata_query_cache *cache) {
    if (cache == NULL) return;
    for (uint32_t s = 0; s < ST_CACHE_SETS; s++)
        for (uint32_t w = 0; w < ST_CACHE_WAYS; w++) empty(&cache->places[s][w]);
    free(cache);
}

/* ---- Finding ---------------------------------------------------------- */

static bool is_shape(const st_cached_query *place, const st_shape *shape) {
    return place->hash == shape->hash && place->count == shape->count && place->used != 0 &&
           memcmp(place->words, shape->words, shape->count * sizeof *shape->words) == 0;
}

/* Notes a shape in the place that was used longest ago; nothing if there is no memory. */
static void note(st_cached_query *set, const st_shape *shape, uint64_t call) {
    st_cached_query *place = set;
    for (uint32_t w = 1; w < ST_CACHE_WAYS; w++)
        if (set[w].used < place->used) place = &set[w];
    empty(place);
    uint64_t *words = malloc(shape->count * sizeof *words);
    if (words == NULL) return;
    memcpy(words, shape->words, shape->count * sizeof *words);
    *place = (st_cached_query){ .hash = shape->hash, .used = call, .words = words, .count = shape->count };
}

/* Prepares a query with its constants left open; NULL if that fails. */
static strata_prepared *prepare(strata_view *view, const strata_query *query) {
    strata_node nodes[ST_SHAPE_NODES];
    strata_query open = *query;
    strata_prepared *prepared;
    if (query->node_count != 0) open.nodes = nodes;
    for (uint32_t i = 0; i < query->node_count; i++) {
        nodes[i] = query->nodes[i];
        if (st_shape_leaves_open(&nodes[i])) nodes[i].options |= STRATA_PARAMETERS;
    }
    return strata_query_prepare(view, &open, &prepared, NULL) == STRATA_OK ? prepared : NULL;
}

/* The prepared query to run instead of a query, and its arguments in `shape`; NULL if it is to be run as it is. */
static strata_prepared *find(strata_query_cache *cache, strata_view *view, const strata_query *given,
                             st_shape *shape) {
    strata_query query;
    if (st_query_read(given, &query, NULL) != STRATA_OK || !st_shape_find(&query, shape)) return NULL;
    st_cached_query *set = cache->places[shape->hash % ST_CACHE_SETS];
    uint64_t call = ++cache->calls;
    for (uint32_t w = 0; w < ST_CACHE_WAYS; w++) {
        if (!is_shape(&set[w], shape)) continue;
        set[w].used = call;
        if (set[w].prepared == NULL) set[w].prepared = prepare(view, &query);
        return set[w].prepared;
    }
    note(set, shape, call);
    return NULL;
}

/* ---- Running ---------------------------------------------------------- */

/* Begins a call: nobody else may use it until done(). */
static strata_status take(strata_query_cache *cache, strata_error *error) {
    if (cache == NULL) return st_fail(error, STRATA_MISUSE, 0, "the cache of queries is NULL: making it failed");
    if (!atomic_flag_test_and_set_explicit(&cache->busy, memory_order_acquire)) return STRATA_OK;
    return st_fail(error, STRATA_MISUSE, 0, "a cache of queries is used by two calls at once; make one for each thread");
}

static void done(strata_query_cache *cache) { atomic_flag_clear_explicit(&cache->busy, memory_order_release); }

strata_status strata_query_cache_run_sized(strata_query_cache *cache, strata_view *view, const strata_query *query,
                                           strata_keys *out, strata_query_stats *stats, size_t stats_size,
                                           strata_error *error) {
    st_shape shape;
    *out = (strata_keys){ NULL, 0 };
    strata_status status = take(cache, error);
    if (status != STRATA_OK) return status;
    strata_prepared *prepared = find(cache, view, query, &shape);
    status = prepared == NULL ? strata_query_run_sized(view, query, out, stats, stats_size, error)
                              : strata_prepared_run_sized(prepared, view, shape.arguments, shape.argument_count, out,
                                                          stats, stats_size, error);
    done(cache);
    return status;
}

strata_status strata_query_cache_count_sized(strata_query_cache *cache, strata_view *view, const strata_query *query,
                                             uint64_t *out, strata_query_stats *stats, size_t stats_size,
                                             strata_error *error) {
    st_shape shape;
    *out = 0;
    strata_status status = take(cache, error);
    if (status != STRATA_OK) return status;
    strata_prepared *prepared = find(cache, view, query, &shape);
    status = prepared == NULL ? strata_query_count_sized(view, query, out, stats, stats_size, error)
                              : strata_prepared_count_sized(prepared, view, shape.arguments, shape.argument_count, out,
                                                            stats, stats_size, error);
    done(cache);
    return status;
}

uint32_t strata_query_cache_prepared(const strata_query_cache *cache) {
    uint32_t count = 0;
    if (cache == NULL) return 0;
    for (uint32_t s = 0; s < ST_CACHE_SETS; s++)
        for (uint32_t w = 0; w < ST_CACHE_WAYS; w++) count += cache->places[s][w].prepared != NULL;
    return count;
}
