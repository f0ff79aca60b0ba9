/* SPDX-License-Identifier: MIT
 * postings_apply.h -- what the files that apply changes to postings share. */
#ifndef ST_TABLE_POSTINGS_APPLY_H
#define ST_TABLE_POSTINGS_APPLY_H

#include "base/sort.h"
#include "table/postings_name.h"

/** The changes of a batch, not empty, in order: item i is change `index`. NULL if there is no memory; otherwise the
 * caller frees it. */
st_sort_item *st_posting_batch_sort(const st_posting_batch *batch);

/** Order by value, then key. */
int st_posting_change_compare(const st_posting_change *a, const st_posting_change *b);

#endif
