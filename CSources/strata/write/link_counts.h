/* SPDX-License-Identifier: MIT
 *
 * link_counts.h -- how a write changes the number of links to objects.
 *
 * Links are logged as changes of their link indexes, and few writes ever ask how many lead to an object. So changes are
 * counted only when that is asked, and each once.
 */
#ifndef ST_WRITE_LINK_COUNTS_H
#define ST_WRITE_LINK_COUNTS_H

#include "base/bits.h"

/** How the number of links to an object differs from the stored one. */
typedef struct st_link_count {
    uint64_t target; /* table << 48 | key; 0 = free: object keys start at 1 */
    int64_t change;
} st_link_count;

/** A hash table of them, with open addressing. */
typedef struct st_link_counts {
    st_link_count *slots;
    size_t size, used;
    size_t *counted; /* by the number of a set: how many of its changes are counted */
} st_link_counts;

/** Counts a link that was added, or removed. False if there is no memory. */
bool st_link_counts_add(st_link_counts *counts, uint64_t target, bool added);
/** The count of an object; NULL if no link to it was changed. */
const st_link_count *st_link_counts_find(const st_link_counts *counts, uint64_t target);
/** Forgets all counts, since the changes of the `sets` sets are stored. */
void st_link_counts_reset(st_link_counts *counts, uint32_t sets);

#endif
