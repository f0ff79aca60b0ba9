/* SPDX-License-Identifier: MIT */
#include "order.h"

#include <stdlib.h>

#include "peer.h"

entry *entries_new(uint64_t count) {
    entry *entries = malloc((size_t)(count + 1) * sizeof *entries);
    if (entries == NULL) bench_fail("lmdb", "entries", "no memory");
    return entries;
}

/** By a byte at a time, from the lowest one up; those that are the same in all keys are left out. */
void entries_sort(entry *entries, entry *spare, uint64_t count) {
    static const int digits = 8;
    uint64_t starts[8][256] = { { 0 } };
    if (count == 0) return;
    for (uint64_t i = 0; i < count; i++)
        for (int d = 0; d < digits; d++) starts[d][entries[i].key >> 8 * d & 255]++;
    entry *from = entries, *to = spare;
    for (int d = 0; d < digits; d++) {
        uint64_t sum = 0;
        if (starts[d][from[0].key >> 8 * d & 255] == count) continue;
        for (int b = 0; b < 256; b++) {
            uint64_t size = starts[d][b];
            starts[d][b] = sum;
            sum += size;
        }
        for (uint64_t i = 0; i < count; i++) to[starts[d][from[i].key >> 8 * d & 255]++] = from[i];
        entry *other = from;
        from = to;
        to = other;
    }
    if (from != entries) memcpy(entries, from, (size_t)count * sizeof *entries);
}
