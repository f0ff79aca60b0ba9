/* SPDX-License-Identifier: MIT
 * map_keys.c -- the keys of a map, as they were once. */
#include "observe/map_keys.h"

#include "base/status.h"

enum { BATCH = 64 };

static strata_status no_memory(strata_error *error) { return st_no_memory(error, "observing a map"); }

/* Bytes lie in a buffer that moves while it grows, so that addresses are set at the end. */
static void point(st_map_keys *keys) {
    const uint8_t *at = keys->bytes.data;
    for (uint64_t i = 0; i < keys->count; i++) {
        keys->items[i].data = at;
        at += keys->items[i].size;
    }
}

strata_status st_map_keys_read(strata_row *row, uint32_t column, uint64_t size, st_map_keys *out,
                               strata_error *error) {
    *out = (st_map_keys){ .items = malloc((size_t)(size + 1) * sizeof *out->items) };
    strata_bytes keys[BATCH];
    strata_status status = out->items == NULL ? no_memory(error) : STRATA_OK;
    while (out->count < size && status == STRATA_OK) {
        uint64_t count = size - out->count < BATCH ? size - out->count : BATCH;
        status = strata_map_keys(row, column, out->count, count, keys, error);
        for (uint64_t i = 0; i < count && status == STRATA_OK; i++) {
            if (!st_buffer_append(&out->bytes, keys[i].data, keys[i].size)) status = no_memory(error);
            out->items[out->count + i].size = keys[i].size;
        }
        if (status == STRATA_OK) out->count += count;
    }
    if (status == STRATA_OK) point(out);
    else st_map_keys_free(out);
    return status;
}

void st_map_keys_free(st_map_keys *keys) {
    free(keys->items);
    st_buffer_free(&keys->bytes);
    *keys = (st_map_keys){ 0 };
}
