/* SPDX-License-Identifier: MIT
 * observe_collection.h -- observers of lists, sets and maps. */
#ifndef ST_OBSERVE_OBSERVE_COLLECTION_H
#define ST_OBSERVE_OBSERVE_COLLECTION_H

#include "observe/observer.h"

/** Makes an observer with a table, a key and a column that of its collection. Fails: STRATA_NOT_FOUND, STRATA_MISUSE,
 * ... */
strata_status st_observe_collection(strata_observer *observer, const strata_key_paths *paths, strata_error *error);

#endif
