/* SPDX-License-Identifier: MIT
 *
 * due.h -- the observers that commits may concern and that have not been asked since.
 *
 * Whoever is not due knows everything that was read. `seen` of an observer means something only while it is due.
 */
#ifndef ST_OBSERVE_DUE_H
#define ST_OBSERVE_DUE_H

#include "observe/observer.h"

/** Empty when it is zero. */
typedef struct st_due {
    strata_observer *first, *last; /* in the order in which they were made */
    strata_observer *fresh;        /* in no order, linked by `next_due` alone */
} st_due;

/** Makes an observer due, unless it is, or nothing will follow for it. `seen` is the last commit that it knows. */
void st_due_mark(st_due *due, strata_observer *observer, uint64_t seen);
/** Brings those that were marked into order. */
void st_due_order(st_due *due);
/** Removes one that is due and in order. */
void st_due_remove(st_due *due, strata_observer *observer);

#endif
