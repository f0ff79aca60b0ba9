/* SPDX-License-Identifier: MIT
 * faults.c -- makes system calls of the storage library fail. */
#define _GNU_SOURCE 1
#include "support/faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "support/record.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define FOREIGN_ALLOCATOR 1
#endif
#if __has_feature(thread_sanitizer)
#define FOREIGN_MEMORY 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define FOREIGN_ALLOCATOR 1
#endif
#if defined(__SANITIZE_THREAD__)
#define FOREIGN_MEMORY 1 /* this one must see every mapping and every thread */
#endif

typedef struct fault {
    unsigned before; /* calls that still pass */
    unsigned times;  /* calls that then fail */
    int code;
} fault;

static _Thread_local fault faults[FAULT_CALLS];
static _Thread_local bool met;
static _Thread_local long file_system, free_space = -1;
static bool no_locks;
static _Thread_local bool clones;
static _Thread_local unsigned clone_count;

/* Those of all threads. */
static struct {
    atomic_uint calls;
    unsigned before, times;
    int code;
} everywhere[FAULT_CALLS];
static atomic_bool anywhere, met_anywhere;

void (*fault_dies)(void);
void (*fault_flushes)(void);
void (*fault_locks)(int file);

const char *fault_name(fault_call call) {
    static const char *const names[FAULT_CALLS] = {
        "pwrite", "writev", "fdatasync", "write", "short", "fsync", "syncdir", "ftruncate", "mmap", "open", "rename",
        "fcntl", "stat", "random", "clone", "thread", "allocation",
    };
    return names[call];
}

void fault_set(fault_call call, unsigned nth, unsigned times, int code) {
    faults[call] = (fault){ nth - 1, times, code };
}

void fault_set_everywhere(fault_call call, unsigned nth, unsigned times, int code) {
    atomic_store(&everywhere[call].calls, 0);
    everywhere[call].before = nth - 1;
    everywhere[call].times = times;
    everywhere[call].code = code;
    atomic_store(&anywhere, true);
}

bool fault_clear(void) {
    bool result = met || atomic_load(&met_anywhere);
    atomic_store(&anywhere, false);
    for (int i = 0; i < FAULT_CALLS; i++) everywhere[i].times = 0;
    memset(faults, 0, sizeof faults);
    met = false;
    atomic_store(&met_anywhere, false);
    return result;
}

static bool fails_everywhere(fault_call call) {
    if (everywhere[call].times == 0) return false;
    unsigned number = atomic_fetch_add(&everywhere[call].calls, 1);
    if (number < everywhere[call].before || number - everywhere[call].before >= everywhere[call].times) return false;
    if (everywhere[call].code == FAULT_DIE) {
        fault_dies();
        _exit(0);
    }
    atomic_store(&met_anywhere, true);
    errno = everywhere[call].code;
    return true;
}

static bool fails(fault_call call) {
    if (atomic_load_explicit(&anywhere, memory_order_relaxed)) return fails_everywhere(call);
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

/* ---- Files ------------------------------------------------------------ */

static size_t shorter(size_t size) { return size > 1 && fails(FAULT_SHORT) ? size / 2 : size; }

static ssize_t pwrite_recorded(int file, const void *bytes, size_t size, off_t offset) {
    if (fails(FAULT_PWRITE)) return -1;
    ssize_t done = syscall(SYS_pwrite64, file, bytes, shorter(size), offset);
    if (done > 0 && recording) record_write(file, bytes, (size_t)done, offset);
    return done;
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
    bool begun = record_begin();
    ssize_t result = pwrite_recorded(file, bytes, size, offset);
    record_end(begun);
    return result;
}

static ssize_t write_recorded(int file, const void *bytes, size_t size) {
    if (fails(FAULT_WRITE)) return -1;
    off_t offset = recording ? syscall(SYS_lseek, file, 0, SEEK_CUR) : -1;
    ssize_t done = syscall(SYS_write, file, bytes, shorter(size));
    if (done > 0 && offset >= 0) record_write(file, bytes, (size_t)done, offset);
    return done;
}

ssize_t write(int file, const void *bytes, size_t size) {
    bool begun = record_begin();
    ssize_t result = write_recorded(file, bytes, size);
    record_end(begun);
    return result;
}

static void record_parts(int file, const struct iovec *parts, int count, size_t size, off_t offset) {
    for (int i = 0; i < count && size > 0; i++) {
        size_t part = parts[i].iov_len < size ? parts[i].iov_len : size;
        record_write(file, parts[i].iov_base, part, offset);
        offset += (off_t)part;
        size -= part;
    }
}

static ssize_t writev_recorded(int file, const struct iovec *parts, int count) {
    if (fails(FAULT_WRITEV)) return -1;
    if (count > 0 && fails(FAULT_SHORT)) {
        struct iovec half = { parts[0].iov_base, parts[0].iov_len / 2 };
        return syscall(SYS_writev, file, &half, 1);
    }
    off_t offset = recording ? syscall(SYS_lseek, file, 0, SEEK_CUR) : -1;
    ssize_t done = syscall(SYS_writev, file, parts, count);
    if (done > 0 && offset >= 0) record_parts(file, parts, count, (size_t)done, offset);
    return done;
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    bool begun = record_begin();
    ssize_t result = writev_recorded(file, parts, count);
    record_end(begun);
    return result;
}

static int fdatasync_recorded(int file) {
    if (fails(FAULT_FDATASYNC)) {
        int code = errno;
        if (recording) record_sync(file, true);
        errno = code;
        return -1;
    }
    int result = (int)syscall(SYS_fdatasync, file);
    if (result == 0 && recording) record_sync(file, false);
    return result;
}

int fdatasync(int file) {
    if (fault_flushes != NULL) fault_flushes();
    bool begun = record_begin();
    int result = fdatasync_recorded(file);
    record_end(begun);
    return result;
}

static bool is_directory(int file) {
    struct stat info;
    return syscall(SYS_fstat, file, &info) == 0 && S_ISDIR(info.st_mode);
}

static int fsync_recorded(int file) {
    if (fails(is_directory(file) ? FAULT_SYNC_DIRECTORY : FAULT_FSYNC)) return -1;
    int result = (int)syscall(SYS_fsync, file);
    if (result == 0 && recording) record_sync(file, false);
    return result;
}

int fsync(int file) {
    bool begun = record_begin();
    int result = fsync_recorded(file);
    record_end(begun);
    return result;
}

static int ftruncate_recorded(int file, off_t size) {
    if (fails(FAULT_FTRUNCATE)) return -1;
    int result = (int)syscall(SYS_ftruncate, file, size);
    if (result == 0 && recording) record_truncate(file, size);
    return result;
}

int ftruncate(int file, off_t size) {
    bool begun = record_begin();
    int result = ftruncate_recorded(file, size);
    record_end(begun);
    return result;
}

int open(const char *path, int flags, ...) {
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    if (fails(FAULT_OPEN)) return -1;
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (file >= 0 && recording && (flags & O_CREAT) != 0) record_create(file, path);
    return file;
}

int fcntl(int file, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (fault_locks != NULL && command == F_OFD_SETLK) fault_locks(file);
    if (fails(FAULT_FCNTL)) return -1;
    if (no_locks && (command == F_OFD_SETLK || command == F_OFD_GETLK)) {
        errno = EINVAL;
        return -1;
    }
    return (int)syscall(SYS_fcntl, file, command, argument);
}

static int rename_recorded(const char *from, const char *to) {
    if (fails(FAULT_RENAME)) return -1;
    int result = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
    if (result == 0 && recording) record_rename(from, to);
    return result;
}

int rename(const char *from, const char *to) {
    bool begun = record_begin();
    int result = rename_recorded(from, to);
    record_end(begun);
    return result;
}

static int renameat2_recorded(int from_directory, const char *from, int to_directory, const char *to, unsigned flags) {
    if (fails(FAULT_RENAME)) return -1;
    int result = (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, flags);
    if (result == 0 && recording) record_rename(from, to);
    return result;
}

int renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags) {
    bool begun = record_begin();
    int result = renameat2_recorded(from_directory, from, to_directory, to, flags);
    record_end(begun);
    return result;
}

int link(const char *from, const char *to) {
    if (fails(FAULT_RENAME)) return -1;
    return (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

static int unlink_recorded(const char *path) {
    int result = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    if (result == 0 && recording) record_unlink(path);
    return result;
}

int unlink(const char *path) {
    bool begun = record_begin();
    int result = unlink_recorded(path);
    record_end(begun);
    return result;
}

int stat(const char *restrict path, struct stat *restrict out) {
    return fails(FAULT_STAT) ? -1 : fstatat(AT_FDCWD, path, out, 0);
}

int fstat(int file, struct stat *out) { return fails(FAULT_STAT) ? -1 : fstatat(file, "", out, AT_EMPTY_PATH); }

void fault_no_locks(void) { no_locks = true; }

void fault_file_system(long kind) { file_system = kind; }

int fstatfs(int file, struct statfs *out) {
    int result = (int)syscall(SYS_fstatfs, file, out);
    if (result == 0 && file_system != 0) out->f_type = file_system;
    if (result == 0 && free_space >= 0) out->f_bavail = (fsblkcnt_t)(free_space / out->f_bsize);
    return result;
}

/* What the library looks at. */
int fstatvfs(int file, struct statvfs *out) {
    struct statfs info;
    if (fstatfs(file, &info) != 0) return -1;
    *out = (struct statvfs){ .f_bsize = (unsigned long)info.f_bsize, .f_frsize = (unsigned long)info.f_bsize,
                             .f_bavail = info.f_bavail };
    return 0;
}

void fault_free_space(long bytes) { free_space = bytes; }

unsigned fault_clones(bool work) {
    unsigned count = clone_count;
    clones = work;
    clone_count = 0;
    return count;
}

/* Copies a file into another one. */
static int copy_file(int to, int from) {
    char part[1 << 16];
    ssize_t size;
    for (off_t at = 0; (size = syscall(SYS_pread64, from, part, sizeof part, at)) > 0; at += size)
        if (syscall(SYS_pwrite64, to, part, (size_t)size, at) != size) return -1;
    return size == 0 ? 0 : -1;
}

/* What is recorded are the bytes that are written: so nothing may be shared then. */
int ioctl(int file, unsigned long request, ...) {
    va_list arguments;
    va_start(arguments, request);
    long argument = va_arg(arguments, long);
    va_end(arguments);
    if (request != FICLONE) return (int)syscall(SYS_ioctl, file, request, argument);
    if (fails(FAULT_CLONE)) return -1;
    if (recording) {
        errno = EOPNOTSUPP;
        return -1;
    }
    if (!clones) return (int)syscall(SYS_ioctl, file, request, argument);
    clone_count++;
    return copy_file(file, (int)argument);
}

int getentropy(void *bytes, size_t size) {
    if (fails(FAULT_RANDOM)) return -1;
    return syscall(SYS_getrandom, bytes, size, 0) == (long)size ? 0 : -1;
}

/* ---- Memory and threads ------------------------------------------------ */

static _Thread_local long blocks;
static atomic_long all_blocks;
static atomic_bool count_all;

long fault_blocks(void) { return blocks; }

long fault_all_blocks(void) {
    atomic_store(&count_all, true);
    return atomic_load(&all_blocks);
}

#ifndef FOREIGN_MEMORY

void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
    if (fails(FAULT_MMAP)) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
}

#endif

#ifdef FOREIGN_ALLOCATOR

bool fault_allocations_work(void) { return false; }

#else

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

static void count(long change) {
    blocks += change;
    if (atomic_load_explicit(&count_all, memory_order_relaxed))
        atomic_fetch_add_explicit(&all_blocks, change, memory_order_relaxed);
}

static void *counted(void *memory) {
    if (memory != NULL) count(1);
    return memory;
}

__attribute__((weak)) void *malloc(size_t size) {
    return fails(FAULT_ALLOCATION) ? NULL : counted(__libc_malloc(size));
}

__attribute__((weak)) void *calloc(size_t number, size_t size) {
    return fails(FAULT_ALLOCATION) ? NULL : counted(__libc_calloc(number, size));
}

__attribute__((weak)) void *realloc(void *memory, size_t size) {
    if (fails(FAULT_ALLOCATION)) return NULL;
    return memory == NULL ? counted(__libc_realloc(NULL, size)) : __libc_realloc(memory, size);
}

__attribute__((weak)) int posix_memalign(void **out, size_t alignment, size_t size) {
    int before = errno;
    void *memory = fails(FAULT_ALLOCATION) ? NULL : counted(__libc_memalign(alignment, size));
    errno = before;
    if (memory == NULL) return ENOMEM;
    *out = memory;
    return 0;
}

__attribute__((weak)) void free(void *memory) {
    if (memory != NULL) count(-1);
    __libc_free(memory);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (real == NULL) {
        void *found = dlsym(RTLD_NEXT, "pthread_create");
        memcpy(&real, &found, sizeof real);
    }
    return fails(FAULT_THREAD) ? errno : real(thread, attributes, body, argument);
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
