/* SPDX-License-Identifier: MIT
 * fuzz.c -- a CHECK that fails ends a fuzz target the way a crash does. */
#define _GNU_SOURCE 1
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void ctest_fail(const char *file, int line, const char *what) {
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    abort();
}

void ctest_equal(const char *file, int line, const char *what, long long actual, long long expected) {
    if (actual != expected) ctest_fail(file, line, what);
}

void ctest_equal_text(const char *file, int line, const char *what, const char *actual, const char *expected) {
    if (strcmp(actual, expected) != 0) ctest_fail(file, line, what);
}

uint64_t ctest_random(uint64_t *state) {
    *state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static char folder[] = "/dev/shm/fuzz-XXXXXX";

static void remove_folder(void) {
    DIR *entries = opendir(folder);
    if (entries == NULL) return;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) unlinkat(dirfd(entries), entry->d_name, 0);
    closedir(entries);
    rmdir(folder);
}

/* A path in a folder of the process's own, in memory. Good for the next three calls. */
const char *ctest_path(const char *name) {
    static char paths[4][300];
    static int next;
    if (strstr(folder, "XXXXXX") != NULL) {
        if (mkdtemp(folder) == NULL) abort();
        atexit(remove_folder);
    }
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}
