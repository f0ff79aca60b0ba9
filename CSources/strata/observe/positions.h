/* SPDX-License-Identifier: MIT
 * positions.h -- a list of positions. */
#ifndef ST_OBSERVE_POSITIONS_H
#define ST_OBSERVE_POSITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Empty when it is zero. Freed with st_positions_free(). */
typedef struct st_positions {
    uint64_t *items;
    size_t count, capacity;
} st_positions;

/** Appends a position. False if there is no memory. */
bool st_positions_add(st_positions *list, uint64_t position);
/** Appends the positions from `from` to before `to`. False if there is no memory. */
bool st_positions_add_range(st_positions *list, uint64_t from, uint64_t to);
/** Puts them in ascending order. False if there is no memory. */
bool st_positions_sort(st_positions *list);
void st_positions_free(st_positions *list);

#endif
