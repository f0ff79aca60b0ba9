/* SPDX-License-Identifier: MIT
 *
 * index_scan.h -- an index scan: the entries of an index in a range, and the rows of their objects.
 *
 * Entries are fetched a few at a time, all of one posting block, and their rows are found together (see rows.h). The
 * entry that was handed out last is remembered by its value and key, so that the scan can go on after the index and the
 * rows have moved. A view that reads tells the scan before they move. While a view writes, any change may move them:
 * then entries are fetched one at a time, and each is remembered at once.
 */
#ifndef ST_OBJECT_INDEX_SCAN_H
#define ST_OBJECT_INDEX_SCAN_H

#include "object/rows.h"

typedef struct st_index_scan {
    st_posting_set set;
    st_posting_range range;   /* what is left of it: brought up to date when `postings` is opened again */
    bool backward;
    bool too_long;            /* an entry had a longer value than there can be */
    uint64_t tree_epoch;      /* `postings` and `rows` are good while this is the view's */
    st_posting_cursor *postings;
    strata_bytes last_value;  /* of the entry that was handed out last, in `last_bytes` */
    uint64_t last_key;
    uint64_t last_copies;     /* how many entries equal to it were handed out: an object may link repeatedly */
    uint8_t last_bytes[ST_MAX_KEY];
    uint32_t remembered;      /* how many of `rows` are behind what is remembered */
    uint32_t handed_out, count; /* of `rows` */
    st_row_ref rows[ST_ROWS_AT_ONCE];
} st_index_scan;

/** The next object whose key is less than `limit` and that is still there. STRATA_OK or STRATA_END. The bytes of the
 * range that a scan begins with belong to the caller. */
strata_status st_index_scan_next(st_index_scan *scan, strata_view *view, uint32_t table, uint64_t limit,
                                 st_row_ref *out, strata_error *error);

/** Lets go of the transaction of the view, which is still open. */
void st_index_scan_detach(st_index_scan *scan);

#endif
