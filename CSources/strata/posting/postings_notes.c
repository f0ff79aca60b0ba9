/* SPDX-License-Identifier: MIT
 * postings_notes.c -- keeps the totals of a set right while changes are merged into it. */
#include "posting/postings_notes.h"

#include "base/array.h"
#include "base/sort.h"
#include "base/status.h"
#include "posting/postings_count.h"
#include "store/tree.h"

/* A value gets a total when so many blocks end with it. Counting in fewer is as quick. */
enum { LEAST_BLOCKS = 2 };

strata_status st_postings_note(st_postings_work *work, strata_bytes value) {
    st_postings_notes *notes = &work->notes;
    if (notes->count != 0 && st_compare(notes->values[notes->count - 1], value) == 0) return STRATA_OK;
    void *items = notes->values;
    bool room = st_array_grow(&items, &notes->capacity, notes->count, sizeof *notes->values);
    notes->values = items;
    uint8_t *copy = room ? st_arena_alloc(&notes->memory, value.size) : NULL;
    if (copy == NULL) return st_no_memory(work->error, "merging an index");
    memcpy(copy, value.data, value.size);
    notes->values[notes->count++] = (strata_bytes){ copy, value.size };
    return STRATA_OK;
}

/* The first of the changes from `next` to `end`, excluded, whose value is not less than that of a run. */
static size_t first_change(const st_postings_work *work, size_t end, const st_posting_view *view, uint32_t run) {
    size_t from = work->next;
    while (from < end) {
        size_t middle = from + (end - from) / 2;
        if (st_posting_compare(view, run, st_posting_change_value(work->changes + middle)) > 0) from = middle + 1;
        else end = middle;
    }
    return from;
}

static strata_status note_run(st_postings_work *work, size_t end, const st_posting_view *view, uint32_t run) {
    size_t change = first_change(work, end, view, run);
    if (change == end) return STRATA_OK;
    strata_bytes value = st_posting_change_value(work->changes + change);
    return st_posting_compare(view, run, value) == 0 ? st_postings_note(work, value) : STRATA_OK;
}

strata_status st_postings_note_changes(st_postings_work *work, const st_posting_view *view, size_t end) {
    if (work->next == end) return STRATA_OK;
    strata_bytes first = st_posting_change_value(work->changes + work->next);
    strata_status status = STRATA_OK;
    /* The block before this one may end with a value that this one does not have yet. */
    if (st_posting_compare(view, 0, first) > 0) status = st_postings_note(work, first);
    if (status == STRATA_OK) status = note_run(work, end, view, 0);
    if (status == STRATA_OK && view->runs > 1) status = note_run(work, end, view, view->runs - 1);
    return status;
}

/* What the changes do to a value. */
typedef struct value_change {
    int64_t growth; /* entries that it has more */
    bool removed;   /* entries were removed */
} value_change;

static value_change change_of(const st_postings_work *work, strata_bytes value) {
    size_t from = 0, to = work->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (st_compare(st_posting_change_value(work->changes + middle), value) < 0) from = middle + 1;
        else to = middle;
    }
    value_change change = { 0, false };
    for (; from < work->count && st_compare(st_posting_change_value(work->changes + from), value) == 0; from++) {
        bool added = st_posting_change_added(work->changes + from);
        change.growth += added ? 1 : -1;
        change.removed |= !added;
    }
    return change;
}

/* How many blocks end with a value, but at most LEAST_BLOCKS. The search begins at the name of its total. */
static strata_status count_blocks(const st_postings_work *work, const st_postings_name *total, size_t value_size,
                                  uint32_t *out) {
    strata_bytes name, block;
    *out = 0;
    strata_status status =
        st_tree_seek(work->writer, work->set.tree, st_postings_name_bytes(total), &name, &block, work->error);
    while (status == STRATA_OK && *out < LEAST_BLOCKS && st_postings_ends_with(name, total, value_size)) {
        if (!st_postings_is_total(block)) ++*out;
        status = st_tree_next(work->writer, work->set.tree, &name, &block, work->error);
    }
    return status < 0 ? status : STRATA_OK;
}

static strata_status put_total(const st_postings_work *work, const st_postings_name *name, uint64_t entries) {
    uint8_t bytes[ST_POSTINGS_TOTAL_SIZE];
    st_store64(bytes, entries << 8 | ST_POSTINGS_TOTAL);
    return st_tree_put(work->writer, work->set.tree, st_postings_name_bytes(name),
                       (strata_bytes){ bytes, sizeof bytes }, work->error);
}

/* The blocks are as they stay, so a value that gets a total now is counted in them. */
static strata_status begin_total(const st_postings_work *work, const st_postings_name *name, strata_bytes value) {
    uint32_t blocks;
    uint64_t entries;
    st_posting_range all = st_posting_range_of(value);
    strata_status status = count_blocks(work, name, value.size, &blocks);
    if (status != STRATA_OK || blocks < LEAST_BLOCKS) return status;
    status = st_postings_count(work->writer, work->set, &all, &entries, work->error);
    return status == STRATA_OK ? put_total(work, name, entries) : status;
}

static strata_status settle_value(const st_postings_work *work, strata_bytes value) {
    st_postings_name name;
    strata_bytes at, found, key;
    uint32_t blocks = 1;
    st_postings_total_name(&name, work->set.id, value);
    key = st_postings_name_bytes(&name);
    strata_status status = st_tree_seek(work->writer, work->set.tree, key, &at, &found, work->error);
    if (status < 0) return status;
    if (status == STRATA_NOT_FOUND || !st_postings_ends_with(at, &name, value.size)) return STRATA_OK;
    if (st_compare(at, key) != 0) return begin_total(work, &name, value);
    if (!st_postings_is_total(found)) return st_postings_damaged(work->set, work->error, "a total is damaged");
    uint64_t entries = st_postings_total(found);
    value_change change = change_of(work, value);
    /* Where entries were only added to blocks that stay in their places, these end with the value as before. */
    if (change.removed || work->moved) status = count_blocks(work, &name, value.size, &blocks);
    if (status != STRATA_OK) return status;
    if (blocks == 0) return st_tree_delete(work->writer, work->set.tree, key, work->error);
    uint64_t after = entries + (uint64_t)change.growth; /* more than there can be if it would be less than 0 */
    if (after == 0 || after > ST_POSTINGS_MOST)
        return st_postings_damaged(work->set, work->error, "a total is damaged");
    return change.growth == 0 ? STRATA_OK : put_total(work, &name, after);
}

static int compare_notes(const void *a, const void *b) {
    return st_compare(*(const strata_bytes *)a, *(const strata_bytes *)b);
}

strata_status st_postings_settle(st_postings_work *work) {
    const st_postings_notes *notes = &work->notes;
    strata_status status = STRATA_OK;
    st_sort_array(notes->values, notes->count, sizeof *notes->values, compare_notes);
    for (size_t i = 0; i < notes->count && status == STRATA_OK; i++) {
        if (i == 0 || compare_notes(notes->values + i - 1, notes->values + i) != 0)
            status = settle_value(work, notes->values[i]);
    }
    return status;
}
