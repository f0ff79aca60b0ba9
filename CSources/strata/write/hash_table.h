/* SPDX-License-Identifier: MIT
 *
 * hash_table.h -- positions in an array, found by the hash of what is there.
 *
 * Open addressing, at most half full. Two items may have one hash: whoever finds a position compares what is there.
 */
#ifndef ST_WRITE_HASH_TABLE_H
#define ST_WRITE_HASH_TABLE_H

#include "base/bits.h"

typedef struct st_hash_slot {
    uint32_t position; /* + 1, 0 = free */
    uint32_t hash;
} st_hash_slot;

/** Zero-initialised it is empty. */
typedef struct st_hash_table {
    st_hash_slot *slots;
    size_t size; /* a power of two, or 0 */
    size_t count;
} st_hash_table;

/** Makes the table larger. False if there is no memory. */
bool st_hash_table_grow(st_hash_table *table);
void st_hash_table_free(st_hash_table *table);

/** Makes room for one more. False if there is no memory. */
static inline bool st_hash_table_reserve(st_hash_table *table) {
    return (table->count + 1) * 2 <= table->size || st_hash_table_grow(table);
}
/** Adds a position; there must be room. */
static inline void st_hash_table_add(st_hash_table *table, uint32_t hash, size_t position) {
    size_t at = hash & (table->size - 1);
    while (table->slots[at].position != 0) at = (at + 1) & (table->size - 1);
    table->slots[at] = (st_hash_slot){ (uint32_t)position + 1, hash };
    table->count++;
}

#endif
