/* SPDX-License-Identifier: MIT
 * buffer.h -- the one growable buffer, and an arena. */
#ifndef ST_BASE_BUFFER_H
#define ST_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes that grow. Zero-initialised it is empty; freed with st_buffer_free(). */
typedef struct st_buffer {
    uint8_t *data;
    size_t size;
    size_t capacity;
} st_buffer;

/** Makes room for `more` bytes behind `size`. False if there is no memory. */
bool st_buffer_reserve(st_buffer *buffer, size_t more);
/** Appends bytes. False if there is no memory. */
bool st_buffer_append(st_buffer *buffer, const void *data, size_t size);
void st_buffer_free(st_buffer *buffer);

/** Memory that is given back all at once. Zero-initialised it is empty. */
typedef struct st_arena {
    struct st_arena_chunk *chunk;
    size_t used;  /* of the current chunk */
    size_t total; /* bytes handed out since the last reset */
} st_arena;

/** `size` bytes, aligned to 8, not cleared. NULL if there is no memory. */
void *st_arena_take(st_arena *arena, size_t size);
/** Takes everything back, keeping one chunk for the next use. */
void st_arena_reset(st_arena *arena);
void st_arena_free(st_arena *arena);

/** Makes room for one more item in a plain array that doubles. False if there is no memory. */
bool st_array_grow(void **items, size_t *capacity, size_t count, size_t item_size);

#endif
