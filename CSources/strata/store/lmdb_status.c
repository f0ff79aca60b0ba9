/* SPDX-License-Identifier: MIT
 * lmdb_status.c -- translates the codes of LMDB and of the system into ours. */
#define _GNU_SOURCE 1
#include "store/lmdb_status.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/status.h"
#include "store/state.h"

_Thread_local uint64_t st_lmdb_calls;

uint64_t st_store_calls(void) { return st_lmdb_calls; }

static strata_status from_errno(int code) {
    if (st_is_about_room(code)) return STRATA_DISK_FULL;
    switch (code) {
    case ENOENT: return STRATA_FILE_NOT_FOUND;
    case EACCES:
    case EPERM:
    case EROFS: return STRATA_PERMISSION;
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG: return STRATA_NOT_A_FILE;
    case ENOMEM: return STRATA_NO_MEMORY;
    case EINVAL: return STRATA_MISUSE;
    default: return STRATA_IO;
    }
}

/* What is said of a disk that is full, behind the reason. */
static const char NO_ROOM[] =
    "; the disk, the quota or the file size limit of the process is used up: make room there, or delete objects in a "
    "write of its own, in several if there are many, after which their room in the file can be used";

static const char *fix_for_errno(strata_status status, int code) {
    if (code == EMFILE)
        return "; the process has as many files open as it may: close some, or raise its limit (ulimit -n)";
    if (code == ENFILE) return "; all processes together have as many files open as the system allows";
    switch (status) {
    case STRATA_FILE_NOT_FOUND: return "; check the path: directories are not created";
    case STRATA_PERMISSION: return "; the process needs to read and write the file, FILE-lock and the directory";
    case STRATA_DISK_FULL: return NO_ROOM;
    case STRATA_NOT_A_FILE: return "; the path must name a file";
    default: return "";
    }
}

strata_status st_errno_fail(strata_error *error, int code, const char *path, const char *doing) {
    strata_status status = from_errno(code);
    return st_fail(error, status, code, "%s '%s': %s%s", doing, path, strerror(code), fix_for_errno(status, code));
}

strata_status st_open_fail(strata_error *error, int code, const char *path, bool read_only, const char *doing) {
    if (!read_only || (code != EACCES && code != EPERM)) return st_errno_fail(error, code, path, doing);
    return st_fail(error, STRATA_PERMISSION, code,
                   "%s '%s': %s; the process needs to read the file, and FILE-log if there is one", doing, path,
                   strerror(code));
}

int st_lmdb_write_code(int code) {
    /* LMDB reports a short write as EIO, although the system reported no error: there was room for some of the bytes
     * only. That is the only sign of a quota that is used up. */
    return code == EIO && errno != EIO ? ENOSPC : code;
}

uint64_t st_disk_free(const strata_store *store) {
    struct statvfs disk;
    return fstatvfs(store->file, &disk) == 0 ? (uint64_t)disk.f_bavail * disk.f_frsize : UINT64_MAX;
}

uint64_t st_disk_room(const strata_store *store) {
    struct rlimit limit;
    struct stat file;
    uint64_t room = st_disk_free(store);
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && fstat(store->file, &file) == 0) {
        uint64_t left = limit.rlim_cur > (uint64_t)file.st_size ? limit.rlim_cur - (uint64_t)file.st_size : 0;
        if (left < room) room = left;
    }
    return room;
}

bool st_disk_is_full(const strata_store *store) {
    enum { ROOM_FOR_ONE_WRITE = 1024 * 1024 };
    return st_disk_room(store) < ROOM_FOR_ONE_WRITE;
}

static strata_status fail(strata_error *error, strata_status status, int code, const strata_store *store,
                          const char *doing, const char *why) {
    return st_fail(error, status, code > 0 ? code : 0, "%s '%s': %s", doing, st_store_name(store), why);
}

strata_status st_lmdb_fail(strata_error *error, int code, const strata_store *store, const char *doing) {
    switch (code) {
    case MDB_SUCCESS: return STRATA_OK;
    case MDB_NOTFOUND: return STRATA_NOT_FOUND;
    case MDB_MAP_FULL:
        return st_fail(error, STRATA_SIZE_LIMIT, 0,
                       "%s '%s': the file reached the map size of %llu bytes it was opened with; open it with a "
                       "larger map_size, or delete objects in a write of its own, in several if there are many, after "
                       "which their room can be used; close snapshots that are held for long", doing,
                       st_store_name(store), (unsigned long long)store->map_size);
    case MDB_MAP_RESIZED:
        return fail(error, STRATA_SIZE_LIMIT, 0, store, doing,
                    "another process let the file grow beyond the map of this one; close it here and open it with "
                    "the map_size used there");
    case MDB_READERS_FULL:
        return fail(error, STRATA_READERS_FULL, 0, store, doing,
                    "too many snapshots are open, over all processes; each thread, actor and queue that reads holds one: "
                    "let fewer read at a time, or, from C, raise strata_config.max_readers when no process has it open");
    case MDB_TXN_FULL:
        return fail(error, STRATA_TOO_LARGE, 0, store, doing,
                    "the transaction changes too many pages; commit in smaller parts");
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_CURSOR_FULL:
    case MDB_PAGE_FULL:
    case MDB_INCOMPATIBLE:
        return st_fail(error, STRATA_CORRUPT, 0, "%s '%s': the file is damaged (%s); restore a backup", doing,
                       st_store_name(store), mdb_strerror(code));
    case MDB_INVALID: return fail(error, STRATA_NOT_A_STORE, 0, store, doing, "the file is not a Strata store");
    case MDB_VERSION_MISMATCH:
        return fail(error, STRATA_NEWER_FORMAT, 0, store, doing,
                    "the file or its lock file was made by another version of LMDB");
    case MDB_PANIC:
        return fail(error, STRATA_POISONED, 0, store, doing,
                    "an earlier write failed half-way; close every handle of the file and open it again");
    case MDB_BAD_RSLOT:
    case MDB_BAD_TXN:
    case MDB_BAD_DBI:
    case MDB_BAD_VALSIZE:
    case MDB_KEYEXIST:
    case MDB_DBS_FULL:
        return st_fail(error, STRATA_MISUSE, 0, "%s '%s': %s", doing, st_store_name(store), mdb_strerror(code));
    case EAGAIN:
        return fail(error, STRATA_IN_USE, code, store, doing,
                    "another process with the same process number uses the file; containers that share a file must "
                    "share their process numbers too");
    case EIO:
        if (st_disk_is_full(store))
            return fail(error, STRATA_DISK_FULL, code, store, doing,
                        &NO_ROOM[2]);
        break;
    default: break;
    }
    return st_errno_fail(error, code, st_store_name(store), doing);
}
