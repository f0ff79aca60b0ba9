/* SPDX-License-Identifier: MIT
 * source.h -- what concerns the source of an observed query. */
#ifndef ST_OBSERVE_SOURCE_H
#define ST_OBSERVE_SOURCE_H

#include "observe/concerns.h"
#include "base/key_set.h"

/** Adds what concerns the source. False if there is no memory. */
bool st_source_concerns(const strata_query *query, const st_catalog *catalog, st_concerns *out);
/** Whether the collection that is the source was changed, or the object to which the source links. */
bool st_source_changed(const strata_query *query, const st_catalog *catalog, const st_change_set *changes);
/** Adds the objects of a table that came or went. False if there is no memory. */
bool st_source_lives(uint32_t table, const st_change_set *changes, st_key_set *out);

#endif
