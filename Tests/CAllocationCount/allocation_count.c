/* SPDX-License-Identifier: MIT
 *
 * allocation_count.c -- stands in front of the allocator of libc and counts.
 *
 * The program's own definitions win over those of the shared libraries it uses, so the Swift runtime is counted too.
 * The thread sanitizer brings an allocator of its own; beside it nothing is counted.
 */
#include "allocation_count.h"

#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FOREIGN_ALLOCATOR 1
#endif
#endif

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static __thread uint64_t allocations;

uint64_t allocation_count(void) { return allocations; }

uint64_t allocated_bytes(void) { return (uint64_t)mallinfo2().uordblks; }

#ifndef FOREIGN_ALLOCATOR
void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    allocations++;
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    allocations++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
    allocations++;
    *out = __libc_memalign(alignment, size);
    return *out == NULL ? ENOMEM : 0;
}
#endif
