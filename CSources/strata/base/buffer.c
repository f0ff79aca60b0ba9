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

struct st_arena_chunk {
    struct st_arena_chunk *next;
    size_t capacity;
    max_align_t bytes[];
};

/* The first chunk is of a size that allocators keep at hand. */
enum { FIRST_CHUNK = 1000, LARGEST_CHUNK = 1024 * 1024 };

/* Hands out the bytes of the current chunk from the beginning. */
static void begin_chunk(st_arena *arena, struct st_arena_chunk *chunk) {
    arena->chunk = chunk;
    arena->next = (uint8_t *)chunk->bytes;
    arena->left = chunk->capacity;
}

void *st_arena_take_chunk(st_arena *arena, size_t size) {
    if (size > SIZE_MAX / 2) return NULL;
    size = size == 0 ? 8 : (size + 7) & ~(size_t)7;
    if (size > arena->left) {
        const struct st_arena_chunk *before = arena->chunk;
        size_t capacity = before == NULL ? FIRST_CHUNK : 2 * before->capacity;
        if (capacity > LARGEST_CHUNK) capacity = LARGEST_CHUNK;
        if (capacity < size) capacity = size;
        struct st_arena_chunk *fresh = malloc(sizeof *fresh + capacity);
        if (fresh == NULL) return NULL;
        fresh->next = arena->chunk;
        fresh->capacity = capacity;
        begin_chunk(arena, fresh);
    }
    return st_arena_take(arena, size);
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
        *arena = (st_arena){ 0 };
        return;
    }
    begin_chunk(arena, chunk);
    arena->total = 0;
}

void st_arena_free(st_arena *arena) {
    if (arena->chunk != NULL) free_chunks(arena->chunk);
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
