/* SPDX-License-Identifier: MIT
 *
 * arena.h -- memory that is freed all at once.
 *
 * Bytes from an arena stay where they are until the arena is reset or freed.
 */
#ifndef ST_BASE_ARENA_H
#define ST_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

/** Empty when it is zero. Freed with st_arena_free(). */
typedef struct st_arena {
    struct st_arena_chunk *chunk;
    uint8_t *next; /* the next free byte of the current chunk */
    size_t left;   /* free bytes there; a multiple of 8 */
    size_t total;  /* bytes handed out since the last reset */
} st_arena;

/** An arena that first hands out `memory`, so that small uses need no heap. `memory` is aligned to 8 bytes and outlives
 * the arena; after a reset it is not used again. `size` is a multiple of 8. */
static inline st_arena st_arena_begin(void *memory, size_t size) { return (st_arena){ NULL, memory, size, 0 }; }

/** What st_arena_alloc() does when the current chunk has no room: takes another chunk if that is needed. */
void *st_arena_alloc_chunk(st_arena *arena, size_t size);

/** `size` bytes, aligned to 8, not cleared. NULL if there is no memory. */
static inline void *st_arena_alloc(st_arena *arena, size_t size) {
    if (size - 1 >= arena->left) return st_arena_alloc_chunk(arena, size); /* too many, or 0 */
    size = (size + 7) & ~(size_t)7;
    void *out = arena->next;
    arena->next += size;
    arena->left -= size;
    arena->total += size;
    return out;
}

/** Makes all bytes free again, and keeps one chunk for the next use. */
void st_arena_reset(st_arena *arena);
void st_arena_free(st_arena *arena);

#endif
