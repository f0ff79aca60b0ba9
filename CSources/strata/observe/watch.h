/* SPDX-License-Identifier: MIT
 *
 * watch.h -- which changes concern an object: its own properties, and those of objects to which it leads.
 *
 * The object is the root of paths. Each path is a number of hops that lead to other objects, and then one through the
 * property that is watched.
 */
#ifndef ST_OBSERVE_WATCH_H
#define ST_OBSERVE_WATCH_H

#include "base/arena.h"
#include "base/buffer.h"
#include "observe/hop.h"
#include "strata_observer.h"

typedef struct st_watched {
    const st_hop *hops;
    uint32_t count; /* at least 1 */
    uint32_t path;  /* the number of the key path that it belongs to */
} st_watched;

enum { ST_NOT_DEEP = -1 };

/** Lifetime: that of the arena. */
typedef struct st_watch {
    st_arena *arena;
    uint32_t root;     /* the table of the roots; ST_NONE: they are of any table to which the column `values` links, and
                          nothing but `deep` counts */
    st_incoming values;
    st_watched *items;
    size_t count, capacity; /* `items` is freed with st_watch_free() */
    int deep;          /* all properties of objects up to so many links away; ST_NOT_DEEP: none */
    bool always;       /* it leads somewhere that no column tells: every commit may concern every root */
} st_watch;

/** Watches nothing yet. */
st_watch st_watch_begin(st_arena *arena, uint32_t root);
void st_watch_free(st_watch *watch);
/** Appends bytes that stand for what is watched, whatever the numbers of the paths are. False if there is no memory. */
bool st_watch_name(const st_watch *watch, st_buffer *out);

/** Watches what decides whether a root is in the result of a query, and where. The query has been checked. Fails:
 * STRATA_NO_MEMORY. */
strata_status st_watch_query(st_watch *watch, const strata_view *view, const strata_query *query, strata_error *error);
/** Watches key paths; `deep` is how far "all properties" goes. Fails: STRATA_MISUSE, STRATA_NO_MEMORY. */
strata_status st_watch_paths(st_watch *watch, const strata_view *view, const strata_key_paths *paths, int deep,
                             strata_error *error);

/** Whether it has nothing to look at among the changes. */
static inline bool st_watch_is_empty(const st_watch *watch) {
    return watch->count == 0 && watch->deep == ST_NOT_DEEP && !watch->always;
}

#endif
