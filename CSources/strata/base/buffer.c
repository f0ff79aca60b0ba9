/* SPDX-License-Identifier: MIT
 * buffer.c -- bytes that grow. */
#include "base/buffer.h"

bool st_buffer_grow(st_buffer *buffer, size_t more) {
    if (more > SIZE_MAX / 2 - buffer->size) return false;
    size_t capacity = buffer->capacity < 64 ? 64 : buffer->capacity;
    while (capacity < buffer->size + more) capacity *= 2;
    uint8_t *data = realloc(buffer->data, capacity);
    if (data == NULL) return false;
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}
