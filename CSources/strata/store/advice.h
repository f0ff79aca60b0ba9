/* SPDX-License-Identifier: MIT
 *
 * advice.h -- what the system is told of the map: how it will be read, and what of it is not needed any more.
 *
 * The system answers the first touch of a page that is not in memory by reading much around it. Whoever reads a whole
 * table wants that; whoever opens a large file and looks a few objects up waits for megabytes that nobody asked for. So
 * a store begins without it, and each reading at random is counted; as soon as they have cost about as much as reading
 * the whole file at once, the system reads ahead until the store is closed. Steps from entry to entry count for more,
 * since what follows is read next. So a wrong guess costs no more than a right one would have saved.
 *
 * Pages that were touched count as memory of the process until the map is closed. If that has a bound
 * (strata_config.max_resident), the system is asked how much it is whenever the pages that were visited since may have
 * brought what was left of the bound; when it is used up, the map is given back. LMDB only reads the map and writes the
 * file by itself, so nothing in it can be lost, and pointers into it stay good: the next touch brings the page back. So
 * this may happen at any reading, while other threads read.
 */
#ifndef ST_STORE_ADVICE_H
#define ST_STORE_ADVICE_H

#include "store/state.h"

/** What a step to the neighbour of an entry counts for; a search counts for one. */
enum { ST_ADVICE_STEP = 16 };

/** Before anything is read through the map of a store, which has so many pages. */
void st_advice_begin(strata_store *store, uint64_t pages);
/** Takes note of so many readings at random, and of pages of which some are touched for the first time. */
void st_advice_count(strata_store *store, int64_t readings, int64_t pages);

/* Any thread. Where nobody counts, these cost a load and a branch. */

static inline void st_advice_note(strata_store *store, int64_t readings, int64_t pages) {
    if (__builtin_expect(atomic_load_explicit(&store->advice.counts, memory_order_relaxed), 0))
        st_advice_count(store, readings, pages);
}
/** An entry is searched for, on pages that may not be in memory: a leaf, and one of its value. */
static inline void st_advice_note_search(strata_store *store) { st_advice_note(store, 1, 2); }
/** The neighbour of an entry is read. */
static inline void st_advice_note_step(strata_store *store) { st_advice_note(store, ST_ADVICE_STEP, 1); }
/** So many pages follow those that were read. */
static inline void st_advice_note_pages(strata_store *store, uint64_t pages) {
    st_advice_note(store, 0, (int64_t)pages);
}

#endif
