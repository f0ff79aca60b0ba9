/* SPDX-License-Identifier: MIT
 * found.c -- the changes that an observer tells of. */
#include "observe/found.h"

#include <string.h>

#include "base/sort.h"

void st_found_reset(st_found *f) {
    f->flags = 0;
    f->deletions.count = f->insertions.count = f->before.count = f->after.count = 0;
    f->columns.count = f->paths.count = 0;
    f->bytes.size = 0;
}

void st_found_free(st_found *f) {
    st_positions_free(&f->deletions);
    st_positions_free(&f->insertions);
    st_positions_free(&f->before);
    st_positions_free(&f->after);
    st_positions_free(&f->columns);
    st_positions_free(&f->paths);
    st_buffer_free(&f->bytes);
    free(f->deleted_keys);
    free(f->numbers);
    *f = (st_found){ 0 };
}

size_t st_found_memory(const st_found *f) {
    const size_t positions = f->deletions.capacity + f->insertions.capacity + f->before.capacity + f->after.capacity +
                             f->columns.capacity + f->paths.capacity;
    return positions * sizeof *f->deletions.items + f->bytes.capacity;
}

bool st_found_modified(st_found *f, uint64_t before, uint64_t after) {
    return st_positions_add(&f->before, before) && st_positions_add(&f->after, after);
}

bool st_found_sort(st_found *f) {
    size_t count = f->before.count, sorted = 1;
    while (sorted < count && f->before.items[sorted - 1] < f->before.items[sorted]) sorted++;
    if (sorted >= count) return true;
    st_sort_item *items = malloc(2 * count * sizeof *items);
    if (items == NULL) return false;
    for (size_t i = 0; i < count; i++) items[i] = (st_sort_item){ f->before.items[i], f->after.items[i] };
    st_sort_items(items, items + count, count);
    for (size_t i = 0; i < count; i++) {
        f->before.items[i] = items[i].order;
        f->after.items[i] = items[i].index;
    }
    free(items);
    return true;
}

/* The columns and the paths, each once and ascending, as numbers of 32 bits. */
static bool tell_numbers(st_found *f, strata_changes *out) {
    const st_positions *lists[] = { &f->columns, &f->paths };
    uint32_t counts[2] = { 0, 0 };
    if (f->columns.count + f->paths.count == 0) return true;
    if (!st_positions_sort(&f->columns) || !st_positions_sort(&f->paths)) return false;
    uint32_t *numbers = realloc(f->numbers, (f->columns.count + f->paths.count) * sizeof *numbers);
    if (numbers == NULL) return false;
    f->numbers = numbers;
    for (size_t l = 0; l < 2; l++) {
        uint32_t *to = l == 0 ? numbers : numbers + counts[0];
        for (size_t i = 0; i < lists[l]->count; i++) {
            uint32_t number = (uint32_t)lists[l]->items[i];
            if (counts[l] == 0 || to[counts[l] - 1] != number) to[counts[l]++] = number;
        }
    }
    out->columns = numbers;
    out->column_count = counts[0];
    out->paths = numbers + counts[0];
    out->path_count = counts[1];
    return true;
}

bool st_found_tell(st_found *f, strata_changes *out) {
    bool done = st_found_sort(f) && st_positions_sort(&f->deletions) && st_positions_sort(&f->insertions);
    if (!done || !tell_numbers(f, out)) return false;
    out->flags = f->flags;
    out->deletions = f->deletions.items;
    out->deletion_count = f->deletions.count;
    out->insertions = f->insertions.items;
    out->insertion_count = f->insertions.count;
    out->modifications = f->before.items;
    out->modifications_after = f->after.items;
    out->modification_count = f->before.count;
    out->deleted_keys = f->bytes.size == 0 && f->deleted_keys == NULL ? NULL : f->deleted_keys;
    return true;
}
