/* SPDX-License-Identifier: MIT
 * postings_batch.c -- changes to a set of postings. */
#include "posting/postings_batch.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"

bool st_posting_batch_add(st_posting_batch *batch, strata_bytes value, uint64_t key, bool added) {
    void *items = batch->changes;
    bool room = st_array_grow(&items, &batch->capacity, batch->count, sizeof *batch->changes);
    batch->changes = items;
    if (!room) return false;
    uint64_t order = 0;
    if (value.size <= ST_POSTING_SHORT) {
        memcpy(&order, value.data, value.size);
    } else {
        uint8_t *copy = st_arena_alloc(&batch->values, value.size);
        if (copy == NULL) return false;
        memcpy(copy, value.data, value.size);
        order = (uintptr_t)copy;
    }
    batch->changes[batch->count++] = (st_posting_change){ order, key << 16 | (uint64_t)value.size << 1 | added };
    return true;
}

void st_posting_batch_free(st_posting_batch *batch) {
    free(batch->changes);
    st_arena_free(&batch->values);
    *batch = (st_posting_batch){ 0 };
}

/* ---- Sorting ---------------------------------------------------------- */

/* 8 bytes of a value, from offset `first` on, as a number; missing bytes are 0. */
static uint64_t order_of(const st_posting_change *change, size_t first) {
    strata_bytes value = st_posting_change_value(change);
    const uint8_t *p = value.data;
    if (value.size >= first + 8) return st_load_big64(p + first);
    uint64_t order = 0;
    for (size_t i = first; i < value.size; i++) order |= (uint64_t)p[i] << (56 - 8 * (i - first));
    return order;
}

static bool stands_before(const void *changes, uint64_t a, uint64_t b) {
    const st_posting_change *x = (const st_posting_change *)changes + a, *y = (const st_posting_change *)changes + b;
    int order = st_compare(st_posting_change_value(x), st_posting_change_value(y));
    return order != 0 ? order < 0 : st_posting_change_key(x) < st_posting_change_key(y);
}

/* Sorts changes whose values all begin with the same `common` bytes: by the next 8 bytes, and where these are equal by
 * the 8 bytes after them, and so on. If a value ends within the 8 bytes, then all values with these bytes are equal,
 * because no value is a prefix of another one. */
static void sort_long(const st_posting_change *changes, st_sort_item *items, st_sort_item *scratch, size_t count,
                      size_t common) {
    enum { FEW = 32 };
    for (size_t i = 0; i < count; i++) items[i].order = order_of(changes + items[i].index, common);
    st_sort_items(items, scratch, count);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && items[to].order == items[from].order;) to++;
        if (to - from == 1) continue;
        bool ends = st_posting_change_value(changes + items[from].index).size <= common + 8;
        if (ends || to - from <= FEW) st_sort_stretch(items + from, scratch, to - from, stands_before, changes);
        else sort_long(changes, items + from, scratch, to - from, common + 8);
    }
}

/* Sorts changes with short values: by the keys, which often are in order already, then by the values as numbers. */
static void sort_short(st_posting_change *changes, st_sort_item *scratch, size_t count) {
    for (size_t i = 0; i < count; i++)
        changes[i] = (st_posting_change){ changes[i].index, __builtin_bswap64(changes[i].order) };
    st_sort_items(changes, scratch, count);
    for (size_t i = 0; i < count; i++) changes[i] = (st_posting_change){ changes[i].index, changes[i].order };
    st_sort_items(changes, scratch, count);
    for (size_t i = 0; i < count; i++) changes[i].order = __builtin_bswap64(changes[i].order);
}

bool st_posting_batch_sort(st_posting_batch *batch) {
    size_t count = batch->count;
    if (count > SIZE_MAX / 4 / sizeof(st_sort_item)) return false;
    bool some_long = batch->values.total != 0;
    st_sort_item *items = malloc((some_long ? 2 : 1) * count * sizeof *items);
    if (items == NULL) return false;
    if (!some_long) {
        sort_short(batch->changes, items, count);
    } else {
        st_sort_item *scratch = items + count;
        for (size_t i = 0; i < count; i++) items[i].index = i;
        sort_long(batch->changes, items, scratch, count, 0);
        for (size_t i = 0; i < count; i++) scratch[i] = batch->changes[items[i].index];
        memcpy(batch->changes, scratch, count * sizeof *scratch);
    }
    free(items);
    return true;
}
