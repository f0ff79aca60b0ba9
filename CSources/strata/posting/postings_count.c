/* SPDX-License-Identifier: MIT
 *
 * postings_count.c -- counts the entries of a range.
 *
 * Blocks that lie in the range as a whole are counted by their headers, one after the other. A range of one value is
 * counted by its total, and so is a value with very many entries inside of a range: the count jumps over its blocks.
 */
#include "posting/postings_count.h"

#include "store/tree.h"

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
    uint64_t walked;        /* blocks that were walked through since the first jump, and */
    uint64_t jumps;         /* values that were not walked through */
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
            if (!st_postings_is_total(found[i])) return st_postings_damaged(c->set, c->error, "a block is damaged");
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

/* How many entries of a block are before the range. The range often begins behind the first value of the block. */
static uint32_t begin_in(const st_posting_view *view, const st_posting_range *range) {
    if (range->low.data == NULL) return 0;
    bool behind_first = range->low_key > ST_KEY_MAX && st_posting_compare(view, 0, range->low) == 0;
    return behind_first ? st_posting_end(view, 1) : st_posting_lower(view, range->low, range->low_key);
}

/* Counts a value by its total, if that stands before a block that has entries of the range. Then the range goes on
 * behind the value. False if the blocks have to be walked through. In a damaged tree a search may lead back to what was
 * walked through after another jump; so there are only as many jumps as pay for that. */
static bool jump(postings_count *c, const st_found_total *total, const st_posting_view *view) {
    enum { WALKED_PER_JUMP = 256, ENTRIES_PER_BLOCK = 512 };
    st_postings_name name;
    uint8_t bytes[ST_MAX_KEY];
    bool pays = c->walked <= WALKED_PER_JUMP * c->jumps || c->walked <= total->entries / ENTRIES_PER_BLOCK;
    if (total->entries < MANY_ENTRIES || (c->jumps != 0 && !pays)) return false;
    strata_bytes value = { bytes, st_posting_value(view, view->runs - 1, bytes, sizeof bytes) };
    st_postings_total_name(&name, c->set.id, value);
    if (st_compare(total->name, st_postings_name_bytes(&name)) != 0 || !has_all(&c->range, value)) return false;
    uint32_t begin = begin_in(view, &c->range), before = st_posting_end(view, view->runs - 1);
    c->total += total->entries + (before > begin ? before - begin : 0);
    memcpy(c->low, bytes, value.size);
    c->range.low = (strata_bytes){ c->low, value.size };
    c->range.low_key = UINT64_MAX;
    if (c->jumps++ == 0) c->walked = 0;
    return true;
}

/* Counts in the blocks after the one that was found last, up to the end of the range, or to a jump. */
static strata_status count_further(postings_count *c, bool *jumped) {
    strata_bytes name, block;
    st_found_total total;
    st_posting_view view;
    bool bounded = c->range.high.data != NULL;
    for (;;) {
        strata_status status = count_whole(c);
        if (status == STRATA_OK) status = st_tree_next(c->txn, c->set.tree, &name, &block, c->error);
        if (status == STRATA_OK) status = st_postings_skip_total(c->txn, c->set, &name, &block, &total, c->error);
        if (status == STRATA_NOT_FOUND || (status == STRATA_OK && !st_postings_name_in_set(name, c->set.id)))
            return st_postings_damaged(c->set, c->error, "its last block is missing");
        if (status != STRATA_OK) return status;
        c->walked += 1 + total.passed;
        bool open = name.size == ST_POSTINGS_ID;
        bool last = bounded && (open || st_compare(name, st_postings_name_bytes(&c->high)) >= 0);
        if (last || total.entries >= MANY_ENTRIES) {
            status = st_postings_open_block(c->set, name, block, &view, c->error);
            if (status != STRATA_OK || (*jumped = jump(c, &total, &view))) return status;
        }
        if (last) {
            c->total += st_posting_lower(&view, c->range.high, c->range.high_key);
            return STRATA_OK;
        }
        uint32_t entries = st_posting_entries(block);
        if (entries == 0) return st_postings_damaged(c->set, c->error, "a block is damaged");
        c->total += entries;
        if (open) return STRATA_OK;
    }
}

/* True if the range is all entries of one value, whose total was found. */
static bool is_total_of(const st_posting_range *range, uint32_t id, strata_bytes name, strata_bytes found) {
    st_postings_name total;
    bool all = st_posting_range_is_of_one(range) && range->low_key == 0 && range->high_key > ST_KEY_MAX;
    if (!all || !st_postings_is_total(found)) return false;
    st_postings_total_name(&total, id, range->low);
    return name.size == total.size && memcmp(name.data, total.bytes, total.size) == 0;
}

/* Counts from the lower bound of the range on, up to its end, or to a jump. `first` is a view of the first block; it
 * has no runs if there is no block, or if it was not needed. */
static strata_status count_from(postings_count *c, st_posting_view *first, bool *jumped) {
    st_postings_name from;
    strata_bytes name, block;
    st_found_total total;
    uint32_t begin, end;
    *jumped = false;
    first->runs = 0;
    if (st_posting_range_is_empty(&c->range)) return STRATA_OK;
    st_postings_name_bound(&from, c->set.id, c->range.low, c->range.low_key);
    strata_status status = st_tree_seek(c->txn, c->set.tree, st_postings_name_bytes(&from), &name, &block, c->error);
    if (status == STRATA_OK && is_total_of(&c->range, c->set.id, name, block)) {
        c->total += st_postings_total(block);
        return STRATA_OK;
    }
    if (status == STRATA_OK) status = st_postings_skip_total(c->txn, c->set, &name, &block, &total, c->error);
    if (status < 0) return status;
    if (status == STRATA_NOT_FOUND || !st_postings_name_in_set(name, c->set.id)) return STRATA_OK;
    c->walked += 1 + total.passed;
    if ((status = st_postings_open_block(c->set, name, block, first, c->error)) != STRATA_OK) return status;
    if ((*jumped = jump(c, &total, first))) return STRATA_OK;
    st_posting_range_part(first, &c->range, &begin, &end);
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
    do {
        status = count_from(&c, first, &jumped);
        if (status == STRATA_OK && c.total > ST_POSTINGS_MOST)
            status = st_postings_damaged(set, error, "a total that is too large");
    } while (status == STRATA_OK && jumped);
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
