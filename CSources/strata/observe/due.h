/* SPDX-License-Identifier: MIT
 *
 * due.h -- the observers that commits may concern and that have not been asked since.
 *
 * Whoever is not due knows everything that was read. `seen` of an observer means something only while it is due. Those
 * that are due are in two orders: as they were made, in which they are told, and by what they know. The second one tells
 * which commits are needed, whoever goes.
 */
#ifndef ST_OBSERVE_DUE_H
#define ST_OBSERVE_DUE_H

#include "observe/observer.h"

/** Empty when it is zero. */
typedef struct st_due {
    strata_observer *first, *last; /* in the order in which they were made */
    strata_observer *fresh;        /* in no order, linked by `next_due` alone */
    strata_observer *oldest, *newest; /* by what they know */
    uint64_t steps;                /* over others, to keep that order */
} st_due;

/** Makes an observer due, unless it is, or nothing will follow for it. `seen` is the last commit that it knows. */
void st_due_mark(st_due *due, strata_observer *observer, uint64_t seen);
/** What one that is due knows now: not less than before. */
void st_due_know(st_due *due, strata_observer *observer, uint64_t seen);
/** Brings those that were marked into order. */
void st_due_order(st_due *due);
/** Removes one that is due and in order. */
void st_due_remove(st_due *due, strata_observer *observer);

/** The last commit that all of them know; `otherwise` if none is due. */
static inline uint64_t st_due_known(const st_due *due, uint64_t otherwise) {
    return due->oldest == NULL ? otherwise : due->oldest->seen;
}

#endif
