/* SPDX-License-Identifier: MIT
 * key_map.c -- a number for each of some keys. */
#include "base/key_map.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

static size_t first_slot(const st_key_map *map, uint64_t key) {
    return (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (map->slot_count - 1);
}

static size_t next_slot(const st_key_map *map, size_t slot) { return (slot + 1) & (map->slot_count - 1); }

/* The slot of a key, or the free one where it belongs. */
static size_t find(const st_key_map *map, uint64_t key) {
    size_t slot = first_slot(map, key);
    while (map->keys[slot] != 0 && map->keys[slot] != key) slot = next_slot(map, slot);
    return slot;
}

uint32_t st_key_map_get(const st_key_map *map, uint64_t key) {
    if (map->count == 0) return 0;
    size_t slot = find(map, key);
    return map->keys[slot] == key ? map->numbers[slot] : 0;
}

static bool grow(st_key_map *map) {
    st_key_map larger = { .slot_count = map->slot_count == 0 ? FIRST_SLOTS : 2 * map->slot_count,
                          .count = map->count };
    larger.keys = calloc(larger.slot_count, sizeof *larger.keys);
    larger.numbers = malloc(larger.slot_count * sizeof *larger.numbers);
    if (larger.keys == NULL || larger.numbers == NULL) {
        st_key_map_free(&larger);
        return false;
    }
    for (size_t i = 0; i < map->slot_count; i++) {
        if (map->keys[i] == 0) continue;
        size_t slot = find(&larger, map->keys[i]);
        larger.keys[slot] = map->keys[i];
        larger.numbers[slot] = map->numbers[i];
    }
    st_key_map_free(map);
    *map = larger;
    return true;
}

bool st_key_map_set(st_key_map *map, uint64_t key, uint32_t number) {
    if ((map->count + 1) * 8 > map->slot_count * 7 && !grow(map)) return false;
    size_t slot = find(map, key);
    if (map->keys[slot] == 0) map->count++;
    map->keys[slot] = key;
    map->numbers[slot] = number;
    return true;
}

/* Whether a slot lies from `first` on before `behind`, around the end of the slots. */
static bool lies_in(size_t slot, size_t first, size_t behind) {
    return first <= behind ? first <= slot && slot < behind : first <= slot || slot < behind;
}

void st_key_map_remove(st_key_map *map, uint64_t key) {
    if (map->count == 0) return;
    size_t hole = find(map, key);
    if (map->keys[hole] == 0) return;
    map->count--;
    /* What stands behind the hole moves into it, unless its search begins behind the hole. */
    for (size_t slot = next_slot(map, hole); map->keys[slot] != 0; slot = next_slot(map, slot)) {
        if (lies_in(first_slot(map, map->keys[slot]), next_slot(map, hole), next_slot(map, slot))) continue;
        map->keys[hole] = map->keys[slot];
        map->numbers[hole] = map->numbers[slot];
        hole = slot;
    }
    map->keys[hole] = 0;
}

size_t st_key_map_memory(const st_key_map *map) {
    return map->slot_count * (sizeof *map->keys + sizeof *map->numbers);
}

void st_key_map_free(st_key_map *map) {
    free(map->keys);
    free(map->numbers);
    *map = (st_key_map){ 0 };
}
