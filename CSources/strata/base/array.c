/* SPDX-License-Identifier: MIT
 * array.c -- plain arrays that grow. */
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>

bool st_array_grow(void **items, size_t *capacity, size_t count, size_t item_size) {
    if (count < *capacity) return true;
    size_t larger = *capacity < 8 ? 8 : *capacity * 2;
    if (larger > SIZE_MAX / 2 / item_size) return false;
    void *grown = realloc(*items, larger * item_size);
    if (grown == NULL) return false;
    *items = grown;
    *capacity = larger;
    return true;
}
