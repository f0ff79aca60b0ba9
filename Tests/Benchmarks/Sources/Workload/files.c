/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE 1
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "peer.h"

const char *bench_path(const char *folder, const char *name) {
    static __thread char path[BENCH_PATH_SIZE];
    if (strlen(folder) + 1 + strlen(name) >= sizeof path) bench_fail("files", name, "its path is too long");
    /* Opening a file is measured, and the first call of snprintf() takes as long as several system calls. */
    strcpy(stpcpy(stpcpy(path, folder), "/"), name);
    return path;
}

static void failed(const char *what) { bench_fail("files", what, strerror(errno)); }

/** Calls `visit` with the name of each file; returns false if there is no folder. */
static bool each_file(const char *folder, void (*visit)(const char *folder, const char *name, void *context),
                      void *context) {
    DIR *directory = opendir(folder);
    if (directory == NULL) return false;
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) visit(folder, entry->d_name, context);
    closedir(directory);
    return true;
}

static void remove_file(const char *folder, const char *name, void *context) {
    (void)context;
    if (unlink(bench_path(folder, name)) != 0) failed(name);
}

static void copy_file(const char *folder, const char *name, void *context) {
    if (strstr(name, "lock") != NULL) return;
    int from = open(bench_path(folder, name), O_RDONLY | O_CLOEXEC);
    int to = open(bench_path(context, name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (from < 0 || to < 0) failed(name);
    ssize_t copied;
    do copied = copy_file_range(from, NULL, to, NULL, 1 << 30, 0);
    while (copied > 0);
    if (copied < 0 || fsync(to) != 0) failed(name);
    close(from);
    close(to);
}

static void add_size(const char *folder, const char *name, void *context) {
    struct stat about;
    if (stat(bench_path(folder, name), &about) == 0) *(double *)context += 512.0 * (double)about.st_blocks;
}

bool files_exist(const char *folder) { return access(folder, F_OK) == 0; }

void files_remove(const char *folder) {
    if (each_file(folder, remove_file, NULL) && rmdir(folder) != 0) failed(folder);
}

void files_clear(const char *folder) {
    files_remove(folder);
    if (mkdir(folder, 0700) != 0) failed(folder);
}

void files_copy(const char *from, const char *to) {
    files_clear(to);
    (void)each_file(from, copy_file, (void *)(uintptr_t)to);
}

double files_size(const char *folder) {
    double size = 0;
    (void)each_file(folder, add_size, &size);
    return size;
}
