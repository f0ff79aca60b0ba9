/* SPDX-License-Identifier: MIT
 *
 * postings_work.h -- a batch of changes that is being merged into the blocks of a set.
 */
#ifndef ST_POSTING_POSTINGS_WORK_H
#define ST_POSTING_POSTINGS_WORK_H

#include "base/arena.h"
#include "posting/posting_build.h"
#include "posting/postings_batch.h"
#include "posting/postings_name.h"
#include "posting/postings_set.h"
#include "store/handle.h"

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

#endif
