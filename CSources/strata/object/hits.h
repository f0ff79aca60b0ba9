/* SPDX-License-Identifier: MIT
 *
 * hits.h -- the entries of an index in some range, and where their objects are.
 *
 * Entries are taken from the index a few at a time, all of one posting block, and their rows are found together (see
 * rows.h). What was handed out last is remembered by its value and key, so that the walk can go on after the index and
 * the rows have moved: while a view reads, just before they do; while it writes, when changes may move them at any
 * time, with every entry, and then entries are taken one at a time.
 */
#ifndef ST_OBJECT_HITS_H
#define ST_OBJECT_HITS_H

#include "object/rows.h"
#include "posting/postings_read.h"

typedef struct st_hits {
    st_posting_set set;
    st_posting_range range;   /* what is left of it, when the set has moved */
    bool backward;
    bool too_long;            /* an entry had a longer value than there can be */
    uint64_t tree_epoch;      /* `postings` and `rows` are good while this is the view's */
    st_posting_cursor *postings;
    strata_bytes last_value;  /* of the entry handed out last, in `last_bytes` */
    uint64_t last_key;
    uint64_t last_copies;     /* how many equal entries were handed out in a row: an object may link repeatedly */
    uint8_t last_bytes[ST_MAX_KEY];
    uint32_t settled;         /* how many of `rows` the last one was found among */
    uint32_t taken, count;
    st_row_ref rows[ST_ROWS_AT_ONCE];
} st_hits;

/** The next object whose key is less than `limit` and that is still there. STRATA_OK or STRATA_END. The bytes of the
 * range, when it is begun, belong to the caller. */
strata_status st_hits_next(st_hits *hits, strata_view *view, uint32_t table, uint64_t limit, st_row_ref *out,
                           strata_error *error);

/** Lets go of the transaction of its view, which is still there. */
void st_hits_detach(st_hits *hits);

#endif
