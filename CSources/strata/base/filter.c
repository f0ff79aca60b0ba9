/* SPDX-License-Identifier: MIT
 * filter.c -- a Bloom filter that grows. */
#include "base/filter.h"

#include <stdlib.h>

/* That is 12.8 bits per hash. */
enum { HASHES_PER_GROUP = 20 };

static uint32_t *group_of(const st_filter_stage *stage, uint32_t hash) {
    return stage->groups[hash * stage->size >> 32];
}

/* The bit that a hash sets in a word of its group: chosen by the upper bits of the hash times an odd number. */
static uint32_t bit_of(uint32_t hash, uint32_t word) {
    static const uint32_t odd[ST_FILTER_GROUP] = { 0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f,
                                                   0x165667b1, 0xd3a2646d, 0xfd7046c5, 0xb55a4f09 };
    return UINT32_C(1) << (hash * odd[word] >> 27);
}

bool st_filter_reserve(st_filter *filter, uint64_t more) {
    if (more <= filter->room) return true;
    uint64_t size = more / HASHES_PER_GROUP + 1;
    if (filter->count == ST_FILTER_STAGES || size > UINT32_MAX) return false;
    if (filter->count > 0 && size < 2 * filter->stages[filter->count - 1].size)
        size = 2 * filter->stages[filter->count - 1].size;
    st_filter_stage *stage = &filter->stages[filter->count];
    stage->groups = calloc(size, sizeof *stage->groups);
    if (stage->groups == NULL) return false;
    stage->size = size;
    filter->count++;
    filter->room = size * HASHES_PER_GROUP;
    return true;
}

void st_filter_add(st_filter *filter, uint32_t hash) {
    uint32_t *group = group_of(&filter->stages[filter->count - 1], hash);
    for (uint32_t i = 0; i < ST_FILTER_GROUP; i++) group[i] |= bit_of(hash, i);
    filter->room--;
}

bool st_filter_may_have(const st_filter *filter, uint32_t hash) {
    for (uint32_t s = 0; s < filter->count; s++) {
        const uint32_t *group = group_of(&filter->stages[s], hash);
        uint32_t missing = 0;
        for (uint32_t i = 0; i < ST_FILTER_GROUP; i++) missing |= ~group[i] & bit_of(hash, i);
        if (missing == 0) return true;
    }
    return false;
}

void st_filter_free(st_filter *filter) {
    for (uint32_t i = 0; i < filter->count; i++) free(filter->stages[i].groups);
    *filter = (st_filter){ 0 };
}
