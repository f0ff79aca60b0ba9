/* SPDX-License-Identifier: MIT
 * file.h -- the data file as the system sees it, before LMDB opens it. */
#ifndef ST_STORE_FILE_H
#define ST_STORE_FILE_H

#include <sys/stat.h>

#include "base/status.h"

/** The absolute path of a file, with all links resolved. The file need not exist, but its directory must. Fails with
 * STRATA_NOT_A_FILE if the lock file or the log would have too long a name. Ownership: freed by the caller. */
strata_status st_file_resolve(const char *path, char **out, strata_error *error);

/** An open file and its properties. `descriptor` is -1 if there is no file at the path. */
typedef struct st_file {
    int descriptor;
    struct stat info;
} st_file;

/** Opens a regular file that has one name only and is on a local disk; with `allow_remote` any disk will do. It is no
 * failure if there is no such file. */
strata_status st_file_open(const char *path, bool read_only, bool allow_remote, st_file *out, strata_error *error);
/** Whether a file is the one at a path. */
bool st_file_is_at(const char *path, dev_t device, ino_t inode);
/** Fails on a file system that several machines may share. */
strata_status st_file_check_local(int descriptor, const char *path, strata_error *error);
/** Opens the directory of the absolute `path`, to sync it. -1 if that is not allowed. */
strata_status st_file_open_directory(const char *path, int *out, strata_error *error);
/** Makes the entries of a directory durable, unless it is -1. `path` is for the message. */
strata_status st_file_sync_directory(int directory, const char *path, strata_error *error);

#endif
