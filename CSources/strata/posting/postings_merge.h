/* SPDX-License-Identifier: MIT
 *
 * postings_merge.h -- merges one block of postings and sorted changes into a list of entries.
 */
#ifndef ST_POSTING_POSTINGS_MERGE_H
#define ST_POSTING_POSTINGS_MERGE_H

#include "posting/postings_work.h"

/** Merges a block and the changes before index `end` into the list. A view without runs stands for no block. */
strata_status st_postings_merge(st_postings_work *work, const st_posting_view *view, size_t end);

#endif
