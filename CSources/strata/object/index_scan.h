/* SPDX-License-Identifier: MIT
 *
 * index_scan.h -- an index scan: the entries of an index in a range, and the rows of their objects.
 *
 * A scan walks over what was in the index when it was opened. It reads ahead a few entries at a time, all of one
 * posting block, and their rows are found together (see rows.h). Before the index changes, or the view moves to another
 * commit, the rest of the keys is read: an object whose value the program changes on the way may have another place in
 * the index then, behind the scan or ahead of it, and is still visited once.
 */
#ifndef ST_OBJECT_INDEX_SCAN_H
#define ST_OBJECT_INDEX_SCAN_H

#include "base/buffer.h"
#include "object/rows.h"
#include "posting/postings_read.h"

typedef struct st_index_scan {
    st_posting_set set;
    st_posting_range range;      /* its bytes belong to the caller */
    bool backward;
    bool kept;                   /* the rest of the keys was read: it is in `keys` */
    uint64_t tree_epoch;         /* `rows` are where they were found while this is the view's */
    st_posting_cursor *postings; /* NULL before the first entry, and when the rest is kept */
    st_buffer keys;
    size_t next_key;             /* in `keys` */
    uint32_t handed_out, count;  /* of `rows` */
    st_row_ref rows[ST_ROWS_AT_ONCE];
} st_index_scan;

/** The next object whose key is less than `limit` and that is still there. STRATA_OK or STRATA_END. */
strata_status st_index_scan_next(st_index_scan *scan, strata_view *view, uint32_t table, uint64_t limit,
                                 st_row_ref *out, strata_error *error);

/** Appends the keys of what is left, also of objects that are not there any more. */
strata_status st_index_scan_rest(st_index_scan *scan, strata_view *view, st_buffer *keys, strata_error *error);
/** Takes keys for what is left of the scan, 8 bytes each, and lets go of the index. */
void st_index_scan_keep(st_index_scan *scan, st_buffer *keys);
/** Forgets the rows that were read ahead, of a scan that is kept: their keys come next. */
void st_index_scan_put_back(st_index_scan *scan);
/** Frees what the scan holds. */
void st_index_scan_close(st_index_scan *scan);

#endif
