/* SPDX-License-Identifier: MIT
 * observe_query.h -- observers of the result of a query. */
#ifndef ST_OBSERVE_OBSERVE_QUERY_H
#define ST_OBSERVE_OBSERVE_QUERY_H

#include "observe/observer.h"

/** Makes an observer of a query. Fails: as strata_observe_query(). */
strata_status st_observe_query(strata_observer *observer, const strata_query *query, const strata_key_paths *paths,
                               strata_error *error);

#endif
