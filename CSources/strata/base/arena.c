/* SPDX-License-Identifier: MIT
 * arena.c -- memory that is freed all at once. */
#include "base/arena.h"

#include <stdbool.h>
#include <stdlib.h>

struct st_arena_chunk {
    struct st_arena_chunk *next;
    size_t capacity;
    max_align_t bytes[];
};

/* Allocators find a chunk of the first size quickly. */
enum { FIRST_CHUNK = 1000, LARGEST_CHUNK = 1024 * 1024 };

/* Makes `chunk` the current one, all of it free. */
static void begin_chunk(st_arena *arena, struct st_arena_chunk *chunk) {
    arena->chunk = chunk;
    arena->next = (uint8_t *)chunk->bytes;
    arena->left = chunk->capacity;
}

void *st_arena_alloc_chunk(st_arena *arena, size_t size) {
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
    return st_arena_alloc(arena, size);
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
