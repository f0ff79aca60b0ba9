/* SPDX-License-Identifier: MIT */
#include "order.h"

#include <stdlib.h>

#include "peer.h"

entry *entries_new(uint64_t count) {
    entry *entries = malloc((size_t)(count + 1) * sizeof *entries);
    if (entries == NULL) bench_fail("lmdb", "entries", "no memory");
    return entries;
}

enum { DIGITS = 8, BUCKETS = 256 };

/** Sorts by the bytes from `digit` on, the lowest first; those that are the same in all keys are left out. */
static void sort_digits(entry *entries, entry *spare, uint64_t count, int digit) {
    uint64_t starts[DIGITS][BUCKETS] = { { 0 } };
    for (uint64_t i = 0; i < count; i++)
        for (int d = digit; d < DIGITS; d++) starts[d][entries[i].key >> 8 * d & 255]++;
    entry *from = entries, *to = spare;
    for (int d = digit; d < DIGITS; d++) {
        uint64_t sum = 0;
        if (starts[d][from[0].key >> 8 * d & 255] == count) continue;
        for (int b = 0; b < BUCKETS; b++) {
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

/** The byte from which on the keys differ enough, judged by every 64th of them. */
static int telling_digit(const entry *entries, uint64_t count) {
    double apart = 1;
    int digit = DIGITS;
    while (digit > 0 && apart < (double)count) {
        uint64_t counts[BUCKETS] = { 0 }, most = 0, seen = 0;
        digit--;
        for (uint64_t i = 0; i < count; i += 64, seen++) counts[entries[i].key >> 8 * digit & 255]++;
        for (int b = 0; b < BUCKETS; b++)
            if (counts[b] > most) most = counts[b];
        apart *= (double)seen / (double)most;
    }
    return digit;
}

/** By the highest bytes, and then by insertion; by all of them if that moves too many. */
void entries_sort(entry *entries, entry *spare, uint64_t count) {
    if (count == 0) return;
    int digit = telling_digit(entries, count);
    sort_digits(entries, spare, count, digit);
    uint64_t moved = 0;
    for (uint64_t i = 1; i < count && digit > 0 && moved < 8 * count; i++) {
        entry item = entries[i];
        uint64_t at = i;
        for (; at > 0 && entries[at - 1].key > item.key; at--, moved++) entries[at] = entries[at - 1];
        entries[at] = item;
    }
    if (moved >= 8 * count) sort_digits(entries, spare, count, 0);
}
