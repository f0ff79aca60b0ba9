/* SPDX-License-Identifier: MIT
 * postings_read.c -- walking postings. */
#include "posting/postings_read.h"

#include <stdlib.h>

#include "base/status.h"
#include "posting/postings_find.h"
#include "store/cursor.h"
#include "store/tree.h"

/* ---- First ------------------------------------------------------------ */

strata_status st_postings_first(st_txn *txn, st_posting_set set, const st_posting_range *range, uint64_t *out_key,
                                strata_error *error) {
    st_postings_name from;
    strata_bytes name, block;
    st_posting_view view;
    uint32_t first, end;
    *out_key = 0;
    if (st_posting_range_is_empty(range)) return STRATA_NOT_FOUND;
    st_postings_name_bound(&from, set.id, range->low, range->low_key);
    for (;;) {
        strata_status status = st_postings_seek(txn, set, &from, &name, &block, error);
        if (status != STRATA_OK) return status;
        if (!st_postings_name_in_set(name, set.id)) return STRATA_NOT_FOUND;
        if ((status = st_postings_open_block(set, name, block, &view, error)) != STRATA_OK) return status;
        st_posting_range_part(&view, range, &first, &end);
        if (first < end) {
            *out_key = st_posting_key(&view, first);
            return STRATA_OK;
        }
        if (first < view.entries || name.size == ST_POSTINGS_ID) return STRATA_NOT_FOUND;
        if (name.size > sizeof from.bytes - 2) return st_postings_damaged(set, error, "a block has too long a key");
        memcpy(from.bytes, name.data, name.size);
        from.size = name.size;
        st_postings_name_after(&from);
    }
}

/* ---- Cursors ---------------------------------------------------------- */

struct st_posting_cursor {
    st_cursor *cursor;
    st_posting_set set;
    st_posting_range range;       /* its bytes are in `low` and `high` */
    bool backward, started, ended;
    st_posting_view view;         /* the current block */
    uint32_t from, to;            /* the entries of it that are still to come */
    uint32_t run, run_from, run_to;
    size_t value_size;
    uint8_t value[2 * ST_MAX_KEY]; /* of the run */
    uint8_t low[ST_MAX_KEY], high[ST_MAX_KEY];
};

static strata_bytes copy_bound(strata_bytes bound, uint8_t *memory) {
    if (bound.data == NULL) return bound;
    size_t size = bound.size < ST_MAX_KEY ? bound.size : ST_MAX_KEY;
    memcpy(memory, bound.data, size);
    return (strata_bytes){ memory, size };
}

void st_posting_cursor_restart(st_posting_cursor *cursor, const st_posting_range *range, bool backward) {
    cursor->range = *range;
    cursor->range.low = copy_bound(range->low, cursor->low);
    cursor->range.high = copy_bound(range->high, cursor->high);
    cursor->backward = backward;
    cursor->started = false;
    cursor->ended = st_posting_range_is_empty(range);
    cursor->from = cursor->to = cursor->run_from = cursor->run_to = 0;
}

strata_status st_posting_cursor_open(st_txn *txn, st_posting_set set, const st_posting_range *range, bool backward,
                                     st_posting_cursor **out, strata_error *error) {
    *out = NULL;
    st_posting_cursor *cursor = malloc(sizeof *cursor);
    if (cursor == NULL) return st_no_memory(error, "walking an index");
    cursor->set = set;
    st_posting_cursor_restart(cursor, range, backward);
    strata_status status = st_cursor_open(txn, set.tree, &cursor->cursor, error);
    if (status != STRATA_OK) {
        free(cursor);
        return status;
    }
    *out = cursor;
    return STRATA_OK;
}

strata_status st_posting_cursor_begin(st_txn *txn, st_posting_set set, const st_posting_range *range, bool backward,
                                      st_posting_cursor **cursor, strata_error *error) {
    if (*cursor == NULL) return st_posting_cursor_open(txn, set, range, backward, cursor, error);
    st_posting_cursor_restart(*cursor, range, backward);
    return STRATA_OK;
}

void st_posting_cursor_close(st_posting_cursor *cursor) {
    if (cursor == NULL) return;
    st_cursor_close(cursor->cursor);
    free(cursor);
}

/* Finds the first block. The one behind a total may be the first, whatever the direction. */
static strata_status find_start(st_posting_cursor *c, strata_bytes *name, strata_bytes *block, strata_error *error) {
    st_postings_name from;
    if (!c->backward) st_postings_name_bound(&from, c->set.id, c->range.low, c->range.low_key);
    else if (c->range.high.data == NULL) st_postings_name_open(&from, c->set.id);
    else st_postings_name_bound(&from, c->set.id, c->range.high, c->range.high_key);
    strata_status status = st_cursor_seek(c->cursor, st_postings_name_bytes(&from), name, block, error);
    while (status == STRATA_OK && st_postings_is_total(*block)) status = st_cursor_next(c->cursor, name, block, error);
    return status;
}

/* The block after this one in the direction of the cursor. */
static strata_status step(st_posting_cursor *c, strata_bytes *name, strata_bytes *block, strata_error *error) {
    strata_status status;
    do {
        status = c->backward ? st_cursor_previous(c->cursor, name, block, error)
                             : st_cursor_next(c->cursor, name, block, error);
    } while (status == STRATA_OK && st_postings_is_total(*block));
    return status;
}

/* Moves to the next block that has entries in the range. STRATA_END if there is none. */
static strata_status next_block(st_posting_cursor *c, strata_error *error) {
    while (!c->ended) {
        strata_bytes name, block;
        strata_status status = !c->started ? find_start(c, &name, &block, error) : step(c, &name, &block, error);
        bool found = status == STRATA_OK && st_postings_name_in_set(name, c->set.id);
        if (status < 0) return status;
        if (!found) {
            c->ended = true;
            if (c->started && !c->backward) return st_postings_damaged(c->set, error, "its last block is missing");
            break;
        }
        c->started = true;
        if ((status = st_postings_open_block(c->set, name, block, &c->view, error)) != STRATA_OK) return status;
        st_posting_range_part(&c->view, &c->range, &c->from, &c->to);
        c->run_from = c->run_to = 0;
        c->ended = c->backward ? c->from > 0 : c->to < c->view.entries || name.size == ST_POSTINGS_ID;
        if (c->from < c->to) return STRATA_OK;
    }
    return STRATA_END;
}

/* Sets `value` to the value of an entry. */
static void find_value(st_posting_cursor *c, uint32_t entry) {
    if (entry >= c->run_from && entry < c->run_to) return;
    c->run = st_posting_run_of(&c->view, entry);
    c->run_from = st_posting_end(&c->view, c->run);
    c->run_to = st_posting_end(&c->view, c->run + 1);
    c->value_size = st_posting_value(&c->view, c->run, c->value, sizeof c->value);
}

/* The value of the entry that was handed out last. */
static strata_bytes value_of_last(st_posting_cursor *c) {
    find_value(c, c->backward ? c->to : c->from - 1);
    return (strata_bytes){ c->value, c->value_size };
}

strata_status st_posting_cursor_next(st_posting_cursor *cursor, uint64_t *out_key, strata_bytes *value,
                                     strata_error *error) {
    st_posting_cursor *c = cursor;
    *out_key = 0;
    if (value != NULL) *value = (strata_bytes){ NULL, 0 };
    if (c->from == c->to) {
        strata_status status = next_block(c, error);
        if (status != STRATA_OK) return status;
    }
    *out_key = st_posting_key(&c->view, c->backward ? --c->to : c->from++);
    if (value != NULL) *value = value_of_last(c);
    return STRATA_OK;
}

strata_status st_posting_cursor_some(st_posting_cursor *cursor, uint64_t *out_keys, size_t size, size_t *out_count,
                                     strata_error *error) {
    st_posting_cursor *c = cursor;
    *out_count = 0;
    if (c->from == c->to) {
        strata_status status = next_block(c, error);
        if (status != STRATA_OK) return status;
    }
    uint32_t count = c->to - c->from < size ? c->to - c->from : (uint32_t)size;
    if (c->backward) {
        for (uint32_t i = 0; i < count; i++) out_keys[i] = st_posting_key(&c->view, --c->to);
    } else {
        st_posting_keys(&c->view, c->from, c->from + count, out_keys);
        c->from += count;
    }
    *out_count = count;
    return STRATA_OK;
}

strata_status st_posting_cursor_keys(st_posting_cursor *cursor, uint64_t *out_keys, size_t size, size_t *out_count,
                                     strata_error *error) {
    strata_status status = STRATA_OK;
    size_t done = 0, count;
    while (done < size && status == STRATA_OK) {
        status = st_posting_cursor_some(cursor, out_keys + done, size - done, &count, error);
        done += count;
    }
    *out_count = status < 0 ? 0 : done;
    return status < 0 ? status : STRATA_OK;
}
