/* SPDX-License-Identifier: MIT
 * chunk.c -- a chunk of a collection that is being changed. */
#include "collection/chunk.h"

#include <stdlib.h>

void st_chunk_get(const st_column *column, const st_chunk *chunk, uint32_t block_column, uint32_t slot, uint32_t count,
                  strata_value *out) {
    size_t width = st_element_width(column, block_column);
    const uint8_t *from = chunk->loaded->values[block_column] + slot * width;
    if (width == sizeof *out) {
        memcpy(out, from, count * sizeof *out);
        return;
    }
    const uint64_t *numbers = (const uint64_t *)(const void *)from;
    for (uint32_t i = 0; i < count; i++) out[i] = st_element_of_number(column->type, numbers[i]);
}

void st_chunk_put(const st_column *column, const st_chunk *chunk, uint32_t block_column, uint32_t slot, uint32_t count,
                  const strata_value *values) {
    size_t width = st_element_width(column, block_column);
    uint8_t *to = chunk->loaded->values[block_column] + slot * width;
    if (width == sizeof *values) {
        memcpy(to, values, count * sizeof *values);
        return;
    }
    for (uint32_t i = 0; i < count; i++, to += width) {
        uint64_t number = values[i].type == STRATA_NULL ? 0 : values[i].as.link;
        if (values[i].type == STRATA_BOOL) number = values[i].as.boolean;
        if (values[i].type == STRATA_FLOAT) number &= UINT32_MAX;
        memcpy(to, &number, width);
    }
}

bool st_chunk_reserve(const st_column *column, const st_chunk *chunk, size_t count, size_t *memory) {
    st_loaded_chunk *loaded = chunk->loaded;
    if (count <= loaded->capacity) return true;
    size_t capacity = loaded->capacity + (size_t)(loaded->capacity < 64 ? 8 : loaded->capacity / 4);
    if (capacity < count) capacity = count;
    if (loaded->capacity == 0) *memory += sizeof *loaded + ST_ALLOCATION;
    for (uint32_t c = 0; c < st_element_columns(column); c++) {
        size_t width = st_element_width(column, c);
        uint8_t *values = realloc(loaded->values[c], capacity * width);
        if (values == NULL) return false;
        loaded->values[c] = values;
        *memory += (capacity - loaded->capacity) * width + (loaded->capacity == 0 ? ST_ALLOCATION : 0);
    }
    loaded->capacity = (uint32_t)capacity;
    return true;
}
