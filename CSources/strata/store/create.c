/* SPDX-License-Identifier: MIT
 * create.c -- a new store file, complete or not at all.
 *
 * The store is made under a temporary name, synced, and then renamed, but never over a store. So if several processes
 * create the same store at the same time, or one dies meanwhile, there is either no store or a complete one. */
#define _GNU_SOURCE 1
#include "store/create.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "store/env.h"
#include "store/lmdb_status.h"
#include "store/lock.h"
#include "store/temporary.h"

/* Fills the temporary file. Nobody else knows its name, so LMDB needs no lock file for it; and it is synced before it
 * gets its name. */
static strata_status fill(const st_temporary *temporary, const char *path, strata_error *error) {
    enum { ROOM = 16 * 1024 * 1024 };
    strata_status status = STRATA_OK;
    MDB_env *env = NULL;
    char name[PATH_MAX];
    strata_store named = { .file = temporary->descriptor, .path = name }; /* for messages */
    snprintf(name, sizeof name, "%s", path);
    int code = st_called(mdb_env_create(&env));
    if (code == 0) code = mdb_env_set_maxdbs(env, ST_TREES);
    if (code == 0) code = mdb_env_set_mapsize(env, ROOM);
    if (code == 0) code = mdb_env_open(env, temporary->name, MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC, 0600);
    if (code == 0) status = st_env_create_trees(env, &named, error);
    else status = st_lmdb_fail(error, code, &named, "creating");
    if (env != NULL) mdb_env_close(env);
    return status;
}

/* Is `file`, still empty, the file at `path`? */
static bool still_empty(int file, const char *path) {
    struct stat ours, there;
    return fstat(file, &ours) == 0 && stat(path, &there) == 0 && ours.st_dev == there.st_dev &&
           ours.st_ino == there.st_ino && ours.st_size == 0;
}

strata_status st_file_create(const char *path, int empty, mode_t mode, bool *out_busy, strata_error *error) {
    st_temporary temporary;
    /* Only one process may replace an empty file: a second one would replace the store of the first. The lock is
     * released when the descriptor is closed. */
    *out_busy = empty >= 0 && !st_lock_file(empty);
    if (*out_busy || (empty >= 0 && !still_empty(empty, path))) return STRATA_OK;

    strata_status status = st_temporary_make(path, mode, "creating", &temporary, error);
    if (status == STRATA_OK) status = fill(&temporary, path, error);
    if (status == STRATA_OK) status = st_temporary_put(&temporary, path, empty >= 0, "creating", error);
    st_temporary_end(&temporary);
    if (status == STRATA_OK) st_log(STRATA_LOG_INFO, "'%s' was created", path);
    /* Somebody else was faster: the caller opens that file. */
    return status == STRATA_FILE_EXISTS ? STRATA_OK : status;
}
