/* SPDX-License-Identifier: MIT
 * postings_read.c -- counting and walking postings. */
#include "posting/postings_read.h"

#include <stdlib.h>

#include "base/status.h"
#include "posting/posting.h"
#include "posting/postings_name.h"
#include "store/cursor.h"
#include "store/tree.h"

static strata_status damaged(st_posting_set set, strata_error *error, const char *what) {
    return st_fail(error, STRATA_CORRUPT, 0, "%s %u: %s", st_postings_kind(set), set.id, what);
}

/* The last value of a block is also in its name, which is in the cache after the block was found. */
static const uint8_t *last_in_name(const st_posting_view *view, strata_bytes name) {
    size_t size = view->shared_size + (size_t)view->width, end = ST_POSTINGS_ID + size;
    bool fits = view->width != ST_POSTING_MIXED_WIDTH && end >= 8 && name.size == (end + ST_KEY_SIZE + 1) / 2 * 2;
    return fits ? (const uint8_t *)name.data + ST_POSTINGS_ID + view->shared_size : NULL;
}

static strata_status open_block(st_posting_set set, strata_bytes name, strata_bytes block, st_posting_view *out,
                                strata_error *error) {
    if (!st_posting_open(block, out)) return damaged(set, error, "a block is damaged");
    out->last = last_in_name(out, name);
    return STRATA_OK;
}

/* Are both bounds of the range the same bytes? Then it has one value only. */
static inline bool is_of_one(const st_posting_range *range) {
    return range->low.data != NULL && range->low.data == range->high.data && range->low.size == range->high.size;
}

/* True if no entry can be in the range. */
static bool is_empty(const st_posting_range *range) {
    if (range->low.data == NULL || range->high.data == NULL) return false;
    int order = is_of_one(range) ? 0 : st_compare(range->low, range->high);
    return order > 0 || (order == 0 && range->low_key >= range->high_key);
}

/* The entries of a block that are in the range: from `*out_from` to `*out_to`, excluded. */
static void part_in_range(const st_posting_view *view, const st_posting_range *range, uint32_t *out_from,
                          uint32_t *out_to) {
    if (is_of_one(range)) {
        st_posting_find(view, range->low, range->low_key, range->high_key, out_from, out_to);
        return;
    }
    *out_from = range->low.data == NULL ? 0 : st_posting_lower(view, range->low, range->low_key);
    *out_to = range->high.data == NULL ? view->entries : st_posting_lower(view, range->high, range->high_key);
    if (*out_to < *out_from) *out_to = *out_from;
}

/* ---- First ------------------------------------------------------------ */

strata_status st_postings_first(st_txn *txn, st_posting_set set, const st_posting_range *range, uint64_t *out_key,
                                strata_error *error) {
    st_postings_name from;
    strata_bytes name, block;
    st_posting_view view;
    uint32_t first, end;
    *out_key = 0;
    if (is_empty(range)) return STRATA_NOT_FOUND;
    st_postings_name_bound(&from, set.id, range->low, range->low_key);
    for (;;) {
        strata_status status = st_tree_seek(txn, set.tree, st_postings_name_bytes(&from), &name, &block, error);
        if (status != STRATA_OK) return status;
        if (!st_postings_name_in_set(name, set.id)) return STRATA_NOT_FOUND;
        if ((status = open_block(set, name, block, &view, error)) != STRATA_OK) return status;
        part_in_range(&view, range, &first, &end);
        if (first < end) {
            *out_key = st_posting_key(&view, first);
            return STRATA_OK;
        }
        if (first < view.entries || name.size == ST_POSTINGS_ID) return STRATA_NOT_FOUND;
        if (name.size > sizeof from.bytes - 2) return damaged(set, error, "a block has too long a key");
        memcpy(from.bytes, name.data, name.size);
        from.size = name.size;
        st_postings_name_after(&from);
    }
}

/* ---- Counting --------------------------------------------------------- */

enum { MOST_HEADS = 64 }; /* of blocks, read one after the other: so their lines of memory come side by side */

/* Counts in the blocks that follow in the same leaf, all of which end before `high`. */
static strata_status count_whole(st_txn *txn, st_posting_set set, const st_postings_name *high, uint64_t *total,
                                 strata_error *error) {
    strata_bytes blocks[MOST_HEADS];
    uint32_t count = MOST_HEADS;
    strata_status status = STRATA_OK;
    while (status == STRATA_OK && count == MOST_HEADS) {
        status = st_tree_next_values(txn, set.tree, st_postings_name_bytes(high), blocks, MOST_HEADS, &count, error);
        for (uint32_t i = 0; i < count && status == STRATA_OK; i++) {
            uint32_t entries = st_posting_entries(blocks[i]);
            if (entries == 0) status = damaged(set, error, "a block is damaged");
            *total += entries;
        }
    }
    return status;
}

/* Counts in the blocks after the one that was found last. */
static strata_status count_further(st_txn *txn, st_posting_set set, const st_posting_range *range, uint64_t *total,
                                   strata_error *error) {
    strata_bytes name, block;
    st_postings_name high;
    bool bounded = range->high.data != NULL;
    if (bounded) st_postings_name_bound(&high, set.id, range->high, range->high_key);
    else st_postings_name_open(&high, set.id);
    for (;;) {
        strata_status status = count_whole(txn, set, &high, total, error);
        if (status == STRATA_OK) status = st_tree_next(txn, set.tree, &name, &block, error);
        if (status == STRATA_NOT_FOUND || (status == STRATA_OK && !st_postings_name_in_set(name, set.id)))
            return damaged(set, error, "its last block is missing");
        if (status != STRATA_OK) return status;
        bool open = name.size == ST_POSTINGS_ID;
        if (bounded && (open || st_compare(name, st_postings_name_bytes(&high)) >= 0)) {
            st_posting_view view;
            status = open_block(set, name, block, &view, error);
            if (status == STRATA_OK) *total += st_posting_lower(&view, range->high, range->high_key);
            return status;
        }
        uint32_t entries = st_posting_entries(block);
        if (entries == 0) return damaged(set, error, "a block is damaged");
        *total += entries;
        if (open) return STRATA_OK;
    }
}

/* Counts the entries of a range. `first` is a view of the first block; it has no runs if there is no block. */
static strata_status count(st_txn *txn, st_posting_set set, const st_posting_range *range, st_posting_view *first,
                           uint64_t *out, strata_error *error) {
    st_postings_name from;
    strata_bytes name, block;
    uint32_t begin, end;
    *out = 0;
    first->runs = 0;
    if (is_empty(range)) return STRATA_OK;
    st_postings_name_bound(&from, set.id, range->low, range->low_key);
    strata_status status = st_tree_seek(txn, set.tree, st_postings_name_bytes(&from), &name, &block, error);
    if (status < 0) return status;
    if (status == STRATA_NOT_FOUND || !st_postings_name_in_set(name, set.id)) return STRATA_OK;
    if ((status = open_block(set, name, block, first, error)) != STRATA_OK) return status;
    part_in_range(first, range, &begin, &end);
    uint64_t total = end - begin;
    if (end == first->entries && name.size != ST_POSTINGS_ID) {
        status = count_further(txn, set, range, &total, error);
    }
    if (status == STRATA_OK) *out = total;
    return status;
}

strata_status st_postings_count(st_txn *txn, st_posting_set set, const st_posting_range *range, uint64_t *out,
                                strata_error *error) {
    st_posting_view first;
    return count(txn, set, range, &first, out, error);
}

strata_status st_postings_count_value(st_txn *txn, st_posting_set set, strata_bytes value,
                                      st_postings_position *position, uint64_t epoch, uint64_t *out,
                                      strata_error *error) {
    if (position->epoch == epoch && position->set.tree == set.tree && position->set.id == set.id) {
        uint32_t from, to;
        st_posting_find(&position->block, value, 0, UINT64_MAX, &from, &to);
        *out = to - from;
        /* If the block also has a lesser entry and a greater one, all entries of the value are in it. */
        if (from > 0 && to < position->block.entries) return STRATA_OK;
    }
    st_posting_range range = st_posting_range_of(value);
    strata_status status = count(txn, set, &range, &position->block, out, error);
    position->set = set;
    position->epoch = status == STRATA_OK && position->block.runs != 0 ? epoch : 0;
    return status;
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
    cursor->ended = is_empty(range);
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

/* Finds the first block. */
static strata_status find_start(st_posting_cursor *c, strata_bytes *name, strata_bytes *block, strata_error *error) {
    st_postings_name from;
    if (!c->backward) st_postings_name_bound(&from, c->set.id, c->range.low, c->range.low_key);
    else if (c->range.high.data == NULL) st_postings_name_open(&from, c->set.id);
    else st_postings_name_bound(&from, c->set.id, c->range.high, c->range.high_key);
    return st_cursor_seek(c->cursor, st_postings_name_bytes(&from), name, block, error);
}

/* Moves to the next block that has entries in the range. STRATA_END if there is none. */
static strata_status next_block(st_posting_cursor *c, strata_error *error) {
    while (!c->ended) {
        strata_bytes name, block;
        strata_status status = !c->started  ? find_start(c, &name, &block, error)
                               : c->backward ? st_cursor_previous(c->cursor, &name, &block, error)
                                             : st_cursor_next(c->cursor, &name, &block, error);
        bool found = status == STRATA_OK && st_postings_name_in_set(name, c->set.id);
        if (status < 0) return status;
        if (!found) {
            c->ended = true;
            if (c->started && !c->backward) return damaged(c->set, error, "its last block is missing");
            break;
        }
        c->started = true;
        if ((status = open_block(c->set, name, block, &c->view, error)) != STRATA_OK) return status;
        part_in_range(&c->view, &c->range, &c->from, &c->to);
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
