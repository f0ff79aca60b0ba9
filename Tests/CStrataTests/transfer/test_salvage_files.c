/* SPDX-License-Identifier: MIT
 * test_salvage_files.c -- what salvaging does to files: the damaged one, the new one, and what is made meanwhile. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/damage.h"
#include "support/faults.h"
#include "support/hostile.h"
#include "support/salvage_support.h"
#include "support/store_support.h"
#include "support/strata_support.h"

enum { PERSONS = 60 };

static strata_status salvage_plain(const char *from, const char *to, strata_error *error) {
    return strata_salvage(ctest_path(from), ctest_path(to), NULL, NULL, error);
}

/* ---- The damaged file ------------------------------------------------- */

/* Not even the times of the file and of its directory change, and both may be read-only. */
void test_salvage_does_not_change_the_damaged_file(void) {
    struct stat before, after, directory_before, directory_after;
    char path[300], folder[300];
    strata_error error;
    ctest_directory_in_memory();
    hostile_make_file("sound", PERSONS);
    snprintf(folder, sizeof folder, "%s", ctest_path("folder"));
    snprintf(path, sizeof path, "%s/file", folder);
    CHECK_EQ(mkdir(folder, 0700), 0);
    CHECK_EQ(rename(ctest_path("sound"), path), 0);
    CHECK(chmod(path, 0400) == 0 && chmod(folder, 0500) == 0);
    CHECK(stat(path, &before) == 0 && stat(folder, &directory_before) == 0);
    CHECK_EQ(strata_salvage(path, ctest_path("saved"), NULL, NULL, &error), STRATA_OK);
    CHECK(stat(path, &after) == 0 && stat(folder, &directory_after) == 0);
    CHECK(memcmp(&before.st_mtim, &after.st_mtim, sizeof before.st_mtim) == 0 && before.st_size == after.st_size);
    CHECK(memcmp(&before.st_ctim, &after.st_ctim, sizeof before.st_ctim) == 0);
    CHECK(memcmp(&directory_before.st_mtim, &directory_after.st_mtim, sizeof before.st_mtim) == 0);
    chmod(folder, 0700);
    unlink(path);
    rmdir(folder);
}

/* A file may have any name, also one that files which are made meanwhile had or have. */
void test_salvage_removes_no_file_of_others(void) {
    strata_error error;
    ctest_directory_in_memory();
    hostile_make_file("saved.gathered", PERSONS);
    hostile_make_file(".strata-salvage-mine", PERSONS);
    CHECK_EQ(mkdir(ctest_path(".strata-salvage-ABCDEF"), 0700), 0);
    copy_file(ctest_path("saved.gathered"), ctest_path(".strata-salvage-ABCDEF/mine"));
    CHECK_EQ(salvage_plain("saved.gathered", "saved", &error), STRATA_OK);
    CHECK(access(ctest_path("saved.gathered"), F_OK) == 0 && access(ctest_path(".strata-salvage-mine"), F_OK) == 0);
    CHECK_EQ(access(ctest_path(".strata-salvage-ABCDEF/mine"), F_OK), 0);
    unlink(ctest_path(".strata-salvage-ABCDEF/mine"));
    rmdir(ctest_path(".strata-salvage-ABCDEF"));
}

/* ---- The new file ----------------------------------------------------- */

static void refuse(const char *from, const char *to, strata_status expected, const char *words, const char *fix) {
    strata_error error;
    strata_status status = salvage_plain(from, to, &error);
    if (status != expected) fprintf(stderr, "%s\n", error.message);
    CHECK_EQ(status, expected);
    if (strstr(error.message, words) == NULL || strstr(error.message, fix) == NULL) ctest_fail(to, 0, error.message);
    CHECK_EQ(salvage_folders(), 0);
}

void test_salvage_refuses_places(void) {
    ctest_directory_in_memory();
    hostile_make_file("sound", PERSONS);
    CHECK(mkdir(ctest_path("folder"), 0700) == 0 && symlink("nowhere", ctest_path("link")) == 0);
    refuse("sound", "sound", STRATA_FILE_EXISTS, "sound", "choose another name");
    refuse("sound", "folder", STRATA_FILE_EXISTS, "folder", "choose another name");
    refuse("sound", "link", STRATA_FILE_EXISTS, "link", "choose another name");
    refuse("sound", "none/saved", STRATA_FILE_NOT_FOUND, "none", "create it first");
    refuse("folder", "saved", STRATA_NOT_A_FILE, "folder", "name a file in it");
    refuse("none", "saved", STRATA_FILE_NOT_FOUND, "none", "does not exist");
    image empty = { calloc(1, 1), 0 };
    image_write(&empty, "empty");
    refuse("empty", "saved", STRATA_NOT_A_STORE, "empty", "nothing can be salvaged");
    image_write(&empty, "saved-log");
    refuse("sound", "saved", STRATA_FILE_EXISTS, "saved-log", "choose another name");
    free(empty.bytes);
    rmdir(ctest_path("folder"));
}

/* Whichever call fails on a full disk: nothing is left, and the message names the file. */
void test_salvage_on_a_full_disk(void) {
    static const fault_call calls[] = { FAULT_PWRITE, FAULT_WRITEV, FAULT_WRITE, FAULT_FTRUNCATE, FAULT_RENAME,
                                        FAULT_FDATASYNC, FAULT_FSYNC, FAULT_SYNC_DIRECTORY };
    ctest_directory_in_memory();
    hostile_make_file("sound", PERSONS);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        bool met = true;
        for (unsigned n = 1; met; n += n < 16 ? 1 : n / 4) {
            strata_error error;
            fault_set(calls[i], n, 1000, ENOSPC);
            strata_status status = salvage_plain("sound", "saved", &error);
            met = fault_clear();
            CHECK_EQ(salvage_folders(), 0);
            CHECK((access(ctest_path("saved"), F_OK) == 0) == (status == STRATA_OK));
            unlink(ctest_path("saved"));
            if (status == STRATA_OK) continue;
            if (status != STRATA_DISK_FULL || strstr(error.message, ctest_path("saved")) == NULL ||
                strstr(error.message, "choose another disk") == NULL)
                ctest_fail(fault_name(calls[i]), (int)n, error.message);
        }
    }
}

typedef struct death {
    fault_call call;
    unsigned nth;
} death;

static void die(void) { _exit(3); }

static void salvage_and_die(void *argument) {
    const death *it = argument;
    strata_error error;
    fault_dies = die;
    fault_set_everywhere(it->call, it->nth, 1, FAULT_DIE);
    _exit(salvage_plain("sound", "saved", &error) == STRATA_OK ? 0 : 2);
}

/* Who is killed leaves nothing but a complete file under the new name, and the next one removes the rest. */
void test_salvage_that_is_killed(void) {
    static const fault_call calls[] = { FAULT_FDATASYNC, FAULT_RENAME, FAULT_PWRITE, FAULT_SYNC_DIRECTORY };
    ctest_directory_in_memory();
    hostile_make_file("sound", PERSONS);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        death it = { calls[i], 1 };
        for (int code = 3; code == 3; it.nth += 1 + it.nth / 4) {
            code = ctest_child(salvage_and_die, &it);
            CHECK(code == 0 || code == 3);
            CHECK_EQ(salvage_folders(), code == 3);
            if (access(ctest_path("saved"), F_OK) != 0) {
                CHECK(code == 3);
                continue;
            }
            fixture *f = fixture_open("saved");
            verify(f);
            CHECK_EQ(table_size(f, 0), PERSONS - PERSONS / 5);
            fixture_close(f);
            unlink(ctest_path("saved"));
        }
        CHECK(it.nth > 2);
    }
}
