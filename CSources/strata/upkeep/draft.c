/* SPDX-License-Identifier: MIT
 * draft.c -- a file that is made in a folder beside its place. */
#define _GNU_SOURCE 1
#include "upkeep/draft.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "store/file.h"
#include "store/lmdb_status.h"
#include "store/log_file.h"
#include "store/temporary.h"

static const char prefix[] = ".strata-salvage-", doing[] = "salvaging into";

/* ---- Folders ---------------------------------------------------------- */

/* Opens a folder and locks it. -1 if it is not there, is no folder, or belongs to somebody who is at work. Where there
 * are no locks, it is that of its maker, and nobody else's. */
static int lock(int directory, const char *name, bool maker) {
    struct stat info;
    int folder = openat(directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (folder < 0) return -1;
    bool ours = flock(folder, LOCK_EX | LOCK_NB) == 0 || (maker && errno != EWOULDBLOCK);
    ours = ours && fstat(folder, &info) == 0 && info.st_nlink > 0;
    if (!ours) close(folder);
    return ours ? folder : -1;
}

/* A name of ours, of a lock file beside such a file, or of a file that a store is created under. */
static bool is_ours(const char *name) {
    static const char *const names[] = { "saved", "gathered", ".strata-new-" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0) return true;
    return false;
}

/* Removes our files from a folder. */
static void empty(int folder) {
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = again < 0 ? NULL : fdopendir(again);
    if (entries == NULL) {
        if (again >= 0) close(again);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (is_ours(entry->d_name)) (void)unlinkat(folder, entry->d_name, 0);
    closedir(entries);
}

/* Removes the folders of those who died. Failures do not matter: the next one tries again. */
static void sweep(const char *path) {
    DIR *entries = opendir(path);
    if (entries == NULL) return;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (strncmp(entry->d_name, prefix, sizeof prefix - 1) != 0) continue;
        int folder = lock(dirfd(entries), entry->d_name, false);
        if (folder < 0) continue;
        empty(folder);
        (void)unlinkat(dirfd(entries), entry->d_name, AT_REMOVEDIR);
        close(folder);
    }
    closedir(entries);
}

/* Makes a folder and locks it. 0, or an errno; EEXIST if somebody who sweeps was faster. */
static int make_folder(st_draft *draft) {
    memcpy(draft->folder + strlen(draft->folder) - 6, "XXXXXX", 6);
    if (mkdtemp(draft->folder) == NULL) return errno;
    draft->descriptor = lock(AT_FDCWD, draft->folder, true);
    if (draft->descriptor >= 0) return 0;
    (void)rmdir(draft->folder);
    return EEXIST;
}

/* ---- Drafts ----------------------------------------------------------- */

/* The names of the folder and of the two files. False if there is no memory. */
static bool name_files(st_draft *draft) {
    if (asprintf(&draft->file, "%s/saved", draft->folder) < 0) draft->file = NULL;
    if (asprintf(&draft->gathered, "%s/gathered", draft->folder) < 0) draft->gathered = NULL;
    return draft->file != NULL && draft->gathered != NULL;
}

/* A log that was left of another file would be taken for that of the new one. */
static strata_status check_place(const char *place, strata_error *error) {
    struct stat info;
    char *log = st_log_path(place);
    if (log == NULL) return st_no_memory(error, doing);
    bool there = lstat(place, &info) == 0, log_there = lstat(log, &info) == 0;
    free(log);
    if (!there && !log_there) return STRATA_OK;
    return st_fail(error, STRATA_FILE_EXISTS, 0,
                   there ? "salvaging into '%s': the file exists already; remove it, or choose another name"
                         : "salvaging into '%s': '%s-log' is left of another file; remove it, or choose another name",
                   place, place);
}

strata_status st_draft_make(const char *place, st_draft *out, strata_error *error) {
    enum { TRIES = 16 };
    int code = EEXIST;
    *out = (st_draft){ .descriptor = -1 };
    strata_status status = check_place(place, error);
    if (status == STRATA_OK) status = st_file_resolve(place, &out->place, error);
    if (status != STRATA_OK) return status;
    int length = (int)(strrchr(out->place, '/') - out->place) + 1;
    if (asprintf(&out->folder, "%.*s", length, out->place) < 0) out->folder = NULL;
    if (out->folder == NULL) return st_no_memory(error, doing);
    sweep(out->folder);
    free(out->folder);
    if (asprintf(&out->folder, "%.*s%sXXXXXX", length, out->place, prefix) < 0) out->folder = NULL;
    if (out->folder == NULL) return st_no_memory(error, doing);
    for (int attempt = 0; attempt < TRIES && code == EEXIST; attempt++) code = make_folder(out);
    if (code != 0) return st_errno_fail(error, code, place, doing);
    return name_files(out) ? STRATA_OK : st_no_memory(error, doing);
}

strata_status st_draft_put(st_draft *draft, strata_error *error) {
    int directory;
    strata_status status = st_file_open_directory(draft->place, &directory, error);
    if (status != STRATA_OK) return status;
    int code = st_rename_without_replacing(draft->file, draft->place);
    if (code == EEXIST)
        status = st_fail(error, STRATA_FILE_EXISTS, code, "%s '%s': the file exists already; remove it, or choose "
                         "another name", doing, draft->place);
    else if (code != 0) status = st_errno_fail(error, code, draft->place, doing);
    else status = st_file_sync_directory(directory, draft->place, error);
    if (code == 0 && status != STRATA_OK) unlink(draft->place); /* in place, but perhaps not for long */
    if (directory >= 0) close(directory);
    return status;
}

void st_draft_end(st_draft *draft) {
    if (draft->descriptor >= 0) {
        empty(draft->descriptor);
        (void)rmdir(draft->folder);
        close(draft->descriptor);
    }
    free(draft->place);
    free(draft->folder);
    free(draft->file);
    free(draft->gathered);
    *draft = (st_draft){ .descriptor = -1 };
}
