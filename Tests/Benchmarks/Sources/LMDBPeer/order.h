/* SPDX-License-Identifier: MIT
 *
 * order.h -- sorting by numbers: what is changed in order finds the pages it needs in the order of the tree. */
#ifndef ORDER_H
#define ORDER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct entry {
    uint64_t key, object;
} entry;

/** Memory for `count` entries; ends the program if there is none. */
entry *entries_new(uint64_t count);

/** Sorts by key, entries of the same key staying in their order. `spare` has room for as many. */
void entries_sort(entry *entries, entry *spare, uint64_t count);

/** A number that is in the order of doubles that are not below 0. */
static inline uint64_t order_of(double value) {
    uint64_t order;
    memcpy(&order, &value, sizeof order);
    return order;
}

#endif
