/* SPDX-License-Identifier: MIT
 * postings_apply.h -- what the files that apply changes to postings share. */
#ifndef ST_POSTING_POSTINGS_APPLY_H
#define ST_POSTING_POSTINGS_APPLY_H

#include "posting/posting_build.h"
#include "posting/posting_edit.h"
#include "posting/postings_name.h"

/** Sorts the changes of a batch, not empty, by value, then key. False if there is no memory. */
bool st_posting_batch_sort(st_posting_batch *batch);

/** Changes being applied to a set. */
typedef struct st_postings_work {
    st_txn *writer;
    st_posting_set set;
    strata_error *error;
    const st_posting_change *changes; /* sorted */
    size_t next, count;       /* of them */

    st_posting_list list;     /* entries not yet written back */
    st_arena values, spare;   /* the values of `list` that come from blocks */
    size_t block_size;
    uint8_t *block;           /* a block being written */

    st_postings_name name;    /* of the block read last */
    bool name_in_tree;        /* it still stands there */
    bool open;                /* it was the open-ended one, or there was none */
    bool append;              /* it only got entries behind its own */
    bool heavy;               /* it got many changes */
    bool shrunk;              /* it lost entries */
} st_postings_work;

strata_status st_postings_damaged(const st_postings_work *work, const char *what);

/** Merges a block, or none if it has no runs, and the changes before `end` into the list. */
strata_status st_postings_merge(st_postings_work *work, const st_posting_view *view, size_t end);

#endif
