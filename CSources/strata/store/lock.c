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
#include "store/deadline.h"
#include "store/lmdb_status.h"
#include "store/state.h"

enum { IDENTITIES = 1 << 20, PROCESS_BITS = 22 /* the system has no higher numbers */, TIME_BITS = 36 };

static const off_t opening_at = (off_t)1 << 59, process_at = (off_t)1 << 60, identity_at = (off_t)1 << 61,
                   turn_at = (off_t)1 << 62, line_at = ((off_t)1 << 62) + ((off_t)1 << 59),
                   slots_at = ((off_t)1 << 62) + ((off_t)1 << 60), wait_at = ((off_t)1 << 62) + ((off_t)1 << 61),
                   read_at = wait_at + 1, unlocked_at = wait_at + 2,
                   longest = (off_t)1 << (PROCESS_BITS + TIME_BITS),
                   processes = (off_t)1 << PROCESS_BITS;

/* ---- Ranges -------------------------------------------------------------- */

/* Locks or unlocks a range. 0, or an errno. */
static int range(int file, short kind, off_t start, off_t length) {
    struct flock lock = { .l_type = kind, .l_whence = SEEK_SET, .l_start = start, .l_len = length };
    while (fcntl(file, F_OFD_SETLK, &lock) != 0)
        if (errno != EINTR) return errno;
    return 0;
}

/* Looks for locks of others in a range. 0, or EAGAIN and one of them, or another errno. */
static int look(int file, short kind, off_t start, off_t length, struct flock *out) {
    *out = (struct flock){ .l_type = kind, .l_whence = SEEK_SET, .l_start = start, .l_len = length };
    if (length == 0) return 0; /* would mean: up to the end */
    if (fcntl(file, F_OFD_GETLK, out) != 0) return errno;
    return out->l_type != F_UNLCK ? EAGAIN : 0;
}

static bool held_by_other(int code) { return code == EAGAIN || code == EACCES; }

/* Every kernel since 3.15 has these locks. A file system that lacks them must do without. */
static bool not_supported(int code) { return code == EINVAL || code == ENOSYS || code == EOPNOTSUPP; }

/* Takes a range for this store alone. A read-only store has no writable descriptor, which an exclusive lock needs: it
 * takes a shared one, and then looks whether others have one, too. */
static int alone(const strata_store *store, off_t start, off_t length) {
    struct flock other;
    if (!store->read_only) return range(store->file, F_WRLCK, start, length);
    int code = range(store->file, F_RDLCK, start, length);
    if (code == 0) code = look(store->file, F_WRLCK, start, length, &other);
    if (held_by_other(code)) (void)range(store->file, F_UNLCK, start, length);
    return code;
}

/* ---- Who may do what, one at a time -------------------------------------- */

/* A mark is never 0, so a lock that is as long as that is never empty. */
static uint64_t mark_of(int64_t process) {
    uint64_t milliseconds = (uint64_t)(st_time_now() / ST_MILLISECOND);
    return ((uint64_t)process & (((uint64_t)1 << PROCESS_BITS) - 1)) |
           (milliseconds & (((uint64_t)1 << TIME_BITS) - 1)) << PROCESS_BITS;
}

static st_lock_holder holder_of(uint64_t mark) {
    uint64_t now = mark_of(0) >> PROCESS_BITS, then = mark >> PROCESS_BITS;
    uint64_t milliseconds = (now - then) & (((uint64_t)1 << TIME_BITS) - 1);
    int64_t process = (int64_t)(mark & (((uint64_t)1 << PROCESS_BITS) - 1));
    return (st_lock_holder){ process, process == 0 ? 0 : (double)milliseconds / 1000 };
}

static off_t start_of(st_lock_kind kind) {
    switch (kind) {
    case ST_LOCK_OPENING: return opening_at;
    case ST_LOCK_TURN: return turn_at;
    case ST_LOCK_SLOTS: break;
    }
    return slots_at;
}

bool st_lock_take(const strata_store *store, st_lock_kind kind) {
    return !held_by_other(alone(store, start_of(kind), (off_t)mark_of(store->process)));
}

void st_lock_drop(const strata_store *store, st_lock_kind kind) {
    (void)range(store->file, F_UNLCK, start_of(kind), longest);
}

bool st_lock_held(const strata_store *store, st_lock_kind kind, st_lock_holder *out) {
    struct flock other;
    bool held = held_by_other(look(store->file, F_WRLCK, start_of(kind), 1, &other));
    if (out != NULL) *out = held ? holder_of((uint64_t)other.l_len) : (st_lock_holder){ 0, 0 };
    return held;
}

/* The name of a process, in parentheses; "" if it cannot be read. */
static void read_name(int64_t process, char *out, size_t size) {
    char path[64], name[32] = "";
    snprintf(path, sizeof path, "/proc/%lld/comm", (long long)process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, name, sizeof name - 1);
    if (file >= 0) close(file);
    name[length > 0 ? length : 0] = 0;
    name[strcspn(name, "\n")] = 0;
    snprintf(out, size, name[0] == 0 ? "%s" : " (%s)", name);
}

strata_status st_lock_fail(const strata_store *store, const st_lock_holder *holder, const char *doing,
                           const char *busy, strata_error *error) {
    char name[48];
    if (holder->process == 0)
        return st_fail(error, STRATA_BUSY, 0,
                       "%s '%s': another process has been %s for longer than this one could wait; wait longer, or end "
                       "that process", doing, st_store_name(store), busy);
    read_name(holder->process, name, sizeof name);
    return st_fail(error, STRATA_BUSY, 0,
                   "%s '%s': process %lld%s has been %s for %.1f seconds; wait longer, or end that process if it was "
                   "stopped or hangs", doing, st_store_name(store), (long long)holder->process, name, busy,
                   holder->seconds);
}

bool st_lock_file(int file) {
    return !held_by_other(range(file, F_WRLCK, opening_at, (off_t)mark_of(getpid())));
}

bool st_lock_everybody_out(int file) { return !held_by_other(range(file, F_WRLCK, process_at, processes)); }

/* ---- Following commits ---------------------------------------------------- */

void st_lock_wait(const strata_store *store) { (void)range(store->file, F_RDLCK, wait_at, 1); }

void st_lock_read(const strata_store *store, bool reads) {
    (void)range(store->file, reads ? F_RDLCK : F_UNLCK, read_at, 1);
}

void st_lock_followers(const strata_store *store, bool *out_wait, bool *out_read) {
    struct flock other;
    bool any = held_by_other(look(store->file, F_WRLCK, wait_at, 2, &other));
    *out_wait = any && held_by_other(look(store->file, F_WRLCK, wait_at, 1, &other));
    *out_read = any && held_by_other(look(store->file, F_WRLCK, read_at, 1, &other));
}

/* ---- The line ------------------------------------------------------------ */

st_lock_place st_lock_line_up(const strata_store *store) {
    st_lock_place place = mark_of(store->process);
    (void)range(store->file, F_WRLCK, line_at + (off_t)place, 1);
    return place;
}

void st_lock_leave_line(const strata_store *store, st_lock_place place) {
    (void)range(store->file, F_UNLCK, line_at + (off_t)place, 1);
}

st_lock_place st_lock_ahead(const strata_store *store, st_lock_place after, st_lock_place place) {
    struct flock other;
    if (after + 1 >= place) return 0;
    int code = look(store->file, F_WRLCK, line_at + (off_t)after + 1, (off_t)(place - after - 1), &other);
    return held_by_other(code) ? (st_lock_place)(other.l_start - line_at) : 0;
}

/* ---- Open stores --------------------------------------------------------- */

strata_status st_lock_process(strata_store *store, strata_error *error) {
    int code = alone(store, process_at + (off_t)store->process, 1);
    if (code == 0 || not_supported(code)) return STRATA_OK;
    if (!held_by_other(code)) return st_errno_fail(error, code, store->path, "locking");
    return st_fail(error, STRATA_IN_USE, 0,
                   "opening '%s': a second copy of the library in this process has it open, or another process with "
                   "the same process number %lld (container?)", store->path, (long long)store->process);
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

bool st_lock_file_is_held(const strata_store *store, st_lock_holder *out) {
    struct flock other;
    char *name = st_lock_file_name(store);
    int file = name == NULL ? -1 : open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    free(name);
    *out = (st_lock_holder){ 0, 0 };
    if (file < 0) return false;
    bool held = held_by_other(look(file, F_RDLCK, 0, 1, &other));
    close(file);
    if (held && other.l_pid > 0) out->process = other.l_pid;
    return held;
}

enum { READER = 64, HEAD = 4096 }; /* bytes of a lock file: of a reader, and before them at most */

/* How many bytes to keep room for, in a lock file that has so many. */
static off_t room_for(uint32_t readers, off_t size) {
    const off_t most = HEAD + (off_t)STRATA_MAX_READERS * READER; /* nobody's slots are behind that */
    off_t wanted = HEAD + (off_t)readers * READER;
    if (size < wanted) return wanted;
    return size < most ? size : most; /* somebody wanted more readers */
}

/* 0, or an errno; then nothing behind the end of the file is taken: a disk that is too full keeps what it has left. */
static int reserve(int file, off_t wanted) {
    struct stat info;
    if (fallocate(file, FALLOC_FL_KEEP_SIZE, 0, wanted) == 0) return 0;
    int code = errno;
    if (fstat(file, &info) != 0 || ftruncate(file, info.st_size) != 0) return code; /* the size stays as it is */
    return code;
}

strata_status st_lock_file_reserve(const strata_store *store, uint32_t readers, mode_t mode, strata_error *error) {
    enum { BLOCK = 512 }; /* bytes of st_blocks */
    struct stat info = { 0 };
    char *name = st_lock_file_name(store);
    if (name == NULL) return st_no_memory(error, "opening a store");
    bool found = stat(name, &info) == 0;
    off_t wanted = room_for(readers, info.st_size);
    bool reserved = found && (off_t)info.st_blocks * BLOCK >= wanted;
    int file = reserved ? -1 : open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode);
    free(name);
    int code = file >= 0 ? reserve(file, wanted) : 0;
    if (file >= 0) close(file);
    return st_is_about_room(code) ? st_errno_fail(error, code, store->path, "opening") : STRATA_OK;
}

strata_status st_lock_identity(strata_store *store, strata_error *error) {
    struct stat lock_file;
    char *name = st_lock_file_name(store);
    if (name == NULL) return st_no_memory(error, "opening a store");
    int found = stat(name, &lock_file); /* never opened: closing it would drop LMDB's locks */
    free(name);
    if (found != 0) return STRATA_OK; /* on a read-only file system there is no lock file */

    off_t here = position_of(&lock_file);
    struct flock other;
    int code = range(store->file, F_RDLCK, identity_at + here, 1);
    if (code == 0) code = look(store->file, F_WRLCK, identity_at, here, &other);
    if (code == 0) code = look(store->file, F_WRLCK, identity_at + here + 1, IDENTITIES - 1 - here, &other);
    if (code == 0 || not_supported(code)) return STRATA_OK;
    if (!held_by_other(code)) return st_errno_fail(error, code, store->path, "locking");
    return st_fail(error, STRATA_LINKED_FILE, 0,
                   "opening '%s': another process has it open through another lock file, by a second name or mount of "
                   "the file, or because FILE-lock was deleted; use one path and end that process first", store->path);
}

bool st_lock_file_is_denied(const strata_store *store) {
    char *name = st_lock_file_name(store);
    if (name == NULL) return false;
    bool exists = faccessat(AT_FDCWD, name, F_OK, AT_EACCESS) == 0;
    if (!exists) *strrchr(name, '/') = 0; /* whether it can be made: the path is absolute */
    bool denied = faccessat(AT_FDCWD, exists || *name != 0 ? name : "/", R_OK | W_OK, AT_EACCESS) != 0;
    bool by_rights = denied && (errno == EACCES || errno == EPERM || errno == EROFS);
    free(name);
    return by_rights;
}

bool st_lock_keep_writers_out(const strata_store *store) {
    struct flock other;
    (void)range(store->file, F_RDLCK, unlocked_at, 1);
    return !held_by_other(look(store->file, F_RDLCK, process_at, processes, &other));
}

strata_status st_lock_check_readers(const strata_store *store, strata_error *error) {
    struct flock other;
    if (!held_by_other(look(store->file, F_WRLCK, unlocked_at, 1, &other))) return STRATA_OK;
    return st_fail(error, STRATA_IN_USE, 0,
                   "opening '%s': another process reads it that may not write %s-lock, and so cannot say what it "
                   "reads; end that process, or let it write the lock file", store->path, store->path);
}

bool st_lock_works(const strata_store *store) {
    struct flock other;
    return store->memory_name != NULL || !not_supported(look(store->file, F_WRLCK, process_at, processes, &other));
}

bool st_lock_is_alone(const strata_store *store) {
    struct flock other;
    return store->memory_name != NULL || look(store->file, F_WRLCK, process_at, processes, &other) == 0;
}

void st_lock_release(const strata_store *store) {
    if (store->file >= 0) (void)range(store->file, F_UNLCK, 0, INT64_MAX);
}
