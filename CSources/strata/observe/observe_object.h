/* SPDX-License-Identifier: MIT
 * observe_object.h -- observers of one object. */
#ifndef ST_OBSERVE_OBSERVE_OBJECT_H
#define ST_OBSERVE_OBSERVE_OBJECT_H

#include "observe/observer.h"

/** Makes an observer with a table and a key that of its object. Fails: STRATA_NOT_FOUND, STRATA_MISUSE, ... */
strata_status st_observe_object(strata_observer *observer, const strata_key_paths *paths, strata_error *error);

#endif
