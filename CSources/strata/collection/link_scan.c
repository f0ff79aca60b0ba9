/* SPDX-License-Identifier: MIT
 * link_scan.c -- links side by side in the block of a chunk. */
#include "collection/link_scan.h"

#include "strata_row.h"

enum { STRIDE = 16 /* links that are compared before it is asked whether one was equal */ };

static inline uint64_t load(const uint8_t *links, uint32_t slot, uint32_t width) {
    return strata_load64(links + (size_t)slot * width) & UINT64_MAX >> (64 - 8 * width);
}

/* Compiled once for each width. */
static inline uint32_t scan(const uint8_t *links, uint32_t width, uint32_t from, uint32_t count, uint64_t key) {
    for (; from + STRIDE <= count; from += STRIDE) {
        bool equal = false;
        for (uint32_t i = 0; i < STRIDE; i++) equal |= load(links, from + i, width) == key;
        if (equal) break;
    }
    while (from < count && load(links, from, width) != key) from++;
    return from;
}

uint32_t st_link_scan(const uint8_t *block, uint32_t entry, uint32_t from, uint32_t count, uint64_t key) {
    const uint8_t *links = block + strata_entry_offset(entry);
    switch (strata_entry_width(entry)) {
    case 0: return count; /* all are null */
    case 1: return scan(links, 1, from, count, key);
    case 2: return scan(links, 2, from, count, key);
    case 3: return scan(links, 3, from, count, key);
    case 4: return scan(links, 4, from, count, key);
    case 5: return scan(links, 5, from, count, key);
    case 6: return scan(links, 6, from, count, key);
    case 7: return scan(links, 7, from, count, key);
    default: return scan(links, 8, from, count, key);
    }
}
