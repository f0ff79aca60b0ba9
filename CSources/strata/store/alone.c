/* SPDX-License-Identifier: MIT
 * alone.c -- files that nobody else uses. */
#define _GNU_SOURCE 1
#include "store/alone.h"

#include <errno.h>
#include <unistd.h>

#include "store/fork.h"
#include "store/lock.h"
#include "store/registry.h"

static strata_status missing(const char *path, const char *doing, strata_error *error) {
    return st_fail(error, STRATA_FILE_NOT_FOUND, ENOENT, "%s '%s': the file does not exist", doing, path);
}

/* Whether nobody has the file open, and nobody can open it until the descriptor is closed. */
static bool keep_out(const char *path, const st_file *file) {
    return st_registry_find_file(file->info.st_dev, file->info.st_ino) == NULL && st_registry_find_path(path) == NULL &&
           st_lock_file(file->descriptor) && st_lock_everybody_out(file->descriptor);
}

/* Between opening a file and locking it, another one may come into its place, which others open. Only who holds the
 * locks of a file takes it from its path, so that one that is still there then stays there. */
strata_status st_file_open_alone(const char *path, bool allow_remote, const char *doing, st_file *out,
                                 strata_error *error) {
    enum { TRIES = 1000 };
    for (int attempt = 0; attempt < TRIES; attempt++) {
        strata_status status = st_file_open(path, false, allow_remote, out, error);
        if (status != STRATA_OK) return status;
        if (out->descriptor < 0) return missing(path, doing, error);
        bool alone = keep_out(path, out);
        if (alone && st_file_is_at(path, out->info.st_dev, out->info.st_ino)) return STRATA_OK;
        close(out->descriptor);
        if (!alone) break;
    }
    return st_fail(error, STRATA_IN_USE, 0,
                   "%s '%s': the file is open, in this process or another; close it everywhere first", doing, path);
}

strata_status st_file_read_alone(const char *path, const char *doing, st_file *out, strata_error *error) {
    st_fork_prepare_once();
    st_registry_lock();
    strata_status status = st_file_open_alone(path, true, doing, out, error);
    st_registry_unlock();
    if (status != STRATA_PERMISSION) return status;
    status = st_file_open(path, true, true, out, error);
    return status == STRATA_OK && out->descriptor < 0 ? missing(path, doing, error) : status;
}
