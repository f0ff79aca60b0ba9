/* SPDX-License-Identifier: MIT
 * faults.c -- makes system calls of the storage library fail. */
#define _GNU_SOURCE 1
#include "faults.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static _Thread_local struct {
    unsigned before; /* calls that still pass */
    unsigned times;  /* calls that then fail */
    int code;
} faults[FAULT_CALLS];
static _Thread_local bool met;

void fault_set(fault_call call, unsigned nth, unsigned times, int code) {
    faults[call].before = nth - 1;
    faults[call].times = times;
    faults[call].code = code;
}

bool fault_clear(void) {
    bool result = met;
    memset(faults, 0, sizeof faults);
    met = false;
    return result;
}

static bool fails(fault_call call) {
    if (faults[call].times == 0) return false;
    if (faults[call].before > 0) {
        faults[call].before--;
        return false;
    }
    faults[call].times--;
    met = true;
    errno = faults[call].code;
    return true;
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
    return fails(FAULT_PWRITE) ? -1 : syscall(SYS_pwrite64, file, bytes, size, offset);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    return fails(FAULT_WRITEV) ? -1 : syscall(SYS_writev, file, parts, count);
}

int fdatasync(int file) { return fails(FAULT_FDATASYNC) ? -1 : (int)syscall(SYS_fdatasync, file); }

/* ---- Memory ----------------------------------------------------------- */

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define FOREIGN_ALLOCATOR 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define FOREIGN_ALLOCATOR 1
#endif

static _Thread_local long blocks;

long fault_blocks(void) { return blocks; }

#ifdef FOREIGN_ALLOCATOR

bool fault_allocations_work(void) { return false; }

#else

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void __libc_free(void *memory);

static void *counted(void *memory) {
    blocks += memory != NULL;
    return memory;
}

__attribute__((weak)) void *malloc(size_t size) {
    return fails(FAULT_ALLOCATION) ? NULL : counted(__libc_malloc(size));
}

__attribute__((weak)) void *calloc(size_t count, size_t size) {
    return fails(FAULT_ALLOCATION) ? NULL : counted(__libc_calloc(count, size));
}

__attribute__((weak)) void *realloc(void *memory, size_t size) {
    if (fails(FAULT_ALLOCATION)) return NULL;
    return memory == NULL ? counted(__libc_realloc(NULL, size)) : __libc_realloc(memory, size);
}

__attribute__((weak)) void free(void *memory) {
    blocks -= memory != NULL;
    __libc_free(memory);
}

bool fault_allocations_work(void) {
    bool had = met;
    void *(*volatile allocate)(size_t) = malloc; /* the compiler thinks it knows what malloc() looks at */
    fault_set(FAULT_ALLOCATION, 1, 1, ENOMEM);
    void *memory = allocate(1);
    free(memory);
    faults[FAULT_ALLOCATION].times = 0;
    met = had;
    return memory == NULL;
}

#endif
