/* SPDX-License-Identifier: MIT
 * hash_table.c -- positions in an array, found by the hash of what is there. */
#include "write/hash_table.h"

#include <stdlib.h>

bool st_hash_table_grow(st_hash_table *table) {
    st_hash_table larger = { .size = table->size == 0 ? 16 : 2 * table->size };
    larger.slots = calloc(larger.size, sizeof *larger.slots);
    if (larger.slots == NULL) return false;
    for (size_t i = 0; i < table->size; i++) {
        const st_hash_slot *slot = &table->slots[i];
        if (slot->position != 0) st_hash_table_add(&larger, slot->hash, slot->position - 1);
    }
    free(table->slots);
    *table = larger;
    return true;
}

void st_hash_table_free(st_hash_table *table) {
    free(table->slots);
    *table = (st_hash_table){ 0 };
}
