/* SPDX-License-Identifier: MIT
 *
 * postings_apply.h -- merges a batch of changes into the blocks of a set.
 */
#ifndef ST_POSTING_POSTINGS_APPLY_H
#define ST_POSTING_POSTINGS_APPLY_H

#include "posting/postings_batch.h"
#include "posting/postings_set.h"
#include "store/handle.h"

/**
 * Sorts the changes, lets pairs that undo each other cancel, and merges the rest into the blocks of `set`, each
 * block read and written once. The batch is then empty, and its memory free.
 *
 * Fails: STRATA_CORRUPT if an entry to remove is not there, and as st_tree_put() does.
 */
strata_status st_postings_apply(st_txn *writer, st_posting_set set, st_posting_batch *batch, strata_error *error);

/** Removes the whole set. */
strata_status st_postings_clear(st_txn *writer, st_posting_set set, strata_error *error);

#endif
