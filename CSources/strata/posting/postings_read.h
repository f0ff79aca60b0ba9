/* SPDX-License-Identifier: MIT
 *
 * postings_read.h -- counting and walking the entries of a set.
 */
#ifndef ST_POSTING_POSTINGS_READ_H
#define ST_POSTING_POSTINGS_READ_H

#include "posting/postings_set.h"
#include "store/handle.h"

/** The entries from (low, low_key), included, to (high, high_key), excluded. A bound whose `data` is NULL is no limit.
 * A bound that no value can be equal to, such as the first bytes of a string, has the key 0. */
typedef struct st_posting_range {
    strata_bytes low, high;
    uint64_t low_key, high_key;
} st_posting_range;

/** All entries of one value. */
static inline st_posting_range st_posting_range_of(strata_bytes value) {
    st_posting_range range = { value, value, 0, UINT64_MAX };
    return range;
}

/** The number of entries in a range. Blocks that are in the range as a whole are counted by their headers, and a single
 * value, and one with very many entries, by its total, whatever their number. */
strata_status st_postings_count(st_txn *txn, st_posting_set set, const st_posting_range *range, uint64_t *out,
                                strata_error *error);

/** The block in which entries were counted last. Entries of neighbouring values can be counted there without searching
 * the tree. */
typedef struct st_postings_position {
    st_posting_set set;
    uint64_t epoch; /* the position is valid while the trees have this epoch; 0: there is no position */
    st_posting_view block;
} st_postings_position;

/** The number of entries of a value. `position` is kept by the caller, who sets it to zero at first. `epoch` changes
 * with every change of the trees. */
strata_status st_postings_count_value(st_txn *txn, st_posting_set set, strata_bytes value,
                                      st_postings_position *position, uint64_t epoch, uint64_t *out,
                                      strata_error *error);

/** The key of the first entry of a range; STRATA_NOT_FOUND if it is empty. Allocates nothing. */
strata_status st_postings_first(st_txn *txn, st_posting_set set, const st_posting_range *range, uint64_t *out_key,
                                strata_error *error);

typedef struct st_posting_cursor st_posting_cursor;

/** Ownership: closed by the caller before the transaction ends. After a change of the set the cursor must not be used.
 * The bytes of the range are copied. */
strata_status st_posting_cursor_open(st_txn *txn, st_posting_set set, const st_posting_range *range, bool backward,
                                     st_posting_cursor **out, strata_error *error);
/** Starts again with another range of the same set. */
void st_posting_cursor_restart(st_posting_cursor *cursor, const st_posting_range *range, bool backward);
/** Opens a cursor if `*cursor` is NULL, and otherwise starts that one again, with another range of the same set. */
strata_status st_posting_cursor_begin(st_txn *txn, st_posting_set set, const st_posting_range *range, bool backward,
                                      st_posting_cursor **cursor, strata_error *error);
void st_posting_cursor_close(st_posting_cursor *cursor);

/** The next entry. `value` may be NULL; its bytes are valid until the next call. STRATA_OK or STRATA_END. */
strata_status st_posting_cursor_next(st_posting_cursor *cursor, uint64_t *out_key, strata_bytes *value,
                                     strata_error *error);
/** The keys of the next entries: at least one, at most `size`, all of one block. STRATA_OK or STRATA_END. */
strata_status st_posting_cursor_some(st_posting_cursor *cursor, uint64_t *out_keys, size_t size, size_t *out_count,
                                     strata_error *error);
/** The keys of the next entries, at most `size`. `*out_count` is 0 at the end. */
strata_status st_posting_cursor_keys(st_posting_cursor *cursor, uint64_t *out_keys, size_t size, size_t *out_count,
                                     strata_error *error);

#endif
