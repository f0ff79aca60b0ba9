/* SPDX-License-Identifier: MIT
 *
 * arena.h -- memory that is given back all at once.
 */
#ifndef ST_BASE_ARENA_H
#define ST_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

/** Zero-initialised it is empty. Freed with st_arena_free(). */
typedef struct st_arena {
    struct st_arena_chunk *chunk;
    uint8_t *next; /* where the next bytes are taken from */
    size_t left;   /* bytes there; a multiple of 8 */
    size_t total;  /* bytes handed out since the last reset */
} st_arena;

/** An arena that begins with memory of the caller's, so that a little allocates nothing. `memory` is aligned to 8,
 * outlives the arena, and is used once: a reset does not bring it back. `size` is a multiple of 8. */
static inline st_arena st_arena_begin(void *memory, size_t size) { return (st_arena){ NULL, memory, size, 0 }; }

/** The same from a new chunk, if that is needed. */
void *st_arena_take_chunk(st_arena *arena, size_t size);

/** `size` bytes, aligned to 8, not cleared. NULL if there is no memory. */
static inline void *st_arena_take(st_arena *arena, size_t size) {
    if (size - 1 >= arena->left) return st_arena_take_chunk(arena, size); /* too many, or none at all */
    size = (size + 7) & ~(size_t)7;
    void *out = arena->next;
    arena->next += size;
    arena->left -= size;
    arena->total += size;
    return out;
}

/** Takes everything back, keeping one chunk for the next use. */
void st_arena_reset(st_arena *arena);
void st_arena_free(st_arena *arena);

#endif
