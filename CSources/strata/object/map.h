/* SPDX-License-Identifier: MIT
 *
 * map.h -- the keys of maps.
 */
#ifndef ST_OBJECT_MAP_H
#define ST_OBJECT_MAP_H

#include "object/collection_change.h"

/** May this be a key of a map? */
strata_status st_map_check_key(const st_change *c, strata_bytes key, strata_error *error);
/** A key as an element that stays. */
strata_status st_map_copy_key(const st_change *c, strata_bytes key, strata_value *out, strata_error *error);

#endif
