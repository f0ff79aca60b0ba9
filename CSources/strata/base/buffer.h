/* SPDX-License-Identifier: MIT
 * buffer.h -- bytes that grow. */
#ifndef ST_BASE_BUFFER_H
#define ST_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** Empty when it is zero. Freed with st_buffer_free(). */
typedef struct st_buffer {
    uint8_t *data;
    size_t size;
    size_t capacity;
} st_buffer;

/** What st_buffer_reserve() does when the capacity is too small. */
bool st_buffer_grow(st_buffer *buffer, size_t more);
/** Makes room for `more` bytes behind `size`. False if there is no memory. */
static inline bool st_buffer_reserve(st_buffer *buffer, size_t more) {
    return more <= buffer->capacity - buffer->size || st_buffer_grow(buffer, more);
}
/** Appends bytes. False if there is no memory. */
static inline bool st_buffer_append(st_buffer *buffer, const void *data, size_t size) {
    if (!st_buffer_reserve(buffer, size)) return false;
    if (size != 0) memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
    return true;
}
static inline void st_buffer_free(st_buffer *buffer) {
    if (buffer->data != NULL) free(buffer->data); /* saves a call: most buffers are never used */
    *buffer = (st_buffer){ NULL, 0, 0 };
}

#endif
