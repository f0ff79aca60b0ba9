/* SPDX-License-Identifier: MIT
 * key_map.h -- a number for each of some keys. */
#ifndef ST_BASE_KEY_MAP_H
#define ST_BASE_KEY_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Empty when it is zero. Freed with st_key_map_free(). Takes 14 to 27 bytes for each key. */
typedef struct st_key_map {
    uint64_t *keys; /* by hash; 0: the slot is free */
    uint32_t *numbers;
    size_t slot_count; /* a power of two, or 0; at most seven of eight slots are used */
    size_t count;
} st_key_map;

/** The number of a key; 0 if it has none. */
uint32_t st_key_map_get(const st_key_map *map, uint64_t key);
/** Gives a key a number, which is not 0. False if there is no memory. */
bool st_key_map_set(st_key_map *map, uint64_t key, uint32_t number);
/** Forgets a key, if it is there. */
void st_key_map_remove(st_key_map *map, uint64_t key);
/** The bytes that it takes. */
size_t st_key_map_memory(const st_key_map *map);
void st_key_map_free(st_key_map *map);

#endif
