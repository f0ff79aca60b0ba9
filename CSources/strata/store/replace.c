/* SPDX-License-Identifier: MIT
 *
 * replace.c -- deleting a file, and putting a copy in its place.
 *
 * Nobody may have the file open, so that no commit goes to a file that has no name any more. Whoever opens it meanwhile
 * waits, and then looks at the path again. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/alone.h"
#include "store/copy.h"
#include "store/fork.h"
#include "store/lmdb_status.h"
#include "store/registry.h"
#include "strata_copy.h"

/* Removes the file that has so much behind its name, if it is there. */
static strata_status remove_part(const char *path, const char *suffix, const char *doing, strata_error *error) {
    char *name = NULL;
    if (asprintf(&name, "%s%s", path, suffix) < 0) return st_no_memory(error, doing);
    strata_status status = unlink(name) == 0 || errno == ENOENT ? STRATA_OK : st_errno_fail(error, errno, name, doing);
    free(name);
    return status;
}

/* The file itself goes last: who waits for it has not opened its lock file yet. Should the process end before that, the
 * file is complete without its log, if it can be. */
static strata_status delete_path(const char *path, strata_error *error) {
    static const char doing[] = "deleting";
    st_file file;
    strata_status status = st_file_open_alone(path, true, doing, &file, error);
    if (status != STRATA_OK) return status;
    (void)!st_copy_leave_log(file.descriptor, path, doing, NULL);
    status = remove_part(path, "-lock", doing, error);
    if (status == STRATA_OK) status = remove_part(path, "-log", doing, error);
    if (status == STRATA_OK) status = remove_part(path, "", doing, error);
    close(file.descriptor); /* lets in those who wait */
    return status;
}

/* The commits that a log has for the file go with it. First the file is made complete without it, because the process
 * may end before the copy is in its place; then the log means nothing to either of them. Where that cannot be done, the
 * file is lost already, and its log must not meet the copy. */
static strata_status put(const char *path, const char *copy, const st_file *file, strata_error *error) {
    static const char doing[] = "replacing";
    int directory;
    strata_status status = st_file_open_directory(path, &directory, error);
    if (status != STRATA_OK) return status;
    bool sound = file->info.st_size != 0 && st_copy_leave_log(file->descriptor, path, doing, NULL) == STRATA_OK;
    if (!sound) status = remove_part(path, "-log", doing, error);
    if (status == STRATA_OK && rename(copy, path) != 0) status = st_errno_fail(error, errno, path, doing);
    if (status == STRATA_OK) status = st_file_sync_directory(directory, path, error);
    if (status == STRATA_OK) { /* and whatever is left of the two does no harm */
        (void)!remove_part(path, "-log", doing, NULL);
        (void)!remove_part(copy, "-lock", doing, NULL);
        (void)!remove_part(copy, "-log", doing, NULL);
    }
    if (directory >= 0) close(directory);
    return status;
}

/* Opens the file that goes. Where none is, an empty one keeps the place, so that nobody makes a store there meanwhile:
 * whoever opens the path waits, as for any other file. */
static strata_status open_old(const char *path, st_file *out, bool *out_made, strata_error *error) {
    static const char doing[] = "replacing";
    *out_made = false;
    strata_status status = st_file_open_alone(path, true, doing, out, error);
    if (status != STRATA_FILE_NOT_FOUND) return status;
    int made = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (made < 0 && errno != EEXIST) return st_errno_fail(error, errno, path, doing);
    if (made >= 0) close(made);
    *out_made = made >= 0;
    return st_file_open_alone(path, true, doing, out, error);
}

/* The copy leaves its own log behind, so it gets the commits that are in there. */
static strata_status put_alone(const char *path, const char *copy, const st_file *new, strata_error *error) {
    st_file old;
    bool made;
    strata_status status = open_old(path, &old, &made, error);
    if (status != STRATA_OK) return status;
    status = st_copy_leave_log(new->descriptor, copy, "replacing a file by", error);
    if (status == STRATA_OK) status = put(path, copy, &old, error);
    bool kept = made && old.info.st_size == 0 && st_file_is_at(path, old.info.st_dev, old.info.st_ino);
    if (status != STRATA_OK && kept) (void)!unlink(path);
    close(old.descriptor);
    return status;
}

static strata_status replace_path(const char *path, const char *copy, strata_error *error) {
    st_file new;
    strata_status status = st_file_open_alone(copy, true, "replacing a file by", &new, error);
    if (status != STRATA_OK) return status;
    status = put_alone(path, copy, &new, error);
    close(new.descriptor);
    return status;
}

strata_status strata_file_delete(const char *path, strata_error *error) {
    char *resolved = NULL;
    if (path == NULL) return st_fail(error, STRATA_MISUSE, 0, "deleting a file without a path");
    st_fork_prepare_once();
    st_registry_lock();
    strata_status status = st_file_resolve(path, &resolved, error);
    if (status == STRATA_OK) status = delete_path(resolved, error);
    st_registry_unlock();
    free(resolved);
    return status;
}

strata_status strata_file_replace(const char *path, const char *copy, strata_error *error) {
    char *resolved = NULL, *resolved_copy = NULL;
    if (path == NULL || copy == NULL)
        return st_fail(error, STRATA_MISUSE, 0, "replacing a file: %s has no path", path == NULL ? "it" : "the copy");
    st_fork_prepare_once();
    st_registry_lock();
    strata_status status = st_file_resolve(path, &resolved, error);
    if (status == STRATA_OK) status = st_file_resolve(copy, &resolved_copy, error);
    if (status == STRATA_OK) status = replace_path(resolved, resolved_copy, error);
    st_registry_unlock();
    free(resolved);
    free(resolved_copy);
    return status;
}
