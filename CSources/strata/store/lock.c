/* SPDX-License-Identifier: MIT
 * lock.c -- locks of our own on the data file. */
#define _GNU_SOURCE 1
#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "store/lmdb_status.h"
#include "store/state.h"
static const off_t creating_at = (off_t)1 << 59, process_at = (off_t)1 << 60, identity_at = (off_t)1 << 61,
                   writing_at = (off_t)1 << 62;

enum { IDENTITIES = 1 << 20, PROCESSES = 1 << 22 /* more than the system has numbers for */ };

/* Locks a range, unlocks it, or looks at it. 0, or an errno; F_OFD_GETLK gives EAGAIN if somebody else has a lock
 * there. */
static int range(int file, int command, short kind, off_t start, off_t length) {
    struct flock lock = { .l_type = kind, .l_whence = SEEK_SET, .l_start = start, .l_len = length };
    if (length == 0) return 0; /* would mean: up to the end */
    while (fcntl(file, command, &lock) != 0)
        if (errno != EINTR) return errno;
    return command == F_OFD_GETLK && lock.l_type != F_UNLCK ? EAGAIN : 0;
}

static bool held_by_other(int code) { return code == EAGAIN || code == EACCES; }

/* Every kernel since 3.15 has these locks. A file system that lacks them must do without. */
static bool not_supported(int code) { return code == EINVAL || code == ENOSYS || code == EOPNOTSUPP; }

static int lock_process(const strata_store *store) {
    off_t here = process_at + getpid();
    if (!store->read_only) return range(store->file, F_OFD_SETLK, F_WRLCK, here, 1);
    /* An exclusive lock needs a writable descriptor: take a shared one, then look whether others have one, too. */
    int code = range(store->file, F_OFD_SETLK, F_RDLCK, here, 1);
    return code == 0 ? range(store->file, F_OFD_GETLK, F_WRLCK, here, 1) : code;
}

strata_status st_lock_process(strata_store *store, strata_error *error) {
    const struct timespec pause = { 0, 10 * 1000 * 1000 };
    int code = lock_process(store);
    /* No process has number 0: only somebody who compacts the file has a lock there. */
    while (held_by_other(code) && range(store->file, F_OFD_GETLK, F_WRLCK, process_at, 1) == EAGAIN) {
        nanosleep(&pause, NULL);
        code = lock_process(store);
    }
    if (code == 0 || not_supported(code)) return STRATA_OK;
    if (!held_by_other(code)) return st_errno_fail(error, code, store->path, "locking");
    return st_fail(error, STRATA_IN_USE, 0,
                   "opening '%s': a second copy of the library in this process has it open, or another process with "
                   "the same process number %ld (container?)", store->path, (long)getpid());
}

/* The position for a lock file: a hash of its device and inode. */
static off_t position_of(const struct stat *lock_file) {
    uint64_t mixed = ((uint64_t)lock_file->st_dev * UINT64_C(0x9E3779B97F4A7C15)) ^
                     ((uint64_t)lock_file->st_ino * UINT64_C(0xC2B2AE3D27D4EB4F));
    mixed ^= mixed >> 29;
    return (off_t)((mixed * UINT64_C(0x9E3779B97F4A7C15)) >> 44);
}

char *st_lock_file_name(const strata_store *store) {
    char *name = NULL;
    return asprintf(&name, "%s-lock", store->path) < 0 ? NULL : name;
}

strata_status st_lock_identity(strata_store *store, strata_error *error) {
    struct stat lock_file;
    char *name = st_lock_file_name(store);
    if (name == NULL) return st_no_memory(error, "opening a store");
    int found = stat(name, &lock_file); /* never opened: closing it would drop LMDB's locks */
    free(name);
    if (found != 0) return STRATA_OK; /* on a read-only file system there is no lock file */

    off_t here = position_of(&lock_file);
    int code = range(store->file, F_OFD_SETLK, F_RDLCK, identity_at + here, 1);
    if (code == 0) code = range(store->file, F_OFD_GETLK, F_WRLCK, identity_at, here);
    if (code == 0) code = range(store->file, F_OFD_GETLK, F_WRLCK, identity_at + here + 1, IDENTITIES - 1 - here);
    if (code == 0 || not_supported(code)) return STRATA_OK;
    if (!held_by_other(code)) return st_errno_fail(error, code, store->path, "locking");
    return st_fail(error, STRATA_LINKED_FILE, 0,
                   "opening '%s': another process has it open through another lock file, by a second name or mount of "
                   "the file, or because FILE-lock was deleted; use one path and end that process first", store->path);
}

/* A failure for another reason than a lock of somebody else counts as success: LMDB's lock is held already. */
st_lock_result st_lock_writer(const strata_store *store) {
    enum { TRIES = 1000 };
    const struct timespec pause = { 0, 2 * 1000 * 1000 };
    for (int attempt = 0; attempt < TRIES; attempt++) {
        if (attempt > 0) nanosleep(&pause, NULL);
        if (!held_by_other(range(store->file, F_OFD_SETLK, F_WRLCK, writing_at, 1)))
            return attempt == 0 ? ST_LOCK_TAKEN : ST_LOCK_WAITED;
    }
    return ST_LOCK_REFUSED;
}

void st_unlock_writer(const strata_store *store) { (void)range(store->file, F_OFD_SETLK, F_UNLCK, writing_at, 1); }

bool st_lock_creation(int file) { return range(file, F_OFD_SETLKW, F_WRLCK, creating_at, 1) == 0; }

bool st_lock_temporary(int file) { return !held_by_other(range(file, F_OFD_SETLK, F_WRLCK, creating_at, 1)); }

bool st_lock_everybody_out(int file) {
    return !held_by_other(range(file, F_OFD_SETLK, F_WRLCK, process_at, PROCESSES));
}

bool st_lock_is_alone(const strata_store *store) {
    return store->memory_name != NULL || range(store->file, F_OFD_GETLK, F_WRLCK, process_at, PROCESSES) == 0;
}

void st_lock_release(const strata_store *store) {
    if (store->file >= 0) (void)range(store->file, F_OFD_SETLK, F_UNLCK, 0, INT64_MAX);
}
