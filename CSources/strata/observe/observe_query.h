/* SPDX-License-Identifier: MIT
 * observe_query.h -- observers of the result of a query. */
#ifndef ST_OBSERVE_OBSERVE_QUERY_H
#define ST_OBSERVE_OBSERVE_QUERY_H

#include "observe/observer.h"
#include "observe/shared_query.h"

/** Makes an observer of a query, one of those of a group, as what was read up to a commit shows it. Fails: as
 * strata_observe_query(). */
strata_status st_observe_query(strata_observer *observer, st_shared_queries *all, const strata_query *query,
                               const strata_key_paths *paths, uint64_t read, strata_error *error);
/** What an observer knows to be the result after the commit `read`, up to which its group has read; NULL if it does not
 * know it, or is not of a query. */
const struct st_shared_result *st_observe_query_result(const strata_observer *observer, uint64_t read);

#endif
