/* SPDX-License-Identifier: MIT
 *
 * fuzz_operations.c -- a sequence of operations on a store in memory.
 *
 * The promise: rows, indexes, links, lists, large values and snapshots that are held show exactly what a model of plain
 * arrays shows, after every commit and rollback, whatever was done before; and everything agrees from both sides.
 */
#include "fuzz.h"
#include "support/operations.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    strata_config config = { .size = sizeof config, .memory_name = "operations" };
    strata_store *keeper; /* so that closing and opening again finds the same store */
    if (size < 2) return 0;
    CHECK(strata_store_open(&config, &keeper, NULL) == STRATA_OK);
    operations_play((operations_source){ .data = data, .size = size }, &config, 40);
    strata_store_close(keeper);
    return 0;
}
