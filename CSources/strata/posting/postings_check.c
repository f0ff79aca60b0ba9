/* SPDX-License-Identifier: MIT
 * postings_check.c -- checks a whole set of postings. */
#include "posting/postings_check.h"

#include "base/status.h"
#include "posting/posting.h"
#include "posting/postings_name.h"
#include "posting/postings_total.h"
#include "store/cursor.h"

typedef struct set_check {
    st_posting_set set;
    strata_error *error;
    uint64_t entries, blocks;
    /* The last entry of the block before: */
    bool known;
    uint64_t key;
    size_t size;
    uint8_t value[ST_MAX_KEY];
    bool counting;          /* the value of `key` has a total, of which entries are missing */
    uint64_t missing;
    bool begun;             /* a total was found, and not yet the block that ends with its value */
    st_postings_name total;
    uint64_t entries_begun; /* what it says */
} set_check;

static strata_status damaged(const set_check *c, const char *what, uint64_t key) {
    return st_fail(c->error, STRATA_CORRUPT, 0, "%s %u: %s (near the entry of object %llu)", st_postings_kind(c->set),
                   c->set.id, what, (unsigned long long)key);
}

/* ---- Totals ----------------------------------------------------------- */

static strata_status begin_total(set_check *c, strata_bytes name, strata_bytes found) {
    if (c->begun || name.size > sizeof c->total.bytes || name.size == ST_POSTINGS_ID)
        return damaged(c, "a total that belongs to no value", c->key);
    memcpy(c->total.bytes, name.data, name.size);
    c->total.size = name.size;
    c->begun = true;
    c->entries_begun = st_postings_total(found);
    return STRATA_OK;
}

/* Counts the entries of the value before that, if it goes on in this block. `last` is the value that the block before
 * ended with. */
static strata_status end_total(set_check *c, const st_posting_view *view, strata_bytes last) {
    uint32_t from, to;
    st_posting_find(view, last, 0, UINT64_MAX, &from, &to);
    bool goes_on = to == view->entries;
    if (to - from > c->missing) return damaged(c, "a total that is too small", c->key);
    c->missing -= to - from;
    c->counting = goes_on;
    return goes_on || c->missing == 0 ? STRATA_OK : damaged(c, "a total that is too large", c->key);
}

/* Counts the entries of the value whose total stands before this block, and which the block ends with. */
static strata_status count_first(set_check *c, const st_posting_view *view, bool open) {
    st_postings_name expected;
    uint32_t from, to;
    strata_bytes value = { c->value, c->size };
    st_postings_total_name(&expected, c->set.id, value);
    if (open || st_compare(st_postings_name_bytes(&expected), st_postings_name_bytes(&c->total)) != 0)
        return damaged(c, "a total that belongs to no value", c->key);
    st_posting_find(view, value, 0, UINT64_MAX, &from, &to);
    if (to - from > c->entries_begun) return damaged(c, "a total that is too small", c->key);
    c->missing = c->entries_begun - (to - from);
    c->begun = false;
    c->counting = true;
    return STRATA_OK;
}

/* ---- Blocks ----------------------------------------------------------- */

static strata_status check_block(set_check *c, strata_bytes name, strata_bytes block) {
    st_posting_view view;
    if (!st_posting_valid(block) || !st_posting_open(block, &view)) return damaged(c, "a damaged block", c->key);
    strata_bytes before = { c->value, c->size };
    uint64_t first_key = st_posting_key(&view, 0);
    bool open = name.size == ST_POSTINGS_ID;
    if (c->known) {
        int order = st_posting_compare(&view, 0, before);
        if (order < 0 || (order == 0 && first_key <= c->key)) return damaged(c, "blocks out of order", first_key);
    }
    if (c->counting) {
        strata_status status = end_total(c, &view, before);
        if (status != STRATA_OK) return status;
    }
    uint8_t value[ST_MAX_KEY + 1];
    size_t size = st_posting_value(&view, view.runs - 1, value, sizeof value);
    if (size > ST_MAX_KEY) return damaged(c, "too long a value", first_key);
    memcpy(c->value, value, size);
    c->size = size;
    c->key = st_posting_key(&view, view.entries - 1);
    c->known = true;
    c->entries += view.entries;
    st_postings_name expected;
    st_postings_name_of(&expected, c->set.id, (strata_bytes){ c->value, size }, c->key);
    if (!open && st_compare(name, st_postings_name_bytes(&expected)) != 0)
        return damaged(c, "a block under a key that is not its last entry", c->key);
    return c->begun ? count_first(c, &view, open) : STRATA_OK;
}

strata_status st_postings_check(st_txn *txn, st_posting_set set, uint64_t *out_entries, uint64_t *out_blocks,
                                strata_error *error) {
    st_cursor *cursor = NULL;
    st_postings_name from;
    strata_bytes name, found;
    set_check c = { .set = set, .error = error };
    bool open = false;
    strata_status status = st_cursor_open(txn, set.tree, &cursor, error);
    if (status != STRATA_OK) return status;
    st_postings_name_least(&from, set.id);
    status = st_cursor_seek(cursor, st_postings_name_bytes(&from), &name, &found, error);
    while (status == STRATA_OK && !open && st_postings_name_in_set(name, set.id)) {
        bool total = st_postings_is_total(found);
        open = name.size == ST_POSTINGS_ID && !total;
        status = total ? begin_total(&c, name, found) : check_block(&c, name, found);
        if (status != STRATA_OK) break;
        if (!total) c.blocks++;
        status = st_cursor_next(cursor, &name, &found, error);
    }
    st_cursor_close(cursor);
    *out_entries = c.entries;
    *out_blocks = c.blocks;
    if (status < 0) return status;
    if ((c.known || c.begun) && !open) return damaged(&c, "its last block is missing", c.key);
    return c.counting && c.missing != 0 ? damaged(&c, "a total that is too large", c.key) : STRATA_OK;
}
