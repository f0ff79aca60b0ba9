/* SPDX-License-Identifier: MIT
 * index_scan.c -- an index scan. */
#include "object/index_scan.h"

#include "base/status.h"

enum { FIRST_BATCH = 4 /* entries that are fetched first: a scan may end soon. Each later batch is twice as large */ };

/* ---- Remembering ------------------------------------------------------ */

/* Remembers an entry as the one that was handed out last. */
static void remember(st_index_scan *s, uint64_t key, strata_bytes value) {
    if (value.size > sizeof s->last_bytes) {
        s->too_long = true;
        return;
    }
    bool again = key == s->last_key && s->last_value.data != NULL && st_compare(value, s->last_value) == 0;
    memcpy(s->last_bytes, value.data, value.size);
    s->last_value = (strata_bytes){ s->last_bytes, value.size };
    s->last_key = key;
    s->last_copies = again ? s->last_copies + 1 : 1;
}

/* Remembers what was handed out since the last time: the last entry, and the equal ones before it, which are
 * counted. */
static void remember_last(st_index_scan *s) {
    uint32_t from = s->handed_out;
    if (from > s->remembered) from--;
    while (from > s->remembered && s->rows[from - 1].key == s->rows[from].key) from--;
    for (; from < s->handed_out; from++)
        remember(s, s->rows[from].key, st_posting_cursor_value(s->postings, s->count - from));
    s->remembered = s->handed_out;
}

void st_index_scan_detach(st_index_scan *s) {
    if (s->postings != NULL) remember_last(s);
    st_posting_cursor_close(s->postings);
    s->postings = NULL;
    s->handed_out = s->count = s->remembered = 0;
}

/* ---- Going on after a move -------------------------------------------- */

/* Narrows the range to what comes behind the entry that was handed out last. `*out_skip` is how many copies of it at
 * the beginning of the range were handed out, too. */
static strata_status narrow(st_index_scan *s, st_txn *txn, uint64_t *out_skip, strata_error *error) {
    st_posting_range one = { s->last_value, s->last_value, s->last_key, s->last_key + 1 };
    uint64_t copies;
    *out_skip = 0;
    if (s->last_value.data == NULL) return STRATA_OK;
    if (s->backward) {
        s->range.high = s->last_value;
        s->range.high_key = s->last_key;
        return STRATA_OK;
    }
    strata_status status = st_postings_count(txn, s->set, &one, &copies, error);
    bool more = copies > s->last_copies;
    s->range.low = s->last_value;
    s->range.low_key = more ? s->last_key : s->last_key + 1;
    if (more) *out_skip = s->last_copies;
    return status;
}

/* Opens the index where the scan goes on. */
static strata_status open_postings(st_index_scan *s, strata_view *view, strata_error *error) {
    uint64_t skip, key;
    st_index_scan_detach(s);
    strata_status status = narrow(s, view->txn, &skip, error);
    s->tree_epoch = view->tree_epoch;
    if (status == STRATA_OK)
        status = st_posting_cursor_open(view->txn, s->set, &s->range, s->backward, &s->postings, error);
    for (; skip > 0 && status == STRATA_OK; skip--)
        status = st_posting_cursor_next(s->postings, &key, NULL, error);
    return status;
}

/* ---- Moving ----------------------------------------------------------- */

/* Fetches the next entries, and finds their rows. */
static strata_status fetch(st_index_scan *s, strata_view *view, uint32_t table, strata_error *error) {
    uint64_t keys[ST_ROWS_AT_ONCE];
    size_t wanted = s->count < FIRST_BATCH ? FIRST_BATCH : 2 * (size_t)s->count, count;
    if (view->writes != NULL) wanted = 1;
    else if (wanted > ST_ROWS_AT_ONCE) wanted = ST_ROWS_AT_ONCE;
    remember_last(s);
    s->handed_out = s->count = s->remembered = 0;
    strata_status status = st_posting_cursor_some(s->postings, keys, wanted, &count, error);
    for (size_t i = 0; i < count; i++) s->rows[i].key = keys[i];
    if (status == STRATA_OK) status = st_rows_find(view, table, s->rows, count, error);
    if (status == STRATA_OK) s->count = (uint32_t)count;
    return status;
}

strata_status st_index_scan_next(st_index_scan *s, strata_view *view, uint32_t table, uint64_t limit, st_row_ref *out,
                                 strata_error *error) {
    for (;;) {
        strata_status status = STRATA_OK;
        if (s->tree_epoch != view->tree_epoch || s->postings == NULL) status = open_postings(s, view, error);
        if (status == STRATA_OK && s->handed_out == s->count) status = fetch(s, view, table, error);
        if (status != STRATA_OK) return status;
        *out = s->rows[s->handed_out++];
        if (view->writes != NULL) remember_last(s);
        if (s->too_long) return st_fail(error, STRATA_CORRUPT, 0, "an index entry is too long");
        if (out->key < limit && out->block != NULL) return STRATA_OK;
    }
}
