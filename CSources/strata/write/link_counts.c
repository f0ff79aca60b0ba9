/* SPDX-License-Identifier: MIT
 * link_counts.c -- how a write changes the number of links to objects. */
#include "write/link_counts.h"

#include <stdlib.h>

static uint64_t mix(uint64_t key) {
    key *= UINT64_C(0x9E3779B97F4A7C15);
    return key ^ key >> 29;
}

/* The slot of a target, or the free one where it belongs. */
static st_link_count *slot_of(const st_link_counts *counts, uint64_t target) {
    size_t at = mix(target) & (counts->size - 1);
    while (counts->slots[at].target != 0 && counts->slots[at].target != target) at = (at + 1) & (counts->size - 1);
    return &counts->slots[at];
}

static bool grow(st_link_counts *counts) {
    if ((counts->used + 1) * 2 <= counts->size) return true;
    st_link_counts larger = *counts;
    larger.size = counts->size == 0 ? 64 : 2 * counts->size;
    larger.slots = calloc(larger.size, sizeof *larger.slots);
    if (larger.slots == NULL) return false;
    for (size_t i = 0; i < counts->size; i++)
        if (counts->slots[i].target != 0) *slot_of(&larger, counts->slots[i].target) = counts->slots[i];
    free(counts->slots);
    *counts = larger;
    return true;
}

bool st_link_counts_add(st_link_counts *counts, uint64_t target, bool added) {
    if (!grow(counts)) return false;
    st_link_count *slot = slot_of(counts, target);
    if (slot->target == 0) counts->used++;
    slot->target = target;
    slot->change += added ? 1 : -1;
    return true;
}

const st_link_count *st_link_counts_find(const st_link_counts *counts, uint64_t target) {
    if (counts->size == 0) return NULL;
    const st_link_count *slot = slot_of(counts, target);
    return slot->target == 0 ? NULL : slot;
}

void st_link_counts_reset(st_link_counts *counts, uint32_t sets) {
    memset(counts->counted, 0, sets * sizeof *counts->counted);
    free(counts->slots);
    counts->slots = NULL;
    counts->size = counts->used = 0;
}
