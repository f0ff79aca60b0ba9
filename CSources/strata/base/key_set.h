/* SPDX-License-Identifier: MIT
 * key_set.h -- a set of keys: of objects, perhaps with the number of their table, or of pages. */
#ifndef ST_BASE_KEY_SET_H
#define ST_BASE_KEY_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Empty when it is zero. Freed with st_key_set_free(). */
typedef struct st_key_set {
    uint64_t *items; /* in the order in which they were added, until they are sorted */
    size_t count, capacity;
    uint32_t *slots; /* by hash: the position of an item plus 1, or 0 */
    size_t slot_count; /* a power of two; at most half of the slots are used */
} st_key_set;

/** Adds a key; 0 is none. False if there is no memory. `*added`, which may be NULL, says whether it is new. */
bool st_key_set_add(st_key_set *set, uint64_t key, bool *added);
bool st_key_set_has(const st_key_set *set, uint64_t key);
/** Sorts the items. False if there is no memory. */
bool st_key_set_sort(st_key_set *set);
/** Forgets all keys, but keeps the memory. */
void st_key_set_clear(st_key_set *set);
void st_key_set_free(st_key_set *set);

#endif
