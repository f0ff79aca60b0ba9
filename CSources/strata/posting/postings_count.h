/* SPDX-License-Identifier: MIT
 *
 * postings_count.h -- how many entries of a set are in a range.
 */
#ifndef ST_POSTING_POSTINGS_COUNT_H
#define ST_POSTING_POSTINGS_COUNT_H

#include "posting/postings_find.h"

/** The number of entries in a range. All entries of one value are counted by its total, if it has one, and so is a
 * value with very many of them inside of the range. Other blocks that are in the range as a whole are counted by their
 * headers. Fails: STRATA_CORRUPT, also if there are more than there can be. */
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

#endif
