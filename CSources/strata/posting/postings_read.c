/* SPDX-License-Identifier: MIT
 * postings_read.c -- counting and walking postings. */
#include "posting/postings_read.h"

#include <stdlib.h>

#include "base/status.h"
#include "posting/posting.h"
#include "posting/postings_name.h"
#include "posting/postings_total.h"
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

/* A total that was found before a block. */
typedef struct found_total {
    strata_bytes name;
    uint64_t entries; /* 0: there is none */
} found_total;

/* Moves on from a total to the block that it stands before. */
static strata_status skip_total(st_txn *txn, st_posting_set set, strata_bytes *name, strata_bytes *block,
                                found_total *out, strata_error *error) {
    strata_status status = STRATA_OK;
    out->entries = 0;
    while (status == STRATA_OK && st_postings_is_total(*block)) {
        *out = (found_total){ *name, st_postings_total(*block) };
        status = st_tree_next(txn, set.tree, name, block, error);
    }
    return status;
}

/* The first block whose name is not less than `from`. */
static strata_status seek_block(st_txn *txn, st_posting_set set, const st_postings_name *from, strata_bytes *name,
                                strata_bytes *block, strata_error *error) {
    found_total total;
    strata_status status = st_tree_seek(txn, set.tree, st_postings_name_bytes(from), name, block, error);
    return status == STRATA_OK ? skip_total(txn, set, name, block, &total, error) : status;
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
        strata_status status = seek_block(txn, set, &from, &name, &block, error);
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

enum {
    MOST_HEADS = 64,     /* of blocks, read one after the other: so their lines of memory come side by side */
    MANY_ENTRIES = 32768 /* of a value whose blocks are not walked through where it has a total */
};

/* A count that goes on. */
typedef struct postings_count {
    st_txn *txn;
    st_posting_set set;
    st_posting_range range; /* what is still to be counted; after a jump, its lower bound is in `low` */
    st_postings_name high;  /* no block of this name, or a greater one, ends in the range */
    uint64_t total;
    uint64_t walked;        /* blocks that were walked through, and */
    uint64_t jumps;         /* values that were not */
    uint8_t low[ST_MAX_KEY];
    strata_error *error;
} postings_count;

/* Counts in the blocks that follow in the same leaf, all of which end in the range; but stops before the total of a
 * value with many entries. */
static strata_status count_whole(postings_count *c) {
    strata_bytes found[MOST_HEADS];
    uint32_t count = MOST_HEADS;
    while (count == MOST_HEADS) {
        strata_status status = st_tree_next_values(c->txn, c->set.tree, st_postings_name_bytes(&c->high), found,
                                                   MOST_HEADS, &count, c->error);
        if (status != STRATA_OK) return status;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t entries = st_posting_entries(found[i]);
            c->total += entries;
            if (entries != 0) continue;
            if (!st_postings_is_total(found[i])) return damaged(c->set, c->error, "a block is damaged");
            if (st_postings_total(found[i]) < MANY_ENTRIES) continue;
            st_tree_put_back(c->txn, c->set.tree, count - i);
            c->walked += i;
            return STRATA_OK;
        }
        c->walked += count;
    }
    return STRATA_OK;
}

static bool has_all(const st_posting_range *range, strata_bytes value) {
    int low = range->low.data == NULL ? -1 : st_compare(range->low, value);
    int high = range->high.data == NULL ? 1 : st_compare(range->high, value);
    return (low < 0 || (low == 0 && range->low_key == 0)) && (high > 0 || (high == 0 && range->high_key > ST_KEY_MAX));
}

/* Counts a value by its total, if that stands before a block that has entries of the range from `begin` on. Then the
 * range goes on behind the value. False if the blocks have to be walked through. In a damaged tree a search may lead
 * back to blocks that were walked through before; so there are only as many jumps as pay for that. */
static bool jump(postings_count *c, const found_total *total, const st_posting_view *view, uint32_t begin) {
    enum { WALKED_PER_JUMP = 256 };
    st_postings_name name;
    uint8_t bytes[ST_MAX_KEY];
    if (total->entries < MANY_ENTRIES || c->walked > WALKED_PER_JUMP * (c->jumps + 1)) return false;
    strata_bytes value = { bytes, st_posting_value(view, view->runs - 1, bytes, sizeof bytes) };
    st_postings_total_name(&name, c->set.id, value);
    if (st_compare(total->name, st_postings_name_bytes(&name)) != 0 || !has_all(&c->range, value)) return false;
    uint32_t before = st_posting_lower(view, value, 0);
    c->total += total->entries + (before > begin ? before - begin : 0);
    memcpy(c->low, bytes, value.size);
    c->range.low = (strata_bytes){ c->low, value.size };
    c->range.low_key = UINT64_MAX;
    c->jumps++;
    return true;
}

/* Counts in the blocks after the one that was found last, up to the end of the range, or to a jump. */
static strata_status count_further(postings_count *c, bool *jumped) {
    strata_bytes name, block;
    found_total total;
    st_posting_view view;
    bool bounded = c->range.high.data != NULL;
    for (;;) {
        strata_status status = count_whole(c);
        if (status == STRATA_OK) status = st_tree_next(c->txn, c->set.tree, &name, &block, c->error);
        if (status == STRATA_OK) status = skip_total(c->txn, c->set, &name, &block, &total, c->error);
        if (status == STRATA_NOT_FOUND || (status == STRATA_OK && !st_postings_name_in_set(name, c->set.id)))
            return damaged(c->set, c->error, "its last block is missing");
        if (status != STRATA_OK) return status;
        bool open = name.size == ST_POSTINGS_ID;
        bool last = bounded && (open || st_compare(name, st_postings_name_bytes(&c->high)) >= 0);
        if (last || total.entries >= MANY_ENTRIES) {
            status = open_block(c->set, name, block, &view, c->error);
            if (status != STRATA_OK || (*jumped = jump(c, &total, &view, 0))) return status;
        }
        if (last) {
            c->total += st_posting_lower(&view, c->range.high, c->range.high_key);
            return STRATA_OK;
        }
        uint32_t entries = st_posting_entries(block);
        if (entries == 0) return damaged(c->set, c->error, "a block is damaged");
        c->total += entries;
        c->walked++;
        if (open) return STRATA_OK;
    }
}

/* True if the range is all entries of one value, whose total was found. */
static bool is_total_of(const st_posting_range *range, uint32_t id, strata_bytes name, strata_bytes found) {
    st_postings_name total;
    if (!st_postings_is_total(found) || !is_of_one(range) || range->low_key != 0 || range->high_key <= ST_KEY_MAX)
        return false;
    st_postings_total_name(&total, id, range->low);
    return name.size == total.size && memcmp(name.data, total.bytes, total.size) == 0;
}

/* Counts from the lower bound of the range on, up to its end, or to a jump. `first` is a view of the first block; it
 * has no runs if there is no block, or if it was not needed. */
static strata_status count_from(postings_count *c, st_posting_view *first, bool *jumped) {
    st_postings_name from;
    strata_bytes name, block;
    found_total total;
    uint32_t begin, end;
    *jumped = false;
    first->runs = 0;
    if (is_empty(&c->range)) return STRATA_OK;
    st_postings_name_bound(&from, c->set.id, c->range.low, c->range.low_key);
    strata_status status = st_tree_seek(c->txn, c->set.tree, st_postings_name_bytes(&from), &name, &block, c->error);
    if (status == STRATA_OK && is_total_of(&c->range, c->set.id, name, block)) {
        c->total += st_postings_total(block);
        return STRATA_OK;
    }
    if (status == STRATA_OK) status = skip_total(c->txn, c->set, &name, &block, &total, c->error);
    if (status < 0) return status;
    if (status == STRATA_NOT_FOUND || !st_postings_name_in_set(name, c->set.id)) return STRATA_OK;
    if ((status = open_block(c->set, name, block, first, c->error)) != STRATA_OK) return status;
    part_in_range(first, &c->range, &begin, &end);
    if ((*jumped = jump(c, &total, first, begin))) return STRATA_OK;
    c->total += end - begin;
    if (end != first->entries || name.size == ST_POSTINGS_ID) return STRATA_OK;
    if (c->range.high.data != NULL) st_postings_name_bound(&c->high, c->set.id, c->range.high, c->range.high_key);
    else st_postings_name_open(&c->high, c->set.id);
    return count_further(c, jumped);
}

/* Counts the entries of a range. `first` is the view of a block that has some of them, as count_from() leaves it. */
static strata_status count(st_txn *txn, st_posting_set set, const st_posting_range *range, st_posting_view *first,
                           uint64_t *out, strata_error *error) {
    postings_count c; /* `high` and `low` are written before they are read */
    strata_status status;
    bool jumped;
    c.txn = txn;
    c.set = set;
    c.range = *range;
    c.total = c.walked = c.jumps = 0;
    c.error = error;
    do status = count_from(&c, first, &jumped);
    while (status == STRATA_OK && jumped);
    *out = status == STRATA_OK ? c.total : 0;
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
