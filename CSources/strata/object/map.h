/* SPDX-License-Identifier: MIT
 *
 * map.h -- the keys of maps that are being changed.
 */
#ifndef ST_OBJECT_MAP_H
#define ST_OBJECT_MAP_H

#include "object/collection_change.h"

/** Checks a key. Fails: STRATA_TOO_LARGE, STRATA_TYPE, STRATA_MISUSE. */
strata_status st_map_check_key(const st_change *c, strata_bytes key, strata_error *error);
/** Copies a key, which was checked, into the memory of the write set. Fails: STRATA_NO_MEMORY. */
strata_status st_map_copy_key(const st_change *c, strata_bytes key, strata_value *out, strata_error *error);

#endif
