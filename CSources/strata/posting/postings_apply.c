/* SPDX-License-Identifier: MIT
 *
 * postings_apply.c -- merges sorted changes into the blocks of a set.
 *
 * This goes block by block. A few changes that leave the form of a block as it is are made in a copy of the block,
 * which is cut in two if it has become too large. Otherwise the block that the next change belongs to is read into a
 * list of entries, the changes up to its last entry are merged in, and the list is divided into blocks again. The rest
 * of a list may be carried over to the following block: when there are many changes, so that blocks become full, and
 * when little is left of a block.
 */
#include "posting/postings_apply.h"

#include <stdlib.h>

#include "base/status.h"
#include "posting/posting_edit.h"
#include "posting/posting_slice.h"
#include "posting/postings_find.h"
#include "posting/postings_merge.h"
#include "posting/postings_notes.h"
#include "store/cursor.h"
#include "store/tree.h"

/* The first change, from the next one on, that comes after all entries of the block. */
static size_t changes_within(const st_postings_work *a, const st_posting_view *view) {
    uint64_t last_key = st_posting_key(view, view->entries - 1);
    size_t low = a->next, high = a->count, step = 1;
    /* Few changes belong to a block: steps that double find a later change, then steps that halve find the first
     * one. */
    while (low < high) {
        size_t probe = low + step - 1 < high ? low + step - 1 : high - 1;
        const st_posting_change *change = a->changes + probe;
        int order = st_posting_compare(view, view->runs - 1, st_posting_change_value(change));
        bool within = order > 0 || (order == 0 && last_key >= st_posting_change_key(change));
        if (within) low = probe + 1;
        else high = probe;
        step = within ? 2 * step : 1 + (high - low) / 2;
    }
    return low;
}

/* Opens the block that was found in the tree, if there was one. The changes before `*out_end` belong to it. */
static strata_status open_block(st_postings_work *a, strata_bytes name, strata_bytes value, bool found,
                                st_posting_view *view, size_t *out_end) {
    *out_end = a->count;
    a->open = true;
    a->append = true;
    a->name_in_tree = found;
    if (!found) return STRATA_OK;
    if (!st_posting_valid(value) || !st_posting_open(value, view) || name.size > sizeof a->name.bytes - 2)
        return st_postings_damaged(a->set, a->error, "a block is damaged");
    memcpy(a->name.bytes, name.data, name.size);
    a->name.size = name.size;
    a->open = st_postings_name_is_open(name, a->set.id);
    size_t within = changes_within(a, view);
    a->append = a->open && within == a->next;
    if (!a->open) *out_end = within;
    return STRATA_OK;
}

/* How large the copy of a block may become, to be cut in two then. */
static size_t edited_limit(const st_postings_work *a) { return a->block_size + a->block_size / 4; }

/* Makes the changes before `end` in a copy of the block, which keeps its name. False if there are many of them, or
 * little would be left of the block, or its form would change. */
static bool edit_block(st_postings_work *a, const st_posting_view *view, size_t end, size_t *out_size) {
    st_posting_step steps[ST_POSTING_STEPS];
    size_t count = end - a->next;
    if (a->list.key_count != 0 || count > ST_POSTING_STEPS || count * 8 >= view->entries) return false;
    for (size_t i = 0; i < count; i++) {
        const st_posting_change *change = a->changes + a->next + i;
        steps[i] = (st_posting_step){ st_posting_change_value(change), st_posting_change_key(change),
                                      st_posting_change_added(change) };
    }
    return st_posting_edit(view, steps, (uint32_t)count, !a->open, edited_limit(a), a->block, out_size) &&
           *out_size >= a->block_size / 4;
}

/* The two halves of a block, and the name of the first one. */
typedef struct halves {
    strata_bytes slices[2];
    st_postings_name name;
    strata_bytes value; /* of the last entry of the first one, in `bytes` */
    bool inside;        /* the second one begins with the same value */
    uint8_t bytes[ST_MAX_KEY];
} halves;

/* Cuts a block in two, which are written behind it. False if that is not possible, and if entries were only appended:
 * then the first one has to become full. */
static bool cut_block(const st_postings_work *a, strata_bytes block, halves *out) {
    st_posting_view view;
    uint8_t *room = a->block + edited_limit(a);
    if (a->append || !st_posting_open(block, &view)) return false;
    uint32_t middle = st_posting_middle(&view), from = 0, to = middle;
    if (middle == 0) return false;
    for (int i = 0; i < 2; i++, from = middle, to = view.entries) {
        if (st_posting_slice_size(&view, from, to) > a->block_size) return false;
        out->slices[i] = (strata_bytes){ room, st_posting_slice(&view, from, to, room) };
        if (out->slices[i].size == 0) return false;
        room += out->slices[i].size;
    }
    uint32_t run = st_posting_run_of(&view, middle - 1);
    out->value = (strata_bytes){ out->bytes, st_posting_value(&view, run, out->bytes, sizeof out->bytes) };
    out->inside = run == st_posting_run_of(&view, middle);
    st_postings_name_of(&out->name, a->set.id, out->value, st_posting_key(&view, middle - 1));
    return true;
}

/* Writes the copy of a block in which changes were made. `*done` is false if it is too large, and cannot be cut. */
static strata_status put_edited(st_postings_work *a, size_t size, bool *done) {
    halves cut;
    strata_bytes whole = { a->block, size };
    bool fits = size <= a->block_size;
    *done = fits || cut_block(a, whole, &cut);
    if (!*done) return STRATA_OK;
    strata_bytes name = st_postings_name_bytes(&a->name);
    if (fits) return st_tree_put(a->writer, a->set.tree, name, whole, a->error);
    strata_status status = cut.inside ? st_postings_note(a, cut.value) : STRATA_OK;
    if (status != STRATA_OK) return status;
    status = st_tree_put(a->writer, a->set.tree, st_postings_name_bytes(&cut.name), cut.slices[0], a->error);
    return status == STRATA_OK ? st_tree_put(a->writer, a->set.tree, name, cut.slices[1], a->error) : status;
}

/* Merges the block, if there is one, with the changes before `end`. */
static strata_status merge_block(st_postings_work *a, const st_posting_view *view, size_t end) {
    size_t carried = a->list.key_count, changes = end - a->next;
    strata_status status = st_postings_merge(a, view, end);
    a->shrunk = a->list.key_count < carried + view->entries;
    a->heavy = changes * 8 >= view->entries;
    return status;
}

/* ---- Writing ---------------------------------------------------------- */

/* Writes the entries between two positions as one block. */
static strata_status put_block(st_postings_work *a, st_posting_position from, st_posting_position to, size_t size,
                               bool open) {
    const st_posting_list *list = &a->list;
    st_postings_name name;
    if (open) {
        st_postings_name_open(&name, a->set.id);
    } else {
        bool between = to.run > 0 && list->runs[to.run - 1].end == to.key;
        const st_posting_run *run = list->runs + to.run - (between ? 1 : 0);
        strata_bytes value = { run->value, run->size };
        strata_status status = between ? STRATA_OK : st_postings_note(a, value);
        if (status != STRATA_OK) return status;
        st_postings_name_of(&name, a->set.id, value, list->keys[to.key - 1]);
    }
    if (name.size == a->name.size && memcmp(name.bytes, a->name.bytes, name.size) == 0) a->name_in_tree = false;
    st_posting_write(list, from, to, a->block);
    return st_tree_put(a->writer, a->set.tree, st_postings_name_bytes(&name), (strata_bytes){ a->block, size },
                       a->error);
}

static strata_status too_many_copies(const st_postings_work *a) {
    return st_fail(a->error, STRATA_TOO_LARGE, 0, "%s %u: an entry would stand there more than %d times",
                   st_postings_kind(a->set), a->set.id, ST_POSTING_MAX_COPIES);
}

/* Writes blocks of at most `limit` bytes from the list, and removes their entries from it. The last block, which holds
 * the end of the list, is written only with `all`; it is the open-ended one with `open`. */
static strata_status put_blocks(st_postings_work *a, size_t limit, bool all, bool open) {
    strata_status status = STRATA_OK;
    st_posting_position from = { 0, 0 }, to;
    size_t end = a->list.key_count, size;
    while (from.key < end && status == STRATA_OK) {
        to = st_posting_fit(&a->list, from, limit, &size);
        if (size > a->block_size) return too_many_copies(a);
        if (to.key == end && !all) break;
        status = put_block(a, from, to, size, open && to.key == end);
        from = to;
    }
    st_posting_list_drop(&a->list, from);
    return status;
}

/* The least limit, tried in steps, that gives no more blocks than full ones would be. */
static size_t even_limit(const st_postings_work *a) {
    size_t blocks = 0, total = 0, size;
    st_posting_position at = { 0, 0 };
    for (; at.key < a->list.key_count; blocks++, total += size) at = st_posting_fit(&a->list, at, a->block_size, &size);
    for (size_t limit = total / blocks; limit < a->block_size; limit += a->block_size / 32) {
        size_t count = 0;
        at = (st_posting_position){ 0, 0 };
        for (; at.key < a->list.key_count; count++) at = st_posting_fit(&a->list, at, limit, &size);
        if (count <= blocks) return limit;
    }
    return a->block_size;
}

/* Writes the whole list: as one block if it fits; otherwise as the least number of blocks, all about equally full; but
 * if entries were only appended, as full blocks and a rest. */
static strata_status put_all(st_postings_work *a) {
    if (a->list.key_count == 0) return STRATA_OK;
    size_t size;
    st_posting_position start = { 0, 0 }, to = st_posting_fit(&a->list, start, a->block_size, &size);
    if (size > a->block_size) return too_many_copies(a);
    if (to.key < a->list.key_count) return put_blocks(a, a->append ? a->block_size : even_limit(a), true, a->open);
    strata_status status = put_block(a, start, to, size, a->open);
    st_posting_list_drop(&a->list, to);
    return status;
}

static strata_status forget_name(st_postings_work *a) {
    if (!a->name_in_tree) return STRATA_OK;
    a->name_in_tree = false;
    return st_tree_delete(a->writer, a->set.tree, st_postings_name_bytes(&a->name), a->error);
}

/* Prepares the list for the next block. Its values are copied, so that the memory of all others can be freed. The block
 * that ended with the last one of them is gone. */
static strata_status carry(st_postings_work *a) {
    const st_posting_run *last = a->list.runs + a->list.run_count - 1; /* the list is not empty: see put_blocks() */
    a->moved = true;
    strata_status status = st_postings_note(a, (strata_bytes){ last->value, last->size });
    if (status != STRATA_OK) return status;
    st_arena_reset(&a->spare);
    for (size_t i = 0; i < a->list.run_count; i++) {
        st_posting_run *run = a->list.runs + i;
        uint8_t *copy = st_arena_alloc(&a->spare, run->size);
        if (copy == NULL) return st_no_memory(a->error, "merging an index");
        memcpy(copy, run->value, run->size);
        run->value = copy;
    }
    st_arena swap = a->values;
    a->values = a->spare;
    a->spare = swap;
    return STRATA_OK;
}

/* The block in `a->block` ends with its last value no more, since it has become the open-ended one. */
static strata_status note_last(st_postings_work *a, size_t size) {
    st_posting_view view;
    uint8_t value[ST_MAX_KEY];
    a->moved = true;
    if (!st_posting_open((strata_bytes){ a->block, size }, &view))
        return st_postings_damaged(a->set, a->error, "a block is damaged");
    size_t value_size = st_posting_value(&view, view.runs - 1, value, sizeof value);
    return st_postings_note(a, (strata_bytes){ value, value_size });
}

/* When nothing is left of the open-ended block, the block before it becomes the open-ended one. */
static strata_status open_previous(st_postings_work *a) {
    st_cursor *cursor = NULL;
    strata_bytes key, value;
    st_postings_name open, least, name;
    strata_status status = st_cursor_open(a->writer, a->set.tree, &cursor, a->error);
    if (status != STRATA_OK) return status;
    st_postings_name_open(&open, a->set.id);
    st_postings_name_least(&least, a->set.id);
    status = st_cursor_seek(cursor, st_postings_name_bytes(&open), &key, &value, a->error);
    if (status == STRATA_OK) status = st_cursor_previous(cursor, &key, &value, a->error);
    else if (status == STRATA_NOT_FOUND) status = st_cursor_last(cursor, &key, &value, a->error);
    while (status == STRATA_OK && st_postings_is_total(value)) /* its blocks are gone, and it goes at the end */
        status = st_cursor_previous(cursor, &key, &value, a->error);
    if (status == STRATA_OK && st_compare(key, st_postings_name_bytes(&least)) < 0) status = STRATA_NOT_FOUND;
    if (status == STRATA_OK && (key.size > sizeof name.bytes || value.size > a->block_size)) {
        status = st_postings_damaged(a->set, a->error, "a block is damaged");
    }
    if (status == STRATA_OK) {
        name.size = key.size;
        memcpy(name.bytes, key.data, key.size);
        memcpy(a->block, value.data, value.size);
    }
    size_t size = value.size;
    st_cursor_close(cursor);
    if (status != STRATA_OK) return status == STRATA_NOT_FOUND ? STRATA_OK : status;
    status = note_last(a, size);
    if (status == STRATA_OK) status = st_tree_delete(a->writer, a->set.tree, st_postings_name_bytes(&name), a->error);
    if (status != STRATA_OK) return status;
    return st_tree_put(a->writer, a->set.tree, st_postings_name_bytes(&open), (strata_bytes){ a->block, size },
                       a->error);
}

static size_t size_of_list(const st_postings_work *a) {
    st_posting_position end = { a->list.run_count, a->list.key_count };
    return st_posting_size(&a->list, (st_posting_position){ 0, 0 }, end);
}

/* The name of a block whose last entry would be that of the next change. */
static void name_of_next(const st_postings_work *a, st_postings_name *out) {
    const st_posting_change *change = a->changes + a->next;
    st_postings_name_of(out, a->set.id, st_posting_change_value(change), st_posting_change_key(change));
}

/* Should the list be carried over to the block after the one that was read last? */
static strata_status shall_carry(st_postings_work *a, bool *out) {
    *out = false;
    if (a->open || a->list.key_count == 0) return STRATA_OK;
    bool more = a->heavy && a->next < a->count, little = a->shrunk && a->list.key_count < a->block_size / 4;
    size_t size = !little ? 0 : size_of_list(a);
    little = little && size < a->block_size / 4;
    if (!little && !more) return STRATA_OK;

    st_postings_name after = a->name;
    strata_bytes key, value;
    st_postings_name_after(&after);
    strata_status status = st_postings_seek(a->writer, a->set, &after, &key, &value, a->error);
    if (status == STRATA_NOT_FOUND || (status == STRATA_OK && !st_postings_name_in_set(key, a->set.id))) {
        return st_postings_damaged(a->set, a->error, "its last block is missing");
    }
    if (status != STRATA_OK) return status;
    *out = little && value.size + size <= a->block_size;
    if (more && !*out) {
        st_postings_name bound;
        name_of_next(a, &bound);
        *out = st_compare(st_postings_name_bytes(&bound), key) <= 0;
    }
    return STRATA_OK;
}

/* Writes the list back, or what is not carried over of it. */
static strata_status put_back(st_postings_work *a, bool carried) {
    strata_status status;
    if (carried) {
        status = put_blocks(a, a->block_size, false, false);
        if (status == STRATA_OK) status = forget_name(a);
        return status == STRATA_OK ? carry(a) : status;
    }
    bool empty = a->list.key_count == 0;
    status = put_all(a);
    bool emptied = empty && a->open && a->name_in_tree;
    if (status == STRATA_OK) status = forget_name(a);
    if (status == STRATA_OK && emptied) status = open_previous(a);
    st_arena_reset(&a->values);
    return status;
}

/* ---- The whole -------------------------------------------------------- */

static strata_status apply_step(st_postings_work *a, bool *carried) {
    st_postings_name from = a->name;
    strata_bytes name, value;
    if (*carried) st_postings_name_after(&from);
    else name_of_next(a, &from);
    strata_status status = st_postings_seek(a->writer, a->set, &from, &name, &value, a->error);
    if (status < 0) return status;
    bool found = status == STRATA_OK && st_postings_name_in_set(name, a->set.id);
    if (!found && *carried) return st_postings_damaged(a->set, a->error, "its last block is missing");
    st_posting_view view = { 0 };
    size_t end, size;
    bool done = false;
    status = open_block(a, name, value, found, &view, &end);
    if (status == STRATA_OK && found) status = st_postings_note_changes(a, &view, end);
    if (status == STRATA_OK && found && edit_block(a, &view, end, &size)) status = put_edited(a, size, &done);
    if (status == STRATA_OK && done) a->next = end;
    if (status != STRATA_OK || done) return status;
    status = merge_block(a, &view, end);
    if (status == STRATA_OK) status = shall_carry(a, carried);
    return status == STRATA_OK ? put_back(a, *carried) : status;
}

strata_status st_postings_apply(st_txn *writer, st_posting_set set, st_posting_batch *batch, strata_error *error) {
    if (batch->count == 0) return STRATA_OK;
    st_postings_work a = { .writer = writer, .set = set, .error = error, .changes = batch->changes,
                           .count = batch->count };
    strata_status status = STRATA_OK;
    bool carried = false;
    a.block_size = st_store_block_size(st_txn_store(writer));
    a.block = malloc(edited_limit(&a) + 2 * a.block_size); /* a copy with changes, and the two it is cut into */
    if (a.block == NULL || !st_posting_batch_sort(batch))
        status = st_no_memory(error, "sorting the changes of an index");
    while (status == STRATA_OK && (carried || a.next < a.count)) status = apply_step(&a, &carried);
    if (status == STRATA_OK) status = st_postings_settle(&a);
    free(a.block);
    free(a.notes.values);
    st_arena_free(&a.notes.memory);
    st_posting_list_free(&a.list);
    st_arena_free(&a.values);
    st_arena_free(&a.spare);
    st_posting_batch_free(batch);
    return status;
}

strata_status st_postings_clear(st_txn *writer, st_posting_set set, strata_error *error) {
    st_postings_name name;
    strata_bytes key, value;
    for (;;) {
        st_postings_name_least(&name, set.id);
        strata_status status = st_tree_seek(writer, set.tree, st_postings_name_bytes(&name), &key, &value, error);
        if (status != STRATA_OK) return status == STRATA_NOT_FOUND ? STRATA_OK : status;
        if (!st_postings_name_in_set(key, set.id) || key.size > sizeof name.bytes) return STRATA_OK;
        memcpy(name.bytes, key.data, key.size);
        name.size = key.size;
        status = st_tree_delete(writer, set.tree, st_postings_name_bytes(&name), error);
        if (status != STRATA_OK) return status;
    }
}
