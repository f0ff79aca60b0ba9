/* SPDX-License-Identifier: MIT
 *
 * array.h -- plain arrays that grow.
 *
 * An array is a pointer from malloc(), a count and a capacity, which belong to the caller.
 */
#ifndef ST_BASE_ARRAY_H
#define ST_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/** Makes room for one more item in an array that has `count` of them; it doubles. False if there is no memory. */
bool st_array_grow(void **items, size_t *capacity, size_t count, size_t item_size);

#endif
