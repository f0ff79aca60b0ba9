/* SPDX-License-Identifier: MIT
 *
 * pins.h -- the snapshots that are open, as those that keep commits from being overwritten.
 *
 * Pages that a commit frees are used again when no snapshot shows an older commit any more. So the oldest pin decides
 * how much of the free space of a file is held.
 */
#ifndef ST_STORE_PINS_H
#define ST_STORE_PINS_H

#include "store/state.h"

typedef struct st_pin {
    uint64_t stamp; /* LMDB's number of the commit */
    strata_snapshot shown;
} st_pin;

/** The snapshots of all processes, the oldest first. */
typedef struct st_pins {
    uint64_t newest_version, newest_stamp; /* of the newest commit */
    st_pin *all;
    uint32_t count, capacity;
    bool no_memory;
} st_pins;

/** Finds the pins of a file whose newest commit is that one, except for those of st_snapshot_look().
 * Ownership: freed with st_pins_free(), unless this fails. Fails: STRATA_NO_MEMORY. */
strata_status st_pins_find(strata_store *store, uint64_t newest_version, uint64_t newest_stamp, st_pins *out,
                           strata_error *error);
void st_pins_free(st_pins *pins);

/** How many pages were freed by the commits from `oldest` on, so that snapshots of it may still show them. The root of
 * the tree of free pages has been seen. Fails: STRATA_CORRUPT. */
strata_status st_pins_held_pages(const st_page_file *file, uint64_t oldest, uint64_t *pages, strata_error *error);

#endif
