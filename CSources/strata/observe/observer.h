/* SPDX-License-Identifier: MIT
 *
 * observer.h -- an observer: what its kind knows, and what all have in common.
 *
 * Invariant: the state of an observer is that of the commit of which its program was told last, or, if it is not due,
 * of what was read last, which did not concern it. A kind changes its state only when everything that can fail has been
 * done; if it fails later it forgets the state, and tells the next time that everything is new. Those who share a state
 * may be one step behind it (observe_query.c).
 */
#ifndef ST_OBSERVE_OBSERVER_H
#define ST_OBSERVE_OBSERVER_H

#include "observe/concerns.h"
#include "observe/constant.h"
#include "observe/found.h"

struct st_shared_result;
struct st_shared_paths;
struct st_collection_state;
struct st_bucket;

typedef struct st_kind_of_observer {
    /** Finds what a change set changed, which leads to the commit `to`, and moves the state on; `found` is what is to
     * be told. */
    strata_status (*advance)(strata_observer *observer, const st_change_set *changes, uint64_t to,
                             strata_error *error);
    void (*free)(strata_observer *observer);
    /** Says how it goes on, and how much memory it has. */
    void (*explain)(const strata_observer *observer, strata_observer_stats *out);
    /** Adds what matters to it; to `beyond` what may concern it whatever its key or value is. False if there is no
     * memory. */
    bool (*concerns)(const strata_observer *observer, st_concerns *out, st_concerns *beyond);
    /** Adds the objects that a change set concerns: by their keys, or by their values, those are found whom it
     * concerns. What is looked at is the same for all of a family. */
    strata_status (*find)(const strata_observer *like, st_walker *walker, const st_change_set *changes,
                          st_key_set *out, bool *unknown);
    /** Of an observer that is found by a value: copies the objects in its state. The caller frees `*out`. False if
     * there is no memory. */
    bool (*keys)(const strata_observer *observer, uint64_t **out, size_t *count);
} st_kind_of_observer;

/** How those are found whom a change may concern. */
typedef enum st_found_by {
    ST_BY_CLASS, /* by the tables and columns alone */
    ST_BY_KEY,   /* by `table` and `key` */
    ST_BY_VALUE  /* by `constant` */
} st_found_by;

/** What an observer has that shares nothing. */
typedef struct st_own {
    st_watch counts;
    st_found found;
} st_own;

struct strata_observer {
    const st_kind_of_observer *kind;
    strata_observers *group;
    strata_observer *next, *previous; /* of the group, in the order in which they were made */
    void *context;
    strata_view *view;
    uint64_t number;  /* of those of the group, in their order */
    st_found_by by;
    struct st_bucket *bucket; /* where it is found (family.h) */
    strata_observer *next_alike, *previous_alike;
    bool due;         /* it may not know everything (due.h) */
    strata_observer *next_due, *previous_due;
    strata_observer *older, *newer; /* while it is due: by what they know */
    uint64_t seen;    /* while it is due: the number of the last commit that it knows */
    st_arena memory;  /* what it was made of */
    uint32_t table;   /* of the objects in the result; of the object */
    uint32_t column;  /* of a collection */
    uint64_t key;     /* of the object, or of the one that has the collection */
    bool held;        /* it is told when it is asked for by itself */
    bool gone;        /* nothing will follow */
    uint64_t failed_in; /* the round of its group in which telling it failed; 0: it did not */
    bool untold;      /* there was no memory to tell what is in `found`, which is its own */
    st_constant constant;    /* what all objects in the result have in common */
    const st_watch *decides; /* what decides which objects are in the result; NULL: nothing does */
    const st_watch *counts;  /* what makes an object modified */
    st_own *own;             /* NULL: of a query */
    struct st_collection_state *collection;
    struct st_shared_result *result; /* of a query */
    struct st_shared_paths *paths;   /* of a query */
    strata_observer *next_sharer, *previous_sharer; /* of the result */
    st_found *found;  /* what is to be told; NULL: nothing */
    struct {
        uint64_t rows_visited, deliveries, reruns;
    } stats;
};

static inline st_walker st_observer_walker(strata_observer *observer, strata_error *error) {
    return (st_walker){ observer->view, error, &observer->stats.rows_visited };
}

/** Begins to find what an observer tells that shares nothing. */
static inline st_found *st_observer_begin(strata_observer *observer) {
    st_found_reset(&observer->own->found);
    observer->found = &observer->own->found;
    return observer->found;
}

#endif
