/* SPDX-License-Identifier: MIT
 * faults.h -- makes system calls of the storage library fail.
 *
 * The functions of the same names in faults.c stand before those of the C library, for LMDB too. Without a fault set
 * they pass everything on. Those for memory give way to other definitions in the program. */
#ifndef FAULTS_H
#define FAULTS_H

#include <stdbool.h>

typedef enum fault_call { FAULT_PWRITE, FAULT_WRITEV, FAULT_FDATASYNC, FAULT_ALLOCATION, FAULT_CALLS } fault_call;

/** From the `nth` call on from here (1 = the next), on this thread, fails `times` calls with `code`. */
void fault_set(fault_call call, unsigned nth, unsigned times, int code);
/** Forgets all faults. True if one of them was met. */
bool fault_clear(void);

/** Blocks of memory that this thread allocated and nobody freed, or freed for others (then negative). */
long fault_blocks(void);
/** False where the allocator belongs to somebody else, such as a sanitizer: then FAULT_ALLOCATION does nothing. */
bool fault_allocations_work(void);

#endif
