/* SPDX-License-Identifier: MIT
 *
 * postings.h -- an ordered multiset of (value, object key), kept in posting blocks of a tree.
 *
 * Serves secondary indexes, primary keys and links alike: a link index maps the target's key (8 bytes,
 * big-endian) to the keys of the objects that link to it. The values of one set have at most ST_MAX_KEY bytes, and
 * none is a prefix of another one.
 */
#ifndef ST_POSTING_POSTINGS_H
#define ST_POSTING_POSTINGS_H

#include "base/buffer.h"
#include "base/sort.h"
#include "value/key.h"
#include "posting/posting.h"
#include "store/store.h"

/** Which set: a tree (ST_INDEX or ST_LINKS) and the id within it. */
typedef struct st_posting_set {
    st_tree tree;
    uint32_t id;
} st_posting_set;

/* ---- Changes ---------------------------------------------------------- */

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

/**
 * Sorts the changes, lets pairs that undo each other cancel, and merges the rest into the blocks of `set`, each
 * block read and written once. The batch is then empty, and its memory free.
 *
 * Fails: STRATA_CORRUPT if an entry to remove is not there, and as st_tree_put() does.
 */
strata_status st_postings_apply(st_txn *writer, st_posting_set set, st_posting_batch *batch, strata_error *error);

/** Removes the whole set. */
strata_status st_postings_clear(st_txn *writer, st_posting_set set, strata_error *error);

/* ---- Reading ---------------------------------------------------------- */

/** The entries from (low, low_key) inclusive to (high, high_key) exclusive. A bound with `data` NULL is none. A bound
 * that no value can be equal to, such as the first bytes of a string, has the key 0. */
typedef struct st_posting_range {
    strata_bytes low, high;
    uint64_t low_key, high_key;
} st_posting_range;

/** All entries of one value. */
static inline st_posting_range st_posting_range_of(strata_bytes value) {
    st_posting_range range = { value, value, 0, UINT64_MAX };
    return range;
}

/** Walks the whole set and checks that its blocks are valid, named after their last entries and in order.
 * Fails: STRATA_CORRUPT with the first contradiction found. */
strata_status st_postings_check(st_txn *txn, st_posting_set set, uint64_t *out_entries, uint64_t *out_blocks,
                                strata_error *error);

/** How many entries a range has: whole blocks are counted by their headers. */
strata_status st_postings_count(st_txn *txn, st_posting_set set, const st_posting_range *range, uint64_t *out,
                                strata_error *error);

/** The block in which entries were counted last: those of neighbouring values are counted in it without the tree. */
typedef struct st_postings_place {
    st_posting_set set;
    uint64_t epoch; /* of the trees, while which it is good; 0 = none */
    st_posting_view block;
} st_postings_place;

/** How many entries a value has. `place` is the caller's, who zeroes it at first; `epoch` changes with the trees. */
strata_status st_postings_count_value(st_txn *txn, st_posting_set set, strata_bytes value, st_postings_place *place,
                                      uint64_t epoch, uint64_t *out, strata_error *error);

/** The key of the first entry of a range; STRATA_NOT_FOUND if it is empty. Allocates nothing. */
strata_status st_postings_first(st_txn *txn, st_posting_set set, const st_posting_range *range, uint64_t *out_key,
                                strata_error *error);

typedef struct st_posting_cursor st_posting_cursor;

/** Ownership: closed by the caller before its transaction ends. A change of the set makes it unusable. The bytes
 * of the range are copied. */
strata_status st_posting_cursor_open(st_txn *txn, st_posting_set set, const st_posting_range *range, bool backward,
                                     st_posting_cursor **out, strata_error *error);
/** Begins anew with another range of the same set. */
void st_posting_cursor_restart(st_posting_cursor *cursor, const st_posting_range *range, bool backward);
void st_posting_cursor_close(st_posting_cursor *cursor);

/** The next entry. `value` may be NULL; its bytes are good until the next call. STRATA_OK or STRATA_END. */
strata_status st_posting_cursor_next(st_posting_cursor *cursor, uint64_t *out_key, strata_bytes *value,
                                     strata_error *error);
/** Up to `size` next keys of one block, at least one: without their values, for which st_posting_cursor_value() may be
 * asked. STRATA_OK or STRATA_END. */
strata_status st_posting_cursor_some(st_posting_cursor *cursor, uint64_t *out_keys, size_t size, size_t *out_count,
                                     strata_error *error);
/** The value of the entry so many before the one that comes next, 1 for the last one, among those that the last call of
 * st_posting_cursor_some() gave. Its bytes are good until the next call. */
strata_bytes st_posting_cursor_value(st_posting_cursor *cursor, uint32_t before);
/** Up to `size` next keys at once, without their values; `*out_count` is 0 at the end. */
strata_status st_posting_cursor_keys(st_posting_cursor *cursor, uint64_t *out_keys, size_t size, size_t *out_count,
                                     strata_error *error);

#endif
