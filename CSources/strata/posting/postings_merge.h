/* SPDX-License-Identifier: MIT
 *
 * postings_merge.h -- merges one block of postings and sorted changes into a list of entries.
 */
#ifndef ST_POSTING_POSTINGS_MERGE_H
#define ST_POSTING_POSTINGS_MERGE_H

#include "posting/postings_work.h"

/** Merges a block, or none if it has no runs, and the changes before `end` into the list. */
strata_status st_postings_merge(st_postings_work *work, const st_posting_view *view, size_t end);

/** Fails with STRATA_CORRUPT: the set and `what` is wrong with it. */
strata_status st_postings_damaged(const st_postings_work *work, const char *what);

#endif
