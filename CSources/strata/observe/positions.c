/* SPDX-License-Identifier: MIT
 * positions.c -- a list of positions. */
#include "observe/positions.h"

#include <stdlib.h>

#include "base/sort.h"

enum { FIRST_CAPACITY = 16 };

static bool reserve(st_positions *list, uint64_t more) {
    if (more <= list->capacity - list->count) return true;
    if (more > SIZE_MAX / 32) return false;
    size_t capacity = list->capacity == 0 ? FIRST_CAPACITY : 2 * list->capacity;
    while (capacity < list->count + more) capacity *= 2;
    uint64_t *items = realloc(list->items, capacity * sizeof *items);
    if (items == NULL) return false;
    list->items = items;
    list->capacity = capacity;
    return true;
}

bool st_positions_add(st_positions *list, uint64_t position) {
    if (!reserve(list, 1)) return false;
    list->items[list->count++] = position;
    return true;
}

bool st_positions_add_range(st_positions *list, uint64_t from, uint64_t to) {
    if (from < to && !reserve(list, to - from)) return false;
    while (from < to) list->items[list->count++] = from++;
    return true;
}

bool st_positions_sort(st_positions *list) {
    size_t sorted = 1;
    while (sorted < list->count && list->items[sorted - 1] <= list->items[sorted]) sorted++;
    if (sorted >= list->count) return true;
    st_sort_item *items = malloc(2 * list->count * sizeof *items);
    if (items == NULL) return false;
    for (size_t i = 0; i < list->count; i++) items[i] = (st_sort_item){ list->items[i], 0 };
    st_sort_items(items, items + list->count, list->count);
    for (size_t i = 0; i < list->count; i++) list->items[i] = items[i].order;
    free(items);
    return true;
}

void st_positions_free(st_positions *list) {
    free(list->items);
    *list = (st_positions){ 0 };
}
