/* SPDX-License-Identifier: MIT
 * create.c -- a new store file, complete or not at all.
 *
 * The store is made under a temporary name, synced, and then renamed, never over a file that is there: whoever
 * creates the same store at the same time, or dies half-way, leaves either nothing or a whole store behind. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "store/file.h"
#include "store/handle.h"
#include "store/lock.h"

/* In the directory of `path`. The name is short, as `path` may have the longest name allowed. */
static strata_status make_temporary(const char *path, mode_t mode, char **out_name, int *out_file,
                                    strata_error *error) {
    enum { TRIES = 16 };
    int length = (int)(strrchr(path, '/') - path), file = -1;
    *out_name = NULL;
    *out_file = -1;
    for (int attempt = 0; attempt < TRIES && file < 0; attempt++) {
        uint64_t number = 0;
        free(*out_name);
        if (getentropy(&number, sizeof number) != 0) number = (uint64_t)getpid() << 32 ^ (uint64_t)attempt;
        if (asprintf(out_name, "%.*s/.strata-new-%016llx", length, path, (unsigned long long)number) < 0) {
            *out_name = NULL;
            return st_no_memory(error, "creating a store");
        }
        file = open(*out_name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file < 0 && errno != EEXIST) break;
    }
    if (file < 0) {
        int code = errno;
        free(*out_name);
        *out_name = NULL;
        return st_errno_fail(error, code, path, "creating");
    }
    *out_file = file;
    return STRATA_OK;
}

/* Fills the temporary file. Nobody else knows its name, so LMDB needs no lock file for it. */
static strata_status fill(const char *temporary, int file, const char *path, strata_error *error) {
    enum { ROOM = 16 * 1024 * 1024 };
    strata_status status = STRATA_OK;
    MDB_env *env = NULL;
    char name[PATH_MAX];
    strata_store named = { .file = file, .path = name }; /* for messages */
    snprintf(name, sizeof name, "%s", path);
    int code = st_called(mdb_env_create(&env));
    if (code == 0) code = mdb_env_set_maxdbs(env, ST_TREES);
    if (code == 0) code = mdb_env_set_mapsize(env, ROOM);
    if (code == 0) code = mdb_env_open(env, temporary, MDB_NOSUBDIR | MDB_NOLOCK, 0600);
    if (code == 0) status = st_env_create_trees(env, &named, error);
    else status = st_lmdb_fail(error, code, &named, "creating");
    if (env != NULL) mdb_env_close(env);
    if (status == STRATA_OK && fsync(file) != 0) status = st_errno_fail(error, errno, path, "creating");
    return status;
}

/* 0, or an errno; EEXIST if there is a file of that name. */
static int rename_without_replacing(const char *from, const char *to) {
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
    if (link(from, to) != 0) return errno; /* for a moment the file has two names; openers are patient about it */
    return unlink(from) == 0 ? 0 : errno;
}

static strata_status put_in_place(const char *temporary, const char *path, bool replace, strata_error *error) {
    int code = 0;
    if (!replace) code = rename_without_replacing(temporary, path);
    else if (rename(temporary, path) != 0) code = errno;
    if (code == EEXIST) return STRATA_OK; /* somebody was faster; the caller removes ours and opens theirs */
    if (code != 0) return st_errno_fail(error, code, path, "creating");
    return st_file_sync_directory(path, error);
}

/* Is `file`, still empty, the file at `path`? */
static bool still_empty(int file, const char *path) {
    struct stat ours, there;
    return fstat(file, &ours) == 0 && stat(path, &there) == 0 && ours.st_dev == there.st_dev &&
           ours.st_ino == there.st_ino && ours.st_size == 0;
}

strata_status st_file_create(const char *path, int empty, mode_t mode, strata_error *error) {
    char *temporary = NULL;
    int file = -1;
    /* Only one may replace an empty file, as the next would replace a store; the lock goes with its descriptor. */
    if (empty >= 0 && (!st_lock_creating(empty) || !still_empty(empty, path))) return STRATA_OK;

    strata_status status = make_temporary(path, mode, &temporary, &file, error);
    if (status == STRATA_OK) status = fill(temporary, file, path, error);
    if (status == STRATA_OK) status = put_in_place(temporary, path, empty >= 0, error);
    if (file >= 0) close(file);
    if (temporary != NULL) unlink(temporary); /* fails if it was renamed, which is as well */
    free(temporary);
    return status;
}
