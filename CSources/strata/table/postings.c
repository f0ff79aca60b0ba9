/* SPDX-License-Identifier: MIT
 * postings.c -- changes to a set of postings, collected and sorted. */
#include "table/postings_apply.h"

#include <stdlib.h>

bool st_posting_batch_add(st_posting_batch *batch, strata_bytes value, uint64_t key, bool added) {
    void *items = batch->changes;
    bool room = st_array_grow(&items, &batch->capacity, batch->count, sizeof *batch->changes);
    batch->changes = items;
    uint8_t *copy = room ? st_arena_take(&batch->values, value.size) : NULL;
    if (copy == NULL) return false;
    memcpy(copy, value.data, value.size);
    batch->changes[batch->count++] = (st_posting_change){ copy, key, (uint16_t)value.size, added };
    return true;
}

void st_posting_batch_reset(st_posting_batch *batch) {
    batch->count = 0;
    st_arena_reset(&batch->values);
}

void st_posting_batch_free(st_posting_batch *batch) {
    free(batch->changes);
    st_arena_free(&batch->values);
    *batch = (st_posting_batch){ 0 };
}

/* ---- Sorting ---------------------------------------------------------- */

/* How many bytes all values begin with. */
static size_t common_prefix(const st_posting_batch *batch) {
    const st_posting_change *first = batch->changes;
    size_t common = first->size;
    for (size_t i = 1; i < batch->count && common != 0; i++) {
        const st_posting_change *c = first + i;
        if (c->size < common) common = c->size;
        if (memcmp(c->value, first->value, common) == 0) continue;
        size_t n = 0;
        while (c->value[n] == first->value[n]) n++;
        common = n;
    }
    return common;
}

/* The 8 bytes behind the first ones as a number. */
static uint64_t order_of(const st_posting_change *change, size_t first) {
    size_t rest = change->size - first;
    if (rest >= 8) return st_load_big64(change->value + first);
    uint64_t order = 0;
    for (size_t i = 0; i < rest; i++) order |= (uint64_t)change->value[first + i] << (56 - 8 * i);
    return order;
}

int st_posting_change_compare(const st_posting_change *a, const st_posting_change *b) {
    int order = st_compare((strata_bytes){ a->value, a->size }, (strata_bytes){ b->value, b->size });
    return order != 0 ? order : a->key < b->key ? -1 : a->key > b->key;
}

static bool stands_before(const void *changes, uint64_t a, uint64_t b) {
    const st_posting_change *c = changes;
    return st_posting_change_compare(c + a, c + b) < 0;
}

/* Sorts changes whose values all begin with the same `common` bytes, by the 8 behind those, then by the next ones.
 * Where one value ends within the 8, those that agree in them are the same value, since none is a prefix of another. */
static void sort_changes(const st_posting_change *changes, st_sort_item *items, st_sort_item *scratch, size_t count,
                         size_t common) {
    enum { FEW = 32 };
    for (size_t i = 0; i < count; i++) items[i].order = order_of(changes + items[i].index, common);
    st_sort_items(items, scratch, count);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && items[to].order == items[from].order;) to++;
        if (to - from == 1) continue;
        bool ends = changes[items[from].index].size <= common + 8;
        if (ends || to - from <= FEW) st_sort_stretch(items + from, scratch, to - from, stands_before, changes);
        else sort_changes(changes, items + from, scratch, to - from, common + 8);
    }
}

st_sort_item *st_posting_batch_sort(const st_posting_batch *batch) {
    size_t count = batch->count;
    if (count > SIZE_MAX / 4 / sizeof(st_sort_item)) return NULL;
    st_sort_item *items = malloc(2 * count * sizeof *items);
    if (items == NULL) return NULL;
    for (size_t i = 0; i < count; i++) items[i].index = i;
    sort_changes(batch->changes, items, items + count, count, common_prefix(batch));
    return items;
}
