/* SPDX-License-Identifier: MIT
 * temporary.c -- files that are made under a temporary name and then put in place. */
#define _GNU_SOURCE 1
#include "store/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "store/file.h"
#include "store/lmdb_status.h"
#include "store/lock.h"

static const char prefix[] = ".strata-new-";

/* Removes temporary files whose makers died. Failures do not matter: the next maker tries again. */
static void sweep(const char *path, int directory_length) {
    char *directory = NULL;
    if (asprintf(&directory, "%.*s/", directory_length, path) < 0) return;
    DIR *entries = opendir(directory);
    free(directory);
    if (entries == NULL) return;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (strncmp(entry->d_name, prefix, sizeof prefix - 1) != 0) continue;
        int file = openat(dirfd(entries), entry->d_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (file < 0) continue;
        if (st_lock_file(file)) (void)unlinkat(dirfd(entries), entry->d_name, 0);
        close(file);
    }
    closedir(entries);
}

/* Creates a file of that name and locks it. 0, or an errno; EEXIST if another name should be tried. */
static int create(const char *name, mode_t mode, int *out) {
    struct stat info;
    int descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor < 0) return errno;
    bool ours = st_lock_file(descriptor);
    int code = ours && fstat(descriptor, &info) != 0 ? errno : 0;
    /* Somebody who removes such files may have been faster. Then the name is gone, and so is the file. */
    if (code == 0 && (!ours || info.st_nlink == 0)) code = EEXIST;
    else if (code != 0) unlink(name);
    if (code == 0) *out = descriptor;
    else close(descriptor);
    return code;
}

strata_status st_temporary_make(const char *path, mode_t mode, const char *doing, st_temporary *out,
                                strata_error *error) {
    enum { TRIES = 16 };
    int length = (int)(strrchr(path, '/') - path), code = EEXIST;
    *out = (st_temporary){ NULL, -1 };
    sweep(path, length);
    for (int attempt = 0; attempt < TRIES && code == EEXIST; attempt++) {
        uint64_t number = 0;
        free(out->name);
        if (getentropy(&number, sizeof number) != 0) number = (uint64_t)getpid() << 32 ^ (uint64_t)attempt;
        /* The name is short, because `path` may be as long as a path can be. */
        if (asprintf(&out->name, "%.*s/%s%016llx", length, path, prefix, (unsigned long long)number) < 0) {
            out->name = NULL;
            return st_no_memory(error, doing);
        }
        code = create(out->name, mode, &out->descriptor);
    }
    if (code == 0) return STRATA_OK;
    free(out->name);
    out->name = NULL;
    return st_errno_fail(error, code, path, doing);
}

int st_rename_without_replacing(const char *from, const char *to) {
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
    if (link(from, to) != 0) return errno; /* for a moment the file has two names: see st_file_open() */
    return unlink(from) == 0 ? 0 : errno;
}

strata_status st_temporary_put(st_temporary *temporary, const char *path, bool replace, const char *doing,
                               strata_error *error) {
    int directory, code = fsync(temporary->descriptor) != 0 ? errno : 0;
    if (code != 0) return st_errno_fail(error, code, path, doing);
    /* The directory is opened first: once the file is in place, nothing may fail but the sync itself. */
    strata_status status = st_file_open_directory(path, &directory, error);
    if (status != STRATA_OK) return status;
    if (!replace) code = st_rename_without_replacing(temporary->name, path);
    else if (rename(temporary->name, path) != 0) code = errno;
    if (code == 0) {
        free(temporary->name);
        temporary->name = NULL;
        status = st_file_sync_directory(directory, path, error);
    } else if (code == EEXIST) {
        status = st_fail(error, STRATA_FILE_EXISTS, code, "%s '%s': the file exists already; remove it, or choose "
                         "another name", doing, path);
    } else {
        status = st_errno_fail(error, code, path, doing);
    }
    if (directory >= 0) close(directory);
    return status;
}

void st_temporary_end(st_temporary *temporary) {
    if (temporary->descriptor >= 0) close(temporary->descriptor);
    if (temporary->name != NULL) unlink(temporary->name);
    free(temporary->name);
    *temporary = (st_temporary){ NULL, -1 };
}
