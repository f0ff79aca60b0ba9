/* SPDX-License-Identifier: MIT
 * faults.h -- makes system calls of the storage library fail.
 *
 * The functions of the same names in faults.c stand before those of the C library, for LMDB too. Without a fault set
 * they pass everything on. Those for memory give way to other definitions in the program. */
#ifndef FAULTS_H
#define FAULTS_H

#include <stdbool.h>

typedef enum fault_call {
    FAULT_PWRITE,
    FAULT_WRITEV,
    FAULT_FDATASYNC,
    FAULT_WRITE,
    FAULT_SHORT,          /**< of the three that write: writes half of the bytes and does not fail */
    FAULT_FSYNC,          /**< of files */
    FAULT_SYNC_DIRECTORY, /**< fsync() of directories */
    FAULT_FTRUNCATE,
    FAULT_MMAP,
    FAULT_OPEN,
    FAULT_RENAME,         /**< and link() */
    FAULT_FCNTL,
    FAULT_STAT,           /**< and fstat() */
    FAULT_RANDOM,         /**< getentropy() */
    FAULT_CLONE,          /**< ioctl() with FICLONE */
    FAULT_THREAD,         /**< pthread_create() */
    FAULT_ALLOCATION,     /**< malloc() and its kin */
    FAULT_CALLS
} fault_call;

/** Such as "pwrite". */
const char *fault_name(fault_call call);

/** From the `nth` call on from here (1 = the next), on this thread, fails `times` calls with `code`. */
void fault_set(fault_call call, unsigned nth, unsigned times, int code);
/** The same on all threads of the process: for child processes, which have no other tests beside them. */
void fault_set_everywhere(fault_call call, unsigned nth, unsigned times, int code);
/** Instead of a code: the process ends at that call, after `fault_dies` has been called, as if it was killed. */
enum { FAULT_DIE = -1 };
extern void (*fault_dies)(void);
/** If it is not NULL, called before each fdatasync(), on its thread. */
extern void (*fault_flushes)(void);
/** If it is not NULL, called before each OFD lock of a file is taken or given back, on its thread. */
extern void (*fault_locks)(int file);
/** Forgets all faults. True if one of them was met. */
bool fault_clear(void);

/** Makes every file seem to lie on a file system of this kind (the f_type of statfs), on this thread; 0 = no longer. */
void fault_file_system(long kind);

/** Lets the system have no OFD locks, in the whole process. */
void fault_no_locks(void);

/** Makes every disk seem to have so many free bytes, on this thread; -1 = no longer. */
void fault_free_space(long bytes);

/** Lets every file system share blocks between files, on this thread: what ioctl() with FICLONE would share is copied.
 * Returns how many files were made so since it was switched on. */
unsigned fault_clones(bool work);

/** Blocks of memory that this thread allocated and nobody freed, or freed for others (then negative). */
long fault_blocks(void);
/** The same of all threads, from the first call on. */
long fault_all_blocks(void);
/** False where the allocator belongs to somebody else, such as a sanitizer: then FAULT_ALLOCATION does nothing. */
bool fault_allocations_work(void);

#endif
