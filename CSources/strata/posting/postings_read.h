/* SPDX-License-Identifier: MIT
 *
 * postings_read.h -- counting and walking the entries of a set.
 */
#ifndef ST_POSTING_POSTINGS_READ_H
#define ST_POSTING_POSTINGS_READ_H

#include "posting/postings_set.h"
#include "store/handle.h"

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

/** How many entries a range has: whole blocks are counted by their headers. */
strata_status st_postings_count(st_txn *txn, st_posting_set set, const st_posting_range *range, uint64_t *out,
                                strata_error *error);

/** The block in which entries were counted last: those of neighbouring values are counted in it without the tree. */
typedef struct st_postings_position {
    st_posting_set set;
    uint64_t epoch; /* of the trees, while which it is good; 0 = none */
    st_posting_view block;
} st_postings_position;

/** How many entries a value has. `position` is the caller's, who zeroes it at first; `epoch` changes with the trees. */
strata_status st_postings_count_value(st_txn *txn, st_posting_set set, strata_bytes value, st_postings_position *position,
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
