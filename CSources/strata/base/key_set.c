/* SPDX-License-Identifier: MIT
 * key_set.c -- a set of keys. */
#include "base/key_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

enum { FIRST_SLOTS = 64 };

static size_t first_slot(const st_key_set *set, uint64_t key) {
    return (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (set->slot_count - 1);
}

/* The slot of a key, or the free one where it belongs. */
static size_t find(const st_key_set *set, uint64_t key) {
    size_t slot = first_slot(set, key);
    while (set->slots[slot] != 0 && set->items[set->slots[slot] - 1] != key) slot = (slot + 1) & (set->slot_count - 1);
    return slot;
}

static void fill(st_key_set *set) {
    memset(set->slots, 0, set->slot_count * sizeof *set->slots);
    for (size_t i = 0; i < set->count; i++) set->slots[find(set, set->items[i])] = (uint32_t)i + 1;
}

static bool grow(st_key_set *set) {
    size_t slots = set->slot_count == 0 ? FIRST_SLOTS : 2 * set->slot_count, capacity = slots / 2;
    if (capacity > UINT32_MAX / 4) return false;
    uint64_t *items = realloc(set->items, capacity * sizeof *items);
    if (items == NULL) return false;
    set->items = items;
    uint32_t *table = malloc(slots * sizeof *table);
    if (table == NULL) return false;
    free(set->slots);
    set->slots = table;
    set->slot_count = slots;
    set->capacity = capacity;
    fill(set);
    return true;
}

bool st_key_set_add(st_key_set *set, uint64_t key, bool *added) {
    if (set->count == set->capacity && !grow(set)) return false;
    size_t slot = find(set, key);
    if (added != NULL) *added = set->slots[slot] == 0;
    if (set->slots[slot] != 0) return true;
    set->items[set->count++] = key;
    set->slots[slot] = (uint32_t)set->count;
    return true;
}

bool st_key_set_has(const st_key_set *set, uint64_t key) {
    return set->count != 0 && set->slots[find(set, key)] != 0;
}

bool st_key_set_sort(st_key_set *set) {
    if (set->count < 2) return true;
    st_sort_item *items = malloc(2 * set->count * sizeof *items);
    if (items == NULL) return false;
    for (size_t i = 0; i < set->count; i++) items[i] = (st_sort_item){ set->items[i], 0 };
    st_sort_items(items, items + set->count, set->count);
    for (size_t i = 0; i < set->count; i++) set->items[i] = items[i].order;
    free(items);
    fill(set);
    return true;
}

void st_key_set_clear(st_key_set *set) {
    if (set->count != 0) memset(set->slots, 0, set->slot_count * sizeof *set->slots);
    set->count = 0;
}

void st_key_set_free(st_key_set *set) {
    free(set->items);
    free(set->slots);
    *set = (st_key_set){ 0 };
}
