/* SPDX-License-Identifier: MIT
 * buffer.h -- bytes that grow. */
#ifndef ST_BASE_BUFFER_H
#define ST_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/** Empty when it is zero. Freed with st_buffer_free(). */
typedef struct st_buffer {
    uint8_t *data;
    size_t size;
    size_t capacity;
} st_buffer;

/** Makes room for `more` bytes behind `size`. False if there is no memory. */
bool st_buffer_reserve(st_buffer *buffer, size_t more);
/** Appends bytes. False if there is no memory. */
bool st_buffer_append(st_buffer *buffer, const void *data, size_t size);
static inline void st_buffer_free(st_buffer *buffer) {
    if (buffer->data != NULL) free(buffer->data); /* saves a call: most buffers are never used */
    *buffer = (st_buffer){ NULL, 0, 0 };
}

#endif
