/* SPDX-License-Identifier: MIT
 * index_scan.c -- an index scan. */
#include "object/index_scan.h"

#include "base/status.h"

enum { FIRST_BATCH = 4 /* entries that are fetched first: a scan may end soon. Each later batch is twice as large */ };
enum { MOST_KEYS = 512 /* that are read at a time to keep the rest */ };

/* The next keys of the index, or of those that were kept. STRATA_OK or STRATA_END. */
static strata_status next_keys(st_index_scan *s, strata_view *view, uint64_t *keys, size_t wanted, size_t *out_count,
                               strata_error *error) {
    if (!s->kept) {
        strata_status status = STRATA_OK;
        if (s->postings == NULL)
            status = st_posting_cursor_open(view->txn, s->set, &s->range, s->backward, &s->postings, error);
        return status == STRATA_OK ? st_posting_cursor_some(s->postings, keys, wanted, out_count, error) : status;
    }
    size_t left = s->keys.size / sizeof *keys - s->next_key;
    *out_count = left < wanted ? left : wanted;
    if (left == 0) return STRATA_END;
    memcpy(keys, s->keys.data + s->next_key * sizeof *keys, *out_count * sizeof *keys);
    s->next_key += *out_count;
    return STRATA_OK;
}

/* Fetches the next entries, and finds their rows. While a view writes, every change may move rows: then entries are
 * fetched one at a time. */
static strata_status fetch(st_index_scan *s, strata_view *view, uint32_t table, strata_error *error) {
    uint64_t keys[ST_ROWS_AT_ONCE];
    size_t wanted = s->count < FIRST_BATCH ? FIRST_BATCH : 2 * (size_t)s->count, count;
    if (view->writes != NULL) wanted = 1;
    else if (wanted > ST_ROWS_AT_ONCE) wanted = ST_ROWS_AT_ONCE;
    s->handed_out = s->count = 0;
    strata_status status = next_keys(s, view, keys, wanted, &count, error);
    if (status != STRATA_OK) return status;
    for (size_t i = 0; i < count; i++) s->rows[i].key = keys[i];
    s->tree_epoch = view->tree_epoch;
    status = st_rows_find(view, table, s->rows, count, error);
    if (status == STRATA_OK) s->count = (uint32_t)count;
    return status;
}

/* Finds rows again that have not been handed out: they have moved. */
static strata_status find_again(st_index_scan *s, strata_view *view, uint32_t table, strata_error *error) {
    strata_status status = st_rows_find(view, table, s->rows + s->handed_out, s->count - s->handed_out, error);
    if (status == STRATA_OK) s->tree_epoch = view->tree_epoch;
    return status;
}

strata_status st_index_scan_next(st_index_scan *s, strata_view *view, uint32_t table, uint64_t limit, st_row_ref *out,
                                 strata_error *error) {
    for (;;) {
        strata_status status = STRATA_OK;
        if (s->handed_out == s->count) status = fetch(s, view, table, error);
        else if (s->tree_epoch != view->tree_epoch) status = find_again(s, view, table, error);
        if (status != STRATA_OK) return status;
        *out = s->rows[s->handed_out++];
        if (out->key < limit && out->block != NULL) return STRATA_OK;
    }
}

strata_status st_index_scan_rest(st_index_scan *s, strata_view *view, st_buffer *keys, strata_error *error) {
    uint64_t some[MOST_KEYS];
    size_t count = 0;
    strata_status status = STRATA_OK;
    for (; s->handed_out < s->count; s->handed_out++) some[count++] = s->rows[s->handed_out].key;
    while (status == STRATA_OK) {
        if (!st_buffer_append(keys, some, count * sizeof *some)) return st_no_memory(error, "walking an index");
        status = next_keys(s, view, some, MOST_KEYS, &count, error);
    }
    return status == STRATA_END ? STRATA_OK : status;
}

void st_index_scan_keep(st_index_scan *s, st_buffer *keys) {
    st_index_scan_close(s);
    s->keys = *keys;
    s->kept = true;
}

void st_index_scan_put_back(st_index_scan *s) {
    s->next_key -= s->count - s->handed_out;
    s->handed_out = s->count = 0;
}

void st_index_scan_close(st_index_scan *s) {
    st_posting_cursor_close(s->postings);
    st_buffer_free(&s->keys);
    s->postings = NULL;
    s->handed_out = s->count = 0;
    s->next_key = 0;
}
