/* SPDX-License-Identifier: MIT
 * file.c -- finding, opening and judging the data file. */
#define _GNU_SOURCE 1
#include "store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "store/lmdb_status.h"

/* The last name of a path. NULL if the form of the path says that it is a directory. */
static const char *last_name(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    return *name == 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ? NULL : name;
}

/* The lock file and the log have the name of the file with something behind it, which must not be too long either. */
static strata_status check_length(const char *path, strata_error *error) {
    enum { BEHIND = sizeof "-lock" - 1, MOST_NAME = NAME_MAX - BEHIND, MOST_PATH = PATH_MAX - 1 - BEHIND };
    const char *name = last_name(path);
    if (name != NULL && strlen(name) > MOST_NAME)
        return st_fail(error, STRATA_NOT_A_FILE, ENAMETOOLONG,
                       "the name of a file has %zu bytes, and may have %d, because NAME-lock and NAME-log lie beside it: "
                       "'%s'", strlen(name), (int)MOST_NAME, name);
    if (strlen(path) > MOST_PATH)
        return st_fail(error, STRATA_NOT_A_FILE, ENAMETOOLONG,
                       "the path of a file has %zu bytes, and may have %d, because FILE-lock and FILE-log lie beside it: "
                       "'%s'", strlen(path), (int)MOST_PATH, path);
    return STRATA_OK;
}

/* Resolves the path of a file that does not exist: its directory with all links resolved, and its name. */
static strata_status resolve_missing(const char *path, char **out, strata_error *error) {
    struct stat info;
    const char *name = last_name(path);
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode))
        return st_fail(error, STRATA_FILE_NOT_FOUND, ENOENT, "'%s' is a symbolic link to a file that does not exist",
                       path);
    if (name == NULL) return st_errno_fail(error, ENOENT, path, "opening");

    char *directory = name == path ? strdup(".") : strndup(path, (size_t)(name - path));
    char *resolved = directory != NULL ? realpath(directory, NULL) : NULL;
    strata_status status = STRATA_OK;
    if (directory == NULL) {
        status = st_no_memory(error, "opening a store");
    } else if (resolved == NULL) {
        int code = errno;
        status = code != ENOENT ? st_errno_fail(error, code, path, "opening")
                                : st_fail(error, STRATA_FILE_NOT_FOUND, code,
                                          "opening '%s': the directory '%s' does not exist; create it first", path,
                                          directory);
    } else if (asprintf(out, "%s/%s", strcmp(resolved, "/") == 0 ? "" : resolved, name) < 0) {
        *out = NULL;
        status = st_no_memory(error, "opening a store");
    }
    free(resolved);
    free(directory);
    return status;
}

static strata_status resolve(const char *path, char **out, strata_error *error) {
    *out = realpath(path, NULL);
    if (*out != NULL) return STRATA_OK;
    int code = errno;
    if (code == ENOENT) return resolve_missing(path, out, error);
    strata_status status = code == ENAMETOOLONG ? check_length(path, error) : STRATA_OK;
    return status != STRATA_OK ? status : st_errno_fail(error, code, path, "opening");
}

strata_status st_file_resolve(const char *path, char **out, strata_error *error) {
    strata_status status = resolve(path, out, error);
    if (status == STRATA_OK) status = check_length(*out, error);
    if (status != STRATA_OK) {
        free(*out);
        *out = NULL;
    }
    return status;
}

bool st_file_is_at(const char *path, dev_t device, ino_t inode) {
    struct stat info;
    return stat(path, &info) == 0 && info.st_dev == device && info.st_ino == inode;
}

strata_status st_file_check_local(int descriptor, const char *path, strata_error *error) {
    static const struct {
        uint32_t magic;
        const char *name;
    } shared[] = {
        { 0x6969, "NFS" },        { 0xFF534D42, "CIFS" }, { 0xFE534D42, "SMB" },  { 0x517B, "SMB" },
        { 0x01021997, "9p" },     { 0x65735546, "FUSE" }, { 0x00C36400, "Ceph" }, { 0x5346414F, "AFS" },
        { 0x6B414653, "AFS" },    { 0x73757245, "Coda" }, { 0x564C, "NCP" },      { 0x0BD00BD0, "Lustre" },
        { 0x01161970, "GFS2" },   { 0x7461636F, "OCFS2" },
    };
    struct statfs info;
    if (fstatfs(descriptor, &info) != 0) return st_errno_fail(error, errno, path, "opening");
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        if ((uint32_t)info.f_type != shared[i].magic) continue;
        return st_fail(error, STRATA_REMOTE_FILE, 0,
                       "'%s' is on a %s file system, where locks and memory maps of several machines do not agree; "
                       "use a local disk, or promise with STRATA_OPEN_ALLOW_REMOTE that one machine uses it", path,
                       shared[i].name);
    }
    return STRATA_OK;
}

static strata_status check_kind(const struct stat *info, const char *path, strata_error *error) {
    if (S_ISDIR(info->st_mode))
        return st_fail(error, STRATA_NOT_A_FILE, EISDIR, "opening '%s': it is a directory; name a file in it", path);
    if (!S_ISREG(info->st_mode))
        return st_fail(error, STRATA_NOT_A_FILE, 0, "opening '%s': it is a device, pipe or socket", path);
    if (info->st_nlink > 1)
        return st_fail(error, STRATA_LINKED_FILE, 0,
                       "opening '%s': the file has %lu hard links, each with a lock file of its own; remove the others",
                       path, (unsigned long)info->st_nlink);
    return STRATA_OK;
}

static strata_status open_once(const char *path, bool read_only, st_file *out, strata_error *error) {
    /* Looks before opening: to open a pipe can block, and to open a device can do anything. */
    if (stat(path, &out->info) != 0) {
        if (errno == ENOENT) return STRATA_OK;
        return st_errno_fail(error, errno, path, "opening");
    }
    strata_status status = check_kind(&out->info, path, error);
    if (status != STRATA_OK) return status;
    int descriptor = open(path, (read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
    if (descriptor < 0) {
        if (errno == ENOENT) return STRATA_OK;
        return st_open_fail(error, errno, path, read_only, "opening");
    }
    status = fstat(descriptor, &out->info) != 0 ? st_errno_fail(error, errno, path, "opening")
                                                : check_kind(&out->info, path, error);
    if (status == STRATA_OK) out->descriptor = descriptor;
    else close(descriptor);
    return status;
}

strata_status st_file_open(const char *path, bool read_only, bool allow_remote, st_file *out, strata_error *error) {
    enum { TRIES = 3 };
    const struct timespec pause = { 0, 10 * 1000 * 1000 };
    strata_status status = STRATA_OK;
    out->descriptor = -1;
    /* A file that is just being created may have a second name for a moment. */
    for (int attempt = 0; attempt < TRIES; attempt++) {
        if (attempt > 0) nanosleep(&pause, NULL);
        status = open_once(path, read_only, out, error);
        if (status != STRATA_LINKED_FILE) break;
    }
    if (status == STRATA_OK && out->descriptor >= 0 && !allow_remote) {
        status = st_file_check_local(out->descriptor, path, error);
        if (status != STRATA_OK) {
            close(out->descriptor);
            out->descriptor = -1;
        }
    }
    return status;
}

strata_status st_file_open_directory(const char *path, int *out, strata_error *error) {
    const char *slash = strrchr(path, '/');
    char *directory = strndup(path, slash == path ? 1 : (size_t)(slash - path));
    *out = -1;
    if (directory == NULL) return st_no_memory(error, "creating a file");
    *out = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int code = *out < 0 ? errno : 0;
    free(directory);
    /* If the directory may be written but not read, it cannot be opened, and so not be synced. */
    return code == 0 || code == EACCES ? STRATA_OK : st_errno_fail(error, code, path, "creating");
}

strata_status st_file_sync_directory(int directory, const char *path, strata_error *error) {
    /* Some file systems cannot sync directories and return EINVAL. Nothing better can be done there. */
    if (directory < 0 || fsync(directory) == 0 || errno == EINVAL) return STRATA_OK;
    return st_errno_fail(error, errno, path, "creating");
}
