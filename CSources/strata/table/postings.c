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

/* The 8 bytes behind the common ones as a number. */
static uint64_t order_of(const st_posting_change *change, size_t common) {
    size_t rest = change->size - common;
    if (rest >= 8) return st_load_big64(change->value + common);
    uint64_t order = 0;
    for (size_t i = 0; i < rest; i++) order |= (uint64_t)change->value[common + i] << (56 - 8 * i);
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

st_sort_item *st_posting_batch_sort(const st_posting_batch *batch) {
    size_t count = batch->count;
    if (count > SIZE_MAX / 4 / sizeof(st_sort_item)) return NULL;
    st_sort_item *items = malloc(2 * count * sizeof *items);
    if (items == NULL) return NULL;
    size_t common = common_prefix(batch);
    for (size_t i = 0; i < count; i++) items[i] = (st_sort_item){ order_of(batch->changes + i, common), i };
    st_sort_items(items, items + count, count);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && items[to].order == items[from].order;) to++;
        if (to - from > 1) st_sort_stretch(items + from, items + count, to - from, stands_before, batch->changes);
    }
    return items;
}
