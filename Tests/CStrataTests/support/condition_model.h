/* SPDX-License-Identifier: MIT
 *
 * condition_model.h -- objects with columns of every kind, in two stores and in plain C, and conditions decided in the
 * latter.
 *
 * Both stores hold the same objects under the same keys; only the columns of the first are indexed. The plain copies
 * are read back through the public header, which other tests look at.
 */
#ifndef CONDITION_MODEL_H
#define CONDITION_MODEL_H

#include "support/strata_support.h"

/* Alpha and Beta have a column of each type, twice, and a list, a set and a map of it. Narrow has numbers only, and
 * many objects. A Place is what WITHIN looks at. */
enum { ALPHA, BETA, NARROW, PLACE, WORLD_TABLES };
enum { MOST_COLUMNS = 80 };

typedef struct world_column {
    char name[24];
    strata_type type;
    strata_collection collection;
    uint32_t flags;
    uint32_t target; /* of links */
} world_column;

/** Values of a cell; of a single column there is one. */
typedef struct world_cell {
    uint32_t count;
    strata_value *values;
    strata_bytes *keys; /* of a map */
} world_cell;

typedef struct world_row {
    uint64_t key;
    world_cell cells[MOST_COLUMNS];
} world_row;

typedef struct world_table {
    uint32_t column_count, row_count;
    world_column columns[MOST_COLUMNS];
    world_row *rows; /* ascending by key */
} world_table;

typedef struct world {
    uint64_t random;
    fixture *stores[2];
    world_table tables[WORLD_TABLES];
    void **blocks;   /* memory of values, freed with the world */
    size_t block_count, block_capacity;
} world;

static inline uint64_t pick(world *w, uint64_t limit) { return ctest_random(&w->random) % limit; }

/* condition_data.c */

world *world_make(uint64_t seed);
void world_free(world *w);
/** A random value that a column of this type may have; null now and then. Bytes live as long as the world. */
strata_value world_value(world *w, strata_type type, uint32_t target);
/** Memory that lives as long as the world. */
void *world_memory(world *w, size_t size);
const world_row *world_find(const world *w, uint32_t table, uint64_t key);

/* condition_model.c */

/** Does the object meet the condition? */
bool world_holds(const world *w, const strata_node *nodes, uint32_t table, const world_row *row);

#endif
