/* SPDX-License-Identifier: MIT
 * found.h -- the changes that an observer tells of. */
#ifndef ST_OBSERVE_FOUND_H
#define ST_OBSERVE_FOUND_H

#include "base/buffer.h"
#include "observe/positions.h"
#include "strata_observer.h"

/** Empty when it is zero. Freed with st_found_free(). */
typedef struct st_found {
    uint32_t flags; /* STRATA_CHANGES_... */
    st_positions deletions, insertions;
    st_positions before, after; /* of each modification */
    st_positions columns, paths; /* of an object */
    strata_bytes *deleted_keys; /* of a map: one for each deletion; they lie in `bytes` */
    st_buffer bytes;
    uint32_t *numbers;          /* columns and paths, as they are told */
} st_found;

/** Forgets everything, but keeps the memory. */
void st_found_reset(st_found *found);
void st_found_free(st_found *found);
/** The bytes that it takes beside itself. */
size_t st_found_memory(const st_found *found);

static inline bool st_found_is_empty(const st_found *f) {
    return (f->flags & STRATA_CHANGES_GONE) == 0 && f->deletions.count == 0 && f->insertions.count == 0 &&
           f->before.count == 0 && f->columns.count == 0 && f->paths.count == 0;
}

/** Notes that an element is modified. False if there is no memory. */
bool st_found_modified(st_found *found, uint64_t before, uint64_t after);
/** Puts the modifications in the order of their positions before. False if there is no memory. */
bool st_found_sort(st_found *found);
/** Tells the changes. False if there is no memory. */
bool st_found_tell(st_found *found, strata_changes *out);

#endif
