/* SPDX-License-Identifier: MIT
 * sort.h -- stable sorting, by a number or by a comparison, and the C library's sort for arrays that may be empty. */
#ifndef ST_BASE_SORT_H
#define ST_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** An item is sorted by `order`; `index` tells the caller what it stands for. */
typedef struct st_sort_item {
    uint64_t order;
    uint64_t index;
} st_sort_item;

/** Sorts the items by `order`; equal ones keep their relative order. `scratch` has room for `count` items. */
void st_sort_items(st_sort_item *items, st_sort_item *scratch, size_t count);

/** True if the item with index `a` comes before the one with index `b`. */
typedef bool st_sort_before(const void *context, uint64_t a, uint64_t b);

/** Sorts the items by a comparison of their indices; equal ones keep their relative order. Used for stretches of items
 * whose `order` is equal. `scratch` has room for `count` items. */
void st_sort_stretch(st_sort_item *items, st_sort_item *scratch, size_t count, st_sort_before *before,
                     const void *context);

/** The library's qsort, which wants an array even where there is nothing to sort: here `items` may be NULL if `count`
 * is 0. Equal items come in any order. */
void st_sort_array(void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b));

#endif
