/* SPDX-License-Identifier: MIT
 * keys.c -- object keys that a query returned. */
#include <stdlib.h>

#include "strata_query.h"

void strata_keys_free(strata_keys *keys) {
    if (keys == NULL) return;
    free(keys->data);
    *keys = (strata_keys){ NULL, 0 };
}

strata_status strata_keys_find(const strata_keys *keys, uint64_t key, uint64_t from, uint64_t *out_position) {
    *out_position = 0;
    if (keys == NULL || (keys->count != 0 && keys->data == NULL)) return STRATA_MISUSE;
    for (uint64_t i = from; i < keys->count; i++) {
        if (keys->data[i] != key) continue;
        *out_position = i;
        return STRATA_OK;
    }
    return STRATA_NOT_FOUND;
}
