/* SPDX-License-Identifier: MIT
 *
 * advice.h -- what the system is told of how the map will be read.
 *
 * The system answers the first touch of a page that is not in memory by reading much around it. Whoever reads a whole
 * table wants that; whoever opens a large file and looks a few objects up waits for megabytes that nobody asked for. So
 * a store begins without it, and each reading at random is counted; as soon as they have cost about as much as reading
 * the whole file at once, the system reads ahead until the store is closed. Steps from entry to entry count for more,
 * since what follows is read next. So a wrong guess costs no more than a right one would have saved.
 */
#ifndef ST_STORE_ADVICE_H
#define ST_STORE_ADVICE_H

#include "store/state.h"

/** What a step to the neighbour of an entry counts for; a search counts for one. */
enum { ST_ADVICE_STEP = 16 };

/** Before anything is read through the map of a store, which has so many pages. */
void st_advice_begin(strata_store *store, uint64_t pages);
/** Takes note of a reading, after which `left` of them may follow before the system reads ahead. */
void st_advice_spend(strata_store *store, int64_t left);

/** A page was read that may not be in memory. Any thread. */
static inline void st_advice_note(strata_store *store, int64_t count) {
    int64_t left = atomic_load_explicit(&store->patience, memory_order_relaxed);
    if (__builtin_expect(left > 0, 0)) st_advice_spend(store, left - count);
}

#endif
