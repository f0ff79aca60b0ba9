/* SPDX-License-Identifier: MIT
 * operations.h -- random operations on a store that are compared with a model, for tests and for fuzzing. */
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include "strata.h"

/** Where choices come from: a seed, or bytes, and then the play ends with them. */
typedef struct operations_source {
    uint64_t seed;
    const uint8_t *data; /* NULL: the seed */
    size_t size;
} operations_source;

/** Plays so many transactions, some of them rolled back, some with an older snapshot held beside them, and closes and
 * opens the store in between. Everything is compared after each, and the file verified. */
void operations_play(operations_source source, const strata_config *config, int transactions);

#endif
