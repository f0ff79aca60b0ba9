/* SPDX-License-Identifier: MIT
 *
 * postings_find.h -- ranges of a set, the blocks that have entries of them, and which part of a block that is.
 */
#ifndef ST_POSTING_POSTINGS_FIND_H
#define ST_POSTING_POSTINGS_FIND_H

#include "posting/postings_set.h"
#include "posting/postings_total.h"
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

/** Are both bounds the same bytes? Then the range has one value only. */
static inline bool st_posting_range_is_of_one(const st_posting_range *range) {
    return range->low.data != NULL && range->low.data == range->high.data && range->low.size == range->high.size;
}

/** True if no entry can be in the range. */
bool st_posting_range_is_empty(const st_posting_range *range);

/** The entries of a block that are in the range: from `*out_from` to `*out_to`, excluded. */
void st_posting_range_part(const st_posting_view *view, const st_posting_range *range, uint32_t *out_from,
                           uint32_t *out_to);

/** A total that was found before a block. */
typedef struct st_found_total {
    strata_bytes name;
    uint64_t entries; /* 0: there is none */
    uint32_t passed;  /* totals before the block; several only while changes are merged, and in damaged trees */
} st_found_total;

/** The first block whose name is not less than `from`. Returns as st_tree_seek() does. */
strata_status st_postings_seek(st_txn *txn, st_posting_set set, const st_postings_name *from, strata_bytes *name,
                               strata_bytes *block, strata_error *error);
/** Moves on from a total that st_tree_seek() or st_tree_next() found to the block that it stands before. Returns as
 * st_tree_next() does, and STRATA_CORRUPT if so many totals follow each other that a search would take long. */
strata_status st_postings_skip_total(st_txn *txn, st_posting_set set, strata_bytes *name, strata_bytes *block,
                                     st_found_total *out, strata_error *error);
/** The view of a block that was found. Fails: STRATA_CORRUPT. */
strata_status st_postings_open_block(st_posting_set set, strata_bytes name, strata_bytes block, st_posting_view *out,
                                     strata_error *error);

/** Fails with STRATA_CORRUPT and a message that names the set and says what is wrong. */
strata_status st_postings_damaged(st_posting_set set, strata_error *error, const char *what);

#endif
