/* SPDX-License-Identifier: MIT
 * named.c -- what is found by bytes that stand for it. */
#include "observe/named.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { FIRST_SLOTS = 16 };

static st_named **slot_of(const st_names *names, uint64_t hash) {
    return &names->slots[hash & (names->slot_count - 1)];
}

static bool has_bytes(const st_named *named, const void *bytes, size_t size) {
    return named->size == size && (size == 0 || memcmp(named->bytes, bytes, size) == 0);
}

st_named *st_names_find(const st_names *names, const void *bytes, size_t size) {
    if (names->count == 0) return NULL;
    uint64_t hash = st_hash(&st_hash_key_of_process, bytes, size);
    st_named *named = *slot_of(names, hash);
    while (named != NULL && (named->hash != hash || !has_bytes(named, bytes, size))) named = named->next;
    return named;
}

static void put(st_names *names, st_named *named) {
    st_named **slot = slot_of(names, named->hash);
    named->next = *slot;
    *slot = named;
}

static bool grow(st_names *names) {
    st_names larger = { .slot_count = names->slot_count == 0 ? FIRST_SLOTS : 2 * names->slot_count,
                        .count = names->count };
    larger.slots = calloc(larger.slot_count, sizeof *larger.slots);
    if (larger.slots == NULL) return false;
    for (size_t i = 0; i < names->slot_count; i++) {
        for (st_named *named = names->slots[i], *next; named != NULL; named = next) {
            next = named->next;
            put(&larger, named);
        }
    }
    free(names->slots);
    *names = larger;
    return true;
}

bool st_names_add(st_names *names, st_named *named) {
    if (names->count == names->slot_count && !grow(names)) return false;
    named->hash = st_hash(&st_hash_key_of_process, named->bytes, named->size);
    put(names, named);
    names->count++;
    return true;
}

void st_names_remove(st_names *names, st_named *named) {
    st_named **at = slot_of(names, named->hash);
    while (*at != named) at = &(*at)->next;
    *at = named->next;
    names->count--;
}

void st_names_free(st_names *names) {
    free(names->slots);
    *names = (st_names){ 0 };
}
