/* SPDX-License-Identifier: MIT
 *
 * postings_batch.h -- changes to a set of postings, collected and sorted before they are applied.
 */
#ifndef ST_POSTING_POSTINGS_BATCH_H
#define ST_POSTING_POSTINGS_BATCH_H

#include "base/arena.h"
#include "base/sort.h"
#include "strata.h"

/** One change: `order` is the value as its bytes lie in memory if they are at most 8, otherwise their address; `index`
 * is the object key, the size of the value and whether an entry is added. So the most common changes are sorted as they
 * are, and a million of them take 16 MB. */
typedef st_sort_item st_posting_change;

enum { ST_POSTING_SHORT = 8 };

static inline uint64_t st_posting_change_key(const st_posting_change *change) { return change->index >> 16; }
static inline bool st_posting_change_added(const st_posting_change *change) { return (change->index & 1) != 0; }
static inline strata_bytes st_posting_change_value(const st_posting_change *change) {
    size_t size = change->index >> 1 & 0x7fff;
    const void *far = (const void *)(uintptr_t)change->order;
    return (strata_bytes){ size <= ST_POSTING_SHORT ? &change->order : far, size };
}

/** Changes to one set. Zero-initialised it is empty. */
typedef struct st_posting_batch {
    st_posting_change *changes;
    size_t count, capacity;
    st_arena values; /* the long ones */
} st_posting_batch;

/** Bytes that the changes take. */
static inline size_t st_posting_batch_memory(const st_posting_batch *batch) {
    return batch->count * sizeof *batch->changes + batch->values.total;
}

/** Adds a change; the bytes of `value` are copied. False if there is no memory. */
bool st_posting_batch_add(st_posting_batch *batch, strata_bytes value, uint64_t key, bool added);
void st_posting_batch_free(st_posting_batch *batch);

/** Sorts the changes of a batch, not empty, by value, then key. False if there is no memory. */
bool st_posting_batch_sort(st_posting_batch *batch);

#endif
