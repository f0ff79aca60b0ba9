/* SPDX-License-Identifier: MIT
 *
 * compound_walk.c -- rows in the order of a compound index.
 *
 * Entries with the same values in the columns of the order are a group, whose keys are wanted in their own order. Where
 * other columns follow, or the walk goes backward, a group is gathered and sorted before any of it is given away.
 */
#include <stdlib.h>

#include "base/sort.h"
#include "base/status.h"
#include "query/compound.h"

enum { BATCH = 256 };

typedef struct walk {
    st_query *query;
    const st_compound_order *order;
    st_tuple tuple;
    st_compound_taker *take;
    void *context;
    uint64_t most;         /* how many are still wanted */
    uint64_t *keys;        /* of the group, or of a part of it if it comes in order */
    size_t count, capacity;
    bool gathers;          /* groups do not come in order */
    bool has_strings;      /* entries may be cut */
    bool stopped, useless;
    size_t group_size;     /* the values that the group has in common, and their size */
    uint8_t group[ST_MAX_KEY];
} walk;

static strata_status damaged(const walk *w) {
    return st_fail(w->query->error, STRATA_CORRUPT, 0, "index %u: an entry is damaged", w->order->index->id);
}

static strata_status sort_keys(walk *w) {
    if (w->count < 2) return STRATA_OK;
    st_sort_item *items = malloc(2 * w->count * sizeof *items);
    if (items == NULL) return st_no_memory(w->query->error, "walking an index");
    for (size_t i = 0; i < w->count; i++) items[i] = (st_sort_item){ w->keys[i], 0 };
    st_sort_items(items, items + w->count, w->count);
    for (size_t i = 0; i < w->count; i++) w->keys[i] = items[i].order;
    free(items);
    return STRATA_OK;
}

/* Gives away what was gathered. */
static strata_status give(walk *w) {
    if (w->count == 0) return STRATA_OK;
    strata_status status = w->gathers ? sort_keys(w) : STRATA_OK;
    if (status != STRATA_OK) return status;
    w->most -= w->count < w->most ? w->count : w->most;
    w->stopped = !w->take(w->context, w->keys, w->count) || w->most == 0;
    w->count = 0;
    return w->query->status;
}

/* Looks whether strings are cut, and begins another group if the entry is not of this one. */
static strata_status find_group(walk *w, strata_bytes entry) {
    uint32_t first = w->order->first, end = w->order->end;
    bool cut = false;
    size_t size = 0;
    for (uint32_t columns = w->has_strings && first < end ? first + 1 : end; columns <= end; columns++) {
        size = st_tuple_size(&w->tuple, columns, entry, &cut);
        if (columns > first && cut) w->useless = true;
        if (size == 0 && columns != 0) return damaged(w);
    }
    if (!w->gathers || (size == w->group_size && memcmp(w->group, entry.data, size) == 0)) return STRATA_OK;
    strata_status status = give(w);
    w->group_size = size;
    memcpy(w->group, entry.data, size);
    return status;
}

static strata_status walk_range(walk *w, const st_posting_range *range) {
    st_posting_cursor *cursor;
    strata_bytes entry;
    uint64_t key;
    strata_error *error = w->query->error;
    st_posting_set set = st_index_set(w->order->index);
    bool looks = w->gathers || w->has_strings;
    strata_status status =
        st_posting_cursor_open(w->query->view->txn, set, range, w->order->backward, &cursor, error);
    while (status == STRATA_OK && !w->stopped) {
        status = st_posting_cursor_next(cursor, &key, looks ? &entry : NULL, error);
        if (status != STRATA_OK) break;
        w->query->stats.entries_visited++;
        if (looks) status = entry.size <= ST_MAX_KEY ? find_group(w, entry) : damaged(w);
        if (status != STRATA_OK || w->useless || w->stopped) break;
        if (!st_array_grow((void **)&w->keys, &w->capacity, w->count, sizeof *w->keys)) {
            status = st_no_memory(error, "walking an index");
            break;
        }
        w->keys[w->count++] = key;
        if (!w->gathers && (w->count == BATCH || w->count >= w->most)) status = give(w);
    }
    st_posting_cursor_close(cursor);
    return status == STRATA_END ? STRATA_OK : status;
}

strata_status st_compound_walk(st_query *query, const st_compound_order *order, const st_posting_range *ranges,
                               size_t range_count, uint64_t most, st_compound_taker *take, void *context,
                               bool *useless) {
    walk w = { .query = query, .order = order, .take = take, .context = context, .most = most,
               .group_size = SIZE_MAX };
    strata_status status = STRATA_OK;
    w.tuple = st_index_tuple(query->table, order->index);
    w.gathers = order->backward || order->end < order->index->column_count;
    for (uint32_t i = order->first; i < order->end; i++)
        w.has_strings = w.has_strings || w.tuple.parts[i].type == STRATA_STRING;
    w.stopped = most == 0;
    for (size_t i = 0; i < range_count && status == STRATA_OK && !w.stopped && !w.useless; i++)
        status = walk_range(&w, &ranges[order->backward ? range_count - 1 - i : i]);
    if (status == STRATA_OK && !w.useless && !w.stopped) status = give(&w);
    *useless = w.useless;
    free(w.keys);
    return status;
}
