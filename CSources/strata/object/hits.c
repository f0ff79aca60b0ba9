/* SPDX-License-Identifier: MIT
 * hits.c -- the entries of an index in some range, and where their objects are. */
#include "object/hits.h"

#include "base/status.h"

enum { FIRST_BATCH = 4 }; /* of a walk that may end soon; each later one has twice as many */

/* ---- Remembering ------------------------------------------------------ */

/* Remembers an entry as the one handed out last. */
static void remember(st_hits *h, uint64_t key, strata_bytes value) {
    if (value.size > sizeof h->last_bytes) {
        h->too_long = true;
        return;
    }
    bool again = key == h->last_key && h->last_value.data != NULL && st_compare(value, h->last_value) == 0;
    memcpy(h->last_bytes, value.data, value.size);
    h->last_value = (strata_bytes){ h->last_bytes, value.size };
    h->last_key = key;
    h->last_copies = again ? h->last_copies + 1 : 1;
}

/* Remembers what was handed out. Equal entries, which follow each other, are all looked at, as copies are counted. */
static void settle(st_hits *h) {
    uint32_t from = h->taken;
    if (from > h->settled) from--;
    while (from > h->settled && h->rows[from - 1].key == h->rows[from].key) from--;
    for (; from < h->taken; from++)
        remember(h, h->rows[from].key, st_posting_cursor_value(h->postings, h->count - from));
    h->settled = h->taken;
}

void st_hits_detach(st_hits *h) {
    if (h->postings != NULL) settle(h);
    st_posting_cursor_close(h->postings);
    h->postings = NULL;
    h->taken = h->count = h->settled = 0;
}

/* ---- Finding the place again ------------------------------------------ */

/* Narrows the range to what comes behind the entry handed out last. `*out_skip` are further copies of it that were
 * handed out, too. */
static strata_status narrow(st_hits *h, st_txn *txn, uint64_t *out_skip, strata_error *error) {
    st_posting_range one = { h->last_value, h->last_value, h->last_key, h->last_key + 1 };
    uint64_t copies;
    *out_skip = 0;
    if (h->last_value.data == NULL) return STRATA_OK;
    if (h->backward) {
        h->range.high = h->last_value;
        h->range.high_key = h->last_key;
        return STRATA_OK;
    }
    strata_status status = st_postings_count(txn, h->set, &one, &copies, error);
    bool more = copies > h->last_copies;
    h->range.low = h->last_value;
    h->range.low_key = more ? h->last_key : h->last_key + 1;
    if (more) *out_skip = h->last_copies;
    return status;
}

static strata_status open_postings(st_hits *h, strata_view *view, strata_error *error) {
    uint64_t skip, key;
    st_hits_detach(h);
    strata_status status = narrow(h, view->txn, &skip, error);
    h->tree_epoch = view->tree_epoch;
    if (status == STRATA_OK)
        status = st_posting_cursor_open(view->txn, h->set, &h->range, h->backward, &h->postings, error);
    for (; skip > 0 && status == STRATA_OK; skip--)
        status = st_posting_cursor_next(h->postings, &key, NULL, error);
    return status;
}

/* ---- Moving ----------------------------------------------------------- */

/* Takes the next entries, and finds their rows. */
static strata_status take(st_hits *h, strata_view *view, uint32_t table, strata_error *error) {
    uint64_t keys[ST_ROWS_AT_ONCE];
    size_t wanted = h->count < FIRST_BATCH ? FIRST_BATCH : 2 * (size_t)h->count, count;
    if (view->writes != NULL) wanted = 1;
    else if (wanted > ST_ROWS_AT_ONCE) wanted = ST_ROWS_AT_ONCE;
    settle(h);
    h->taken = h->count = h->settled = 0;
    strata_status status = st_posting_cursor_some(h->postings, keys, wanted, &count, error);
    for (size_t i = 0; i < count; i++) h->rows[i].key = keys[i];
    if (status == STRATA_OK) status = st_rows_find(view, table, h->rows, count, error);
    if (status == STRATA_OK) h->count = (uint32_t)count;
    return status;
}

strata_status st_hits_next(st_hits *h, strata_view *view, uint32_t table, uint64_t limit, st_row_ref *out,
                           strata_error *error) {
    for (;;) {
        strata_status status = STRATA_OK;
        if (h->tree_epoch != view->tree_epoch || h->postings == NULL) status = open_postings(h, view, error);
        if (status == STRATA_OK && h->taken == h->count) status = take(h, view, table, error);
        if (status != STRATA_OK) return status;
        *out = h->rows[h->taken++];
        if (view->writes != NULL) settle(h);
        if (h->too_long) return st_fail(error, STRATA_CORRUPT, 0, "an index entry is too long");
        if (out->key < limit && out->block != NULL) return STRATA_OK;
    }
}
