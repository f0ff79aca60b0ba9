/* SPDX-License-Identifier: MIT
 * test_files.c -- odd paths, leftovers, and systems that lack something. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/faults.h"
#include "support/store_support.h"

static void must_fail(const char *path, uint32_t flags, strata_status expected, const char *words) {
    strata_error error = { .message = "" };
    strata_status status = open_status(path, flags, &error);
    CHECK_TEXT(strata_status_name(status), strata_status_name(expected));
    if (strstr(error.message, words) == NULL) ctest_fail(__FILE__, __LINE__, error.message);
}

static bool exists(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0;
}

/* ---- Paths ------------------------------------------------------------ */

static void use_relative_paths(void *directory) {
    char expected[600];
    CHECK_EQ(chdir(directory), 0);
    must_fail("nothing.strata", STRATA_OPEN_NO_CREATE, STRATA_FILE_NOT_FOUND, "does not exist");
    strata_store *store = must_open("a.strata"), *again = must_open("./a.strata");
    CHECK(store == again);
    snprintf(expected, sizeof expected, "%s/a.strata", (const char *)directory);
    CHECK_TEXT(strata_store_path(store), expected);
    strata_store_close(again);
    CHECK_EQ(strata_store_backup(store, "copy.strata", 0, NULL), STRATA_OK);
    strata_store_close(store);
    CHECK_EQ(open_status("copy.strata", STRATA_OPEN_NO_CREATE, NULL), STRATA_OK);
}

void test_files_by_relative_paths(void) {
    CHECK_EQ(ctest_child(use_relative_paths, (void *)(uintptr_t)ctest_directory()), 0);
    CHECK(exists(ctest_path("a.strata")) && exists(ctest_path("copy.strata")));
}

void test_files_of_impossible_names(void) {
    must_fail(ctest_path("nowhere/"), 0, STRATA_FILE_NOT_FOUND, "nowhere/");
    must_fail(ctest_path("nowhere/."), 0, STRATA_FILE_NOT_FOUND, "nowhere/.");
    must_fail(ctest_path("nowhere/.."), 0, STRATA_FILE_NOT_FOUND, "nowhere/..");
    must_fail("/no-such.strata", STRATA_OPEN_NO_CREATE, STRATA_FILE_NOT_FOUND, "'/no-such.strata'");
    must_fail("/", 0, STRATA_NOT_A_FILE, "'/'");
}

/* ---- Leftovers -------------------------------------------------------- */

static void leave_file(const char *path) {
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    CHECK(file >= 0);
    close(file);
}

/* What somebody left who died while he made a file goes; what only looks like it stays. */
void test_files_left_by_the_dead(void) {
    const char *dead = ctest_path(".strata-new-0123456789abcdef"), *link = ctest_path(".strata-new-link");
    const char *folder = ctest_path(".strata-new-folder"), *target = ctest_path("target");
    leave_file(dead);
    leave_file(target);
    CHECK_EQ(symlink(target, link), 0);
    CHECK_EQ(mkdir(folder, 0700), 0);
    strata_store_close(must_open(ctest_path("a.strata")));
    CHECK(!exists(dead) && exists(link) && exists(target) && exists(folder));
}

/* ---- Lacking systems -------------------------------------------------- */

/* Without renameat2() a name is given by link(), which replaces nothing either. */
void test_files_without_renameat2(void) {
    static const int missing[] = { EINVAL, ENOSYS };
    char name[20];
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%d.strata", i);
        fault_set(FAULT_RENAME, 1, 1, missing[i]);
        strata_store *store = must_open(ctest_path(name));
        CHECK(fault_clear());
        must_write(store, "k", "v");
        strata_store_close(store);
    }
    fault_set(FAULT_RENAME, 1, 2, EINVAL); /* link(), too */
    must_fail(ctest_path("c.strata"), 0, STRATA_MISUSE, "c.strata");
    CHECK(fault_clear());
    CHECK(!exists(ctest_path("c.strata")));
}

/* Locks of our own that a file system does not have are done without; LMDB's are not. */
void test_files_without_our_locks(void) {
    static const int missing[] = { EINVAL, ENOSYS, EOPNOTSUPP };
    enum { CALLS = 12 };
    const char *path = ctest_path("a.strata");
    int opened = 0;
    strata_store_close(must_open(path));
    for (unsigned nth = 1; nth <= CALLS; nth++) {
        for (int i = 0; i < 3; i++) {
            strata_error error;
            fault_set(FAULT_FCNTL, nth, 1, missing[i]);
            strata_status status = open_status(path, 0, &error);
            bool met = fault_clear();
            opened += met && status == STRATA_OK;
            CHECK(status == STRATA_OK || status == STRATA_IO || status == STRATA_MISUSE);
        }
    }
    CHECK(opened >= 3);
    strata_store *store = must_open(path);
    must_write(store, "k", "v");
    strata_store_close(store);
}

void test_files_whose_locks_fail(void) {
    const char *path = ctest_path("a.strata");
    strata_store_close(must_open(path));
    fault_set(FAULT_FCNTL, 1, 2, ENOLCK);
    must_fail(path, 0, STRATA_IO, "locking");
    CHECK(fault_clear());
}

/* ---- Maps ------------------------------------------------------------- */

void test_files_that_cannot_be_mapped(void) {
    const char *path = ctest_path("a.strata");
    strata_store_close(must_open(path));
    fault_set(FAULT_MMAP, 1, 1000, ENOMEM);
    must_fail(path, 0, STRATA_NO_MEMORY, "give a smaller strata_config.map_size");
    CHECK(fault_clear());
    strata_store_close(must_open(path));
}

static void use_odd_sizes(void *path) {
    static const char *const limits[] = { "", "0", "much", "0x10000000000000" };
    strata_error error;
    strata_store *store;
    strata_config tiny = { .size = sizeof tiny, .path = path, .map_size = 1 };
    strata_config huge = { .size = sizeof huge, .path = path, .map_size = UINT64_MAX };
    bool limited = getenv("STRATA_MAP_SIZE") != NULL; /* where little can be mapped, and it is told otherwise */
    for (int i = 0; i < 4; i++) { /* none of them makes a fixed size larger */
        CHECK_EQ(setenv("STRATA_MAP_SIZE", limits[i], 1), 0);
        store = must_open_with(&tiny);
        CHECK_EQ(try_write(store, "k", bytes(path, 8), &error), STRATA_OK);
        strata_store_close(store);
    }
    if (limited) return;
    CHECK_EQ(unsetenv("STRATA_MAP_SIZE"), 0);
    CHECK_EQ(strata_store_open(&huge, &store, &error), STRATA_NO_MEMORY);
    CHECK(strstr(error.message, "give a smaller strata_config.map_size") != NULL);
}

void test_files_of_odd_map_sizes(void) {
    CHECK_EQ(ctest_child(use_odd_sizes, (void *)(uintptr_t)ctest_path("a.strata")), 0);
}
