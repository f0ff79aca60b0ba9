/* SPDX-License-Identifier: MIT
 * buffer.c -- the one growable buffer, and an arena. */
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

void st_buffer_free(st_buffer *buffer) {
    free(buffer->data);
    *buffer = (st_buffer){ 0 };
}

struct st_arena_chunk {
    struct st_arena_chunk *next;
    size_t capacity;
    max_align_t bytes[];
};

/* The first chunk is of a size that allocators keep at hand. */
enum { FIRST_CHUNK = 1000, LARGEST_CHUNK = 1024 * 1024 };

void *st_arena_take(st_arena *arena, size_t size) {
    if (size > SIZE_MAX / 2) return NULL;
    size = (size + 7) & ~(size_t)7;
    struct st_arena_chunk *chunk = arena->chunk;
    if (chunk == NULL || size > chunk->capacity - arena->used) {
        size_t capacity = chunk == NULL ? FIRST_CHUNK : 2 * chunk->capacity;
        if (capacity > LARGEST_CHUNK) capacity = LARGEST_CHUNK;
        if (capacity < size) capacity = size;
        struct st_arena_chunk *fresh = malloc(sizeof *fresh + capacity);
        if (fresh == NULL) return NULL;
        fresh->next = chunk;
        fresh->capacity = capacity;
        arena->chunk = chunk = fresh;
        arena->used = 0;
    }
    void *out = (uint8_t *)chunk->bytes + arena->used;
    arena->used += size;
    arena->total += size;
    return out;
}

static void free_chunks(struct st_arena_chunk *chunk) {
    while (chunk != NULL) {
        struct st_arena_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
}

void st_arena_reset(st_arena *arena) {
    struct st_arena_chunk *chunk = arena->chunk;
    if (chunk == NULL) return;
    free_chunks(chunk->next);
    chunk->next = NULL;
    if (chunk->capacity > LARGEST_CHUNK) {
        free(chunk);
        arena->chunk = NULL;
    }
    arena->used = 0;
    arena->total = 0;
}

void st_arena_free(st_arena *arena) {
    free_chunks(arena->chunk);
    *arena = (st_arena){ 0 };
}

bool st_array_grow(void **items, size_t *capacity, size_t count, size_t item_size) {
    if (count < *capacity) return true;
    size_t larger = *capacity < 8 ? 8 : *capacity * 2;
    if (larger > SIZE_MAX / 2 / item_size) return false;
    void *grown = realloc(*items, larger * item_size);
    if (grown == NULL) return false;
    *items = grown;
    *capacity = larger;
    return true;
}
