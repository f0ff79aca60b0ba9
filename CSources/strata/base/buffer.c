/* SPDX-License-Identifier: MIT
 * buffer.c -- bytes that grow. */
#include "base/buffer.h"

#include <stdlib.h>
#include <string.h>

bool st_buffer_reserve(st_buffer *buffer, size_t more) {
    if (more <= buffer->capacity - buffer->size) return true;
    if (more > SIZE_MAX / 2 - buffer->size) return false;
    size_t capacity = buffer->capacity < 64 ? 64 : buffer->capacity;
    while (capacity < buffer->size + more) capacity *= 2;
    uint8_t *data = realloc(buffer->data, capacity);
    if (data == NULL) return false;
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

bool st_buffer_append(st_buffer *buffer, const void *data, size_t size) {
    if (!st_buffer_reserve(buffer, size)) return false;
    if (size != 0) memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
    return true;
}
