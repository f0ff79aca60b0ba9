/* SPDX-License-Identifier: MIT
 *
 * postings_check.h -- checks a whole set of postings.
 */
#ifndef ST_POSTING_POSTINGS_CHECK_H
#define ST_POSTING_POSTINGS_CHECK_H

#include "posting/postings_set.h"
#include "store/handle.h"

/** Reads the whole set and checks that its blocks are valid, have the right names, and are in order, and that its
 * totals are right.
 * Fails: STRATA_CORRUPT with the first contradiction found. */
strata_status st_postings_check(st_txn *txn, st_posting_set set, uint64_t *out_entries, uint64_t *out_blocks,
                                strata_error *error);

#endif
