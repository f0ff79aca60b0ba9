/* SPDX-License-Identifier: MIT
 * access_keys.h -- the object keys that an access leads to. */
#ifndef ST_QUERY_ACCESS_KEYS_H
#define ST_QUERY_ACCESS_KEYS_H

#include "plan/access.h"

/** Object keys, ascending, each once. `keys` is freed with free(). */
typedef struct st_key_list {
    uint64_t *keys;
    size_t count;
} st_key_list;

/** Collects what an access leads to. Whatever it returns, the caller frees the keys of `out`. */
strata_status st_access_keys(st_query *query, const st_access *access, st_key_list *out);

#endif
