/* SPDX-License-Identifier: MIT
 * postings_check.c -- checks a whole set of postings. */
#include "posting/postings_check.h"

#include "base/status.h"
#include "posting/posting.h"
#include "posting/postings_name.h"
#include "store/cursor.h"

/* The last entry of the block before. */
typedef struct last_entry {
    bool known;
    uint64_t key;
    size_t size;
    uint8_t value[ST_MAX_KEY];
} last_entry;

static strata_status damaged(st_posting_set set, strata_error *error, const char *what, uint64_t key) {
    return st_fail(error, STRATA_CORRUPT, 0, "%s %u: %s (near the entry of object %llu)", st_postings_kind(set),
                   set.id, what, (unsigned long long)key);
}

static strata_status check_block(st_posting_set set, strata_bytes name, strata_bytes block, last_entry *last,
                                 uint64_t *entries, strata_error *error) {
    st_posting_view view;
    if (!st_posting_valid(block) || !st_posting_open(block, &view)) {
        return damaged(set, error, "a damaged block", last->key);
    }
    strata_bytes before = { last->value, last->size };
    uint64_t first_key = st_posting_key(&view, 0);
    if (last->known) {
        int order = st_posting_compare(&view, 0, before);
        if (order < 0 || (order == 0 && first_key <= last->key)) {
            return damaged(set, error, "blocks out of order", first_key);
        }
    }
    uint8_t value[ST_MAX_KEY + 1];
    size_t size = st_posting_value(&view, view.runs - 1, value, sizeof value);
    if (size > ST_MAX_KEY) return damaged(set, error, "too long a value", first_key);
    memcpy(last->value, value, size);
    last->size = size;
    last->key = st_posting_key(&view, view.entries - 1);
    last->known = true;
    *entries += view.entries;
    st_postings_name expected;
    st_postings_name_of(&expected, set.id, (strata_bytes){ last->value, size }, last->key);
    if (name.size != ST_POSTINGS_ID && st_compare(name, st_postings_name_bytes(&expected)) != 0) {
        return damaged(set, error, "a block under a key that is not its last entry", last->key);
    }
    return STRATA_OK;
}

strata_status st_postings_check(st_txn *txn, st_posting_set set, uint64_t *out_entries, uint64_t *out_blocks,
                                strata_error *error) {
    st_cursor *cursor = NULL;
    st_postings_name from;
    strata_bytes name, block;
    last_entry last = { 0 };
    bool open = false;
    *out_entries = *out_blocks = 0;
    strata_status status = st_cursor_open(txn, set.tree, &cursor, error);
    if (status != STRATA_OK) return status;
    st_postings_name_least(&from, set.id);
    status = st_cursor_seek(cursor, st_postings_name_bytes(&from), &name, &block, error);
    while (status == STRATA_OK && !open && st_postings_name_in_set(name, set.id)) {
        open = name.size == ST_POSTINGS_ID;
        status = check_block(set, name, block, &last, out_entries, error);
        if (status != STRATA_OK) break;
        ++*out_blocks;
        status = st_cursor_next(cursor, &name, &block, error);
    }
    st_cursor_close(cursor);
    if (status < 0) return status;
    if (last.known && !open) return damaged(set, error, "its last block is missing", last.key);
    return STRATA_OK;
}
