/* SPDX-License-Identifier: MIT
 *
 * postings_work.h -- the state of a batch of changes that is being merged into the blocks of a set: see
 * postings_apply.c.
 */
#ifndef ST_POSTING_POSTINGS_WORK_H
#define ST_POSTING_POSTINGS_WORK_H

#include "base/arena.h"
#include "posting/posting_build.h"
#include "posting/postings_batch.h"
#include "posting/postings_name.h"
#include "posting/postings_set.h"
#include "store/handle.h"

/* Values whose totals may have to be changed: see postings_notes.h. In any order, some of them more than once. */
typedef struct st_postings_notes {
    strata_bytes *values;
    size_t count, capacity;
    st_arena memory;
} st_postings_notes;

typedef struct st_postings_work {
    st_txn *writer;
    st_posting_set set;
    strata_error *error;
    const st_posting_change *changes; /* sorted */
    size_t next, count;       /* the next change, and the number of changes */

    st_posting_list list;     /* entries that have not been written back */
    st_arena values, spare;   /* the values of `list` that come from blocks; `spare` is for carry() */
    st_postings_notes notes;
    bool moved;               /* a block went into the next one, or became the open-ended one */
    size_t block_size;
    uint8_t *block;           /* room for blocks that are being written: see st_postings_apply() */

    /* The block that was read last: */
    st_postings_name name;
    bool name_in_tree;        /* there is still an entry of the tree under this name */
    bool open;                /* it is the open-ended block, or there was no block */
    bool append;              /* it only gets entries after its own */
    bool heavy;               /* it gets many changes */
    bool shrunk;              /* it loses entries */
} st_postings_work;

#endif
