/* SPDX-License-Identifier: MIT
 *
 * observer.h -- an observer: what its kind knows, and what all have in common.
 *
 * Invariant: the state of an observer is that of the commit `seen`, of which its program was told last. A kind changes
 * its state only when everything that can fail has been done; if it fails later it forgets the state, and tells the next
 * time that everything is new.
 */
#ifndef ST_OBSERVE_OBSERVER_H
#define ST_OBSERVE_OBSERVER_H

#include "observe/change_set.h"
#include "observe/found.h"
#include "observe/watch.h"

struct st_query_state;
struct st_collection_state;

typedef struct st_kind_of_observer {
    /** Finds what a change set changed, and moves the state on. */
    strata_status (*advance)(strata_observer *observer, const st_change_set *changes, st_found *out,
                             strata_error *error);
    void (*free)(strata_observer *observer);
    /** Says how it goes on, and how much memory it has. */
    void (*explain)(const strata_observer *observer, strata_observer_stats *out);
} st_kind_of_observer;

struct strata_observer {
    const st_kind_of_observer *kind;
    strata_observers *group;
    strata_observer *next, *previous; /* of the group, in the order in which they were made */
    void *context;
    strata_view *view;
    uint64_t number;  /* of those of the group, in their order */
    uint64_t seen;    /* the number of the last commit that it knows */
    st_arena memory;  /* what it was made of */
    uint32_t table;   /* of the objects in the result; of the object */
    uint32_t column;  /* of a collection */
    uint64_t key;     /* of the object, or of the one that has the collection */
    bool gone;        /* nothing will follow */
    bool untold;      /* there was no memory to tell what is in `found` */
    st_watch counts;  /* what makes an object modified */
    union {
        struct st_query_state *query;
        struct st_collection_state *collection;
    } state;
    strata_observer_stats stats;
    st_found found;
};

static inline st_walker st_observer_walker(strata_observer *observer, strata_error *error) {
    return (st_walker){ observer->view, error, &observer->stats.rows_visited };
}

#endif
