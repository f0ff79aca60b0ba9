/* SPDX-License-Identifier: MIT
 * sort.h -- stable sorting by a number. */
#ifndef ST_BASE_SORT_H
#define ST_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Something to sort: by `order`; `index` says what it is. */
typedef struct st_sort_item {
    uint64_t order;
    uint64_t index;
} st_sort_item;

/** Sorts the items by `order`; equal ones keep their order. `scratch` has room for as many. */
void st_sort_items(st_sort_item *items, st_sort_item *scratch, size_t count);

/** True if `a` stands before `b`. */
typedef bool st_sort_before(const void *context, uint64_t a, uint64_t b);

/** Sorts the indices of items by a comparison; equal ones keep their order. For stretches of equal `order`. */
void st_sort_stretch(st_sort_item *items, st_sort_item *scratch, size_t count, st_sort_before *before,
                     const void *context);

#endif
