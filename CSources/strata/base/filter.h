/* SPDX-License-Identifier: MIT
 *
 * filter.h -- a set of hashes that may say yes too often, but never no.
 *
 * Each hash sets a few bits of one word. With 16 bits per hash about one of a hundred others is said to be there, with
 * 4 bits one of three.
 */
#ifndef ST_BASE_FILTER_H
#define ST_BASE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Zero-initialised there is none. */
typedef struct st_filter {
    uint64_t *words;
    uint32_t shift; /* of a mixed hash, to the number of its word */
} st_filter;

/** Makes an empty filter with room for so many hashes. False if there is no memory. */
bool st_filter_make(st_filter *filter, size_t hashes);
void st_filter_free(st_filter *filter);

static inline uint64_t st_filter_mix(uint32_t hash) { return (hash + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15); }

static inline uint64_t st_filter_bits(uint64_t mixed) {
    return UINT64_C(1) << (mixed & 63) | UINT64_C(1) << (mixed >> 6 & 63) | UINT64_C(1) << (mixed >> 12 & 63);
}

static inline void st_filter_add(st_filter *filter, uint32_t hash) {
    uint64_t mixed = st_filter_mix(hash);
    filter->words[mixed >> filter->shift] |= st_filter_bits(mixed);
}

/** False if the hash was never added. */
static inline bool st_filter_has(const st_filter *filter, uint32_t hash) {
    uint64_t mixed = st_filter_mix(hash), bits = st_filter_bits(mixed);
    return (filter->words[mixed >> filter->shift] & bits) == bits;
}

#endif
