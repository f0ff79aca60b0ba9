/* SPDX-License-Identifier: MIT
 * map_keys.h -- the keys of a map, as they were once. */
#ifndef ST_OBSERVE_MAP_KEYS_H
#define ST_OBSERVE_MAP_KEYS_H

#include "base/buffer.h"
#include "strata_collection.h"

/** Empty when it is zero. Freed with st_map_keys_free(). */
typedef struct st_map_keys {
    strata_bytes *items; /* in the order of the map, which is that of their bytes */
    uint64_t count;
    st_buffer bytes;
} st_map_keys;

/** Reads the keys of a map of `size` entries. Fails: STRATA_NO_MEMORY, STRATA_CORRUPT. */
strata_status st_map_keys_read(strata_row *row, uint32_t column, uint64_t size, st_map_keys *out, strata_error *error);
void st_map_keys_free(st_map_keys *keys);

#endif
