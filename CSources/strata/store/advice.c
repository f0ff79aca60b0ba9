/* SPDX-License-Identifier: MIT
 * advice.c -- what the system is told of how the map will be read. */
#define _GNU_SOURCE 1
#include "store/advice.h"

#include <sys/mman.h>

/* One of so many pages is read at random before the system reads ahead. Measured on a disk that reads 1 GB/s in order
 * and a page at random in 130 microseconds: there half as many would take as long as reading everything. */
enum { PAGES_PER_READING = 64, LEAST = 8 };

/* Only speed depends on it. */
static void advise(const strata_store *store, int advice) {
    (void)madvise((void *)(uintptr_t)store->map, store->map_size, advice);
}

void st_advice_begin(strata_store *store, uint64_t pages) {
    int64_t patience = (int64_t)(pages / PAGES_PER_READING);
    if (store->memory_name != NULL || patience < LEAST) return; /* a small file is read in a few readings anyway */
    advise(store, MADV_RANDOM);
    atomic_store_explicit(&store->patience, patience, memory_order_relaxed);
}

void st_advice_spend(strata_store *store, int64_t left) {
    atomic_store_explicit(&store->patience, left, memory_order_relaxed);
    if (left <= 0) advise(store, MADV_NORMAL); /* perhaps on several threads, which does no harm */
}
