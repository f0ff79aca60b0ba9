/* SPDX-License-Identifier: MIT
 *
 * roots.h -- the roots that the changes of a change set concern.
 *
 * The walk begins at what was changed and goes back, so that it costs what was changed and what leads there.
 */
#ifndef ST_OBSERVE_ROOTS_H
#define ST_OBSERVE_ROOTS_H

#include "observe/change_set.h"
#include "observe/watch.h"

/** Adds the keys of all roots that are concerned, or their numbers in the link index of a mixed column if they are of
 * any table; a root that one of the commits created need not be among them.
 * `*unknown` becomes true if they cannot be told: then it may be any. */
strata_status st_roots_find(st_walker *walker, const st_watch *watch, const st_change_set *changes, st_key_set *out,
                            bool *unknown);

/** How many links lead from the roots to the objects of each table, at least; `deep` + 1 if there are more. `used` tells
 * of the incoming columns of each table in turn whether there are links; NULL: there may be through all. The caller frees
 * it; NULL if there is no memory. */
int *st_roots_distances(const st_catalog *catalog, const st_watch *watch, const bool *used);

/** Does the walk from one root: calls `found` for each watched path that leads to a change. */
typedef void st_root_found(void *context, const st_watched *watched);
strata_status st_root_find(st_walker *walker, const st_watch *watch, const st_change_set *changes, uint64_t root,
                           st_root_found *found, void *context);

#endif
