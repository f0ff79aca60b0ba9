/* SPDX-License-Identifier: MIT
 * test_backup.c -- backups, compaction, and who holds snapshots. */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/faults.h"
#include "support/strata_support.h"

enum { PERSONS = 3000 };

static void fill(fixture *f) {
    strata_column_spec columns[] = { column("name", STRATA_STRING, STRATA_COLUMN_INDEXED),
                                     column("photo", STRATA_DATA, STRATA_COLUMN_NULLABLE) };
    strata_table_spec person = { .name = "Person", .column_count = 2, .columns = columns };
    MUST(apply(f, 1, &person, 1));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < PERSONS; i++) {
        char name[40];
        int size = snprintf(name, sizeof name, "Person %d", i);
        uint8_t *photo = pattern(2000, (uint64_t)i);
        ADD(0, strata_string(name, (size_t)size), i % 10 == 0 ? strata_data(photo, 2000) : strata_null());
        free(photo);
    }
    MUST(strata_view_commit(f->view, &f->error));
}

static void delete_most(fixture *f) {
    MUST(strata_view_begin(f->view, &f->error));
    for (uint64_t key = 1; key <= PERSONS; key++) {
        if (key % 10 != 0) MUST(strata_object_delete(f->view, 0, key, &f->error));
    }
    MUST(strata_view_commit(f->view, &f->error));
}

static off_t file_size(const char *path) {
    struct stat info;
    CHECK_EQ(stat(path, &info), 0);
    return info.st_size;
}

/* The store in that file has so many persons, is sound, and can be written. */
static void check_store(const char *name, uint64_t persons) {
    fixture *f = fixture_open(name);
    verify(f);
    CHECK_EQ(table_size(f, 0), persons);
    MUST(strata_view_begin(f->view, &f->error));
    uint64_t key = ADD(0, value_of("new"), strata_null());
    MUST(strata_object_delete(f->view, 0, key, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    fixture_close(f);
}

static int count_entries(const char *prefix) {
    DIR *entries = opendir(ctest_directory());
    int count = 0;
    CHECK(entries != NULL);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    closedir(entries);
    return count;
}

/* ---- Backups ---------------------------------------------------------- */

void test_backup_is_the_newest_commit(void) {
    fixture *f = fixture_open("a.strata");
    fill(f);
    MUST(strata_store_backup(f->store, ctest_path("plain"), 0, &f->error));
    delete_most(f);
    MUST(strata_store_backup(f->store, ctest_path("compact"), STRATA_BACKUP_COMPACT, &f->error));
    struct stat info;
    CHECK_EQ(stat(ctest_path("compact"), &info), 0);
    CHECK_EQ(info.st_mode & 0777, 0600);
    CHECK(info.st_size < file_size(ctest_path("plain")) / 2);
    verify(f);
    fixture_close(f);
    check_store("plain", PERSONS);
    check_store("compact", PERSONS / 10);
    CHECK_EQ(count_entries(".strata-new-"), 0);
}

void test_backup_of_a_store_in_memory(void) {
    fixture *f = fixture_open_memory();
    fill(f);
    MUST(strata_store_backup(f->store, ctest_path("copy"), 0, &f->error));
    MUST(strata_store_backup(f->store, ctest_path("small"), STRATA_BACKUP_COMPACT, &f->error));
    fixture_close(f);
    check_store("copy", PERSONS);
    check_store("small", PERSONS);
}

void test_backup_refusals(void) {
    fixture *f = fixture_open("a.strata");
    fill(f);
    CHECK_EQ(close(open(ctest_path("there"), O_CREAT | O_WRONLY, 0600)), 0);
    REFUSED(strata_store_backup(f->store, ctest_path("there"), 0, &f->error), STRATA_FILE_EXISTS, "there", "exists");
    REFUSED(strata_store_backup(f->store, ctest_path("a.strata"), 0, &f->error), STRATA_FILE_EXISTS, "a.strata");
    REFUSED(strata_store_backup(f->store, ctest_path("no/copy"), 0, &f->error), STRATA_FILE_NOT_FOUND, "no");
    REFUSED(strata_store_backup(f->store, "", 0, &f->error), STRATA_MISUSE, "path");
    REFUSED(strata_store_backup(f->store, ctest_path("copy"), 8, &f->error), STRATA_MISUSE, "flags");
    MUST(strata_view_begin(f->view, &f->error));
    REFUSED(strata_store_backup(f->store, ctest_path("copy"), 0, &f->error), STRATA_WRITING, "commit");
    strata_view_cancel(f->view);
    fixture_close(f);
    CHECK_EQ(access(ctest_path("copy"), F_OK), -1);
    CHECK_EQ(count_entries(".strata-new-"), 0);
}

void test_backup_to_a_descriptor(void) {
    fixture *f = fixture_open("a.strata");
    fill(f);
    int file = open(ctest_path("copy"), O_CREAT | O_RDWR | O_EXCL, 0600);
    CHECK(file >= 0);
    MUST(strata_store_backup_to(f->store, file, &f->error));
    CHECK_EQ(close(file), 0);
    REFUSED(strata_store_backup_to(f->store, -1, &f->error), STRATA_IO, "a.strata");
    fixture_close(f);
    check_store("copy", PERSONS);
}

static void write_until_killed(void *path) {
    strata_config config = { .size = sizeof config, .path = path };
    strata_store *store;
    strata_view *view;
    CHECK_EQ(strata_store_open(&config, &store, NULL), STRATA_OK);
    CHECK_EQ(strata_view_open(store, &view, NULL), STRATA_OK);
    for (uint64_t i = 0;; i++) {
        /* Two objects with the same name in every commit. */
        char name[40];
        int size = snprintf(name, sizeof name, "pair %llu", (unsigned long long)i);
        strata_value values[2] = { strata_string(name, (size_t)size), strata_null() };
        uint64_t key;
        CHECK_EQ(strata_view_begin(view, NULL), STRATA_OK);
        for (int n = 0; n < 2; n++) CHECK_EQ(strata_object_create(view, 0, values, 2, &key, NULL), STRATA_OK);
        CHECK_EQ(strata_view_commit(view, NULL), STRATA_OK);
    }
}

void test_backup_beside_a_writer(void) {
    fixture *f = fixture_open("a.strata");
    fill(f);
    char path[4096];
    snprintf(path, sizeof path, "%s", ctest_path("a.strata"));
    int writer = ctest_child_start(write_until_killed, path);
    for (int i = 0; i < 10; i++) {
        char name[20];
        snprintf(name, sizeof name, "copy %d", i);
        MUST(strata_store_backup(f->store, ctest_path(name), i % 2 == 0 ? 0 : STRATA_BACKUP_COMPACT, &f->error));
    }
    kill(writer, SIGKILL);
    CHECK_EQ(ctest_child_wait(writer), 1000 + SIGKILL);
    fixture_close(f);
    for (int i = 0; i < 10; i++) {
        char name[20];
        snprintf(name, sizeof name, "copy %d", i);
        fixture *copy = fixture_open(name);
        verify(copy);
        CHECK_EQ(table_size(copy, 0) % 2, PERSONS % 2);
        fixture_close(copy);
    }
}

/* Where files can share blocks, a backup does; it is a commit, also while others write. */
void test_backup_shares_blocks(void) {
    fixture *f = fixture_open("a.strata");
    fill(f);
    fault_clones(true);
    MUST(strata_store_backup(f->store, ctest_path("shared"), 0, &f->error));
    CHECK_EQ(fault_clones(true), 1);
    MUST(strata_view_begin(f->view, &f->error));
    ADD(0, value_of("not in it"), strata_null());
    MUST(strata_store_backup(f->store, ctest_path("old"), STRATA_BACKUP_COMMITTED, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    char *path = strdup(ctest_path("a.strata"));
    int writer = ctest_child_start(write_until_killed, path);
    for (int i = 0; i < 10; i++) {
        char name[20];
        snprintf(name, sizeof name, "copy %d", i);
        MUST(strata_store_backup(f->store, ctest_path(name), 0, &f->error));
    }
    CHECK_EQ(fault_clones(false), 11);
    kill(writer, SIGKILL);
    CHECK_EQ(ctest_child_wait(writer), 1000 + SIGKILL);
    fixture_close(f);
    check_store("shared", PERSONS);
    check_store("old", PERSONS);
    for (int i = 0; i < 10; i++) {
        char name[20];
        snprintf(name, sizeof name, "copy %d", i);
        fixture *copy = fixture_open(name);
        verify(copy);
        CHECK_EQ(table_size(copy, 0) % 2, (PERSONS + 1) % 2);
        fixture_close(copy);
    }
    free(path);
}

/* Where they cannot, the pages are copied if there is room, and otherwise the sizes are told. */
void test_backup_needs_room(void) {
    fixture *f = fixture_open("a.strata");
    fill(f);
    off_t size = file_size(ctest_path("a.strata"));
    char bytes[40];
    snprintf(bytes, sizeof bytes, "takes %lld bytes", (long long)size);
    static const int codes[] = { EOPNOTSUPP, EXDEV, EINVAL, EPERM, ENOTTY };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        char name[20];
        snprintf(name, sizeof name, "copy %d", (int)i);
        fault_set(FAULT_CLONE, 1, 1, codes[i]);
        MUST(strata_store_backup(f->store, ctest_path(name), 0, &f->error));
        CHECK(fault_clear());
        check_store(name, PERSONS);
    }
    fault_free_space(size / 2);
    fault_set(FAULT_CLONE, 1, 1, EOPNOTSUPP);
    REFUSED(strata_store_backup(f->store, ctest_path("none"), 0, &f->error), STRATA_DISK_FULL, "none", bytes, "free");
    CHECK_EQ(count_entries("none") + count_entries(".strata-new-"), 0);
    fault_clones(true); /* what is shared needs no room */
    MUST(strata_store_backup(f->store, ctest_path("shared"), 0, &f->error));
    CHECK_EQ(fault_clones(false), 1);
    fault_free_space(-1);
    fault_clear();
    fixture_close(f);
    check_store("shared", PERSONS);
}

/* ---- Compaction ------------------------------------------------------- */

static strata_status compact(const char *path, strata_compaction *out, strata_error *error) {
    strata_config config = { .size = sizeof config, .path = path };
    return strata_compact(&config, out, error);
}

void test_compaction_gives_space_back(void) {
    fixture *f = fixture_open("a.strata");
    fill(f);
    delete_most(f);
    uint64_t version = strata_view_version(f->view);
    fixture_close(f);
    const char *path = ctest_path("a.strata");
    CHECK_EQ(chmod(path, 0640), 0);
    off_t before = file_size(path);
    strata_compaction sizes;
    strata_error error;
    CHECK_EQ(compact(path, &sizes, &error), STRATA_OK);
    CHECK_EQ(sizes.old_size, before);
    CHECK_EQ(sizes.new_size, file_size(path));
    CHECK(sizes.new_size < sizes.old_size / 2);
    struct stat info;
    CHECK_EQ(stat(path, &info), 0);
    CHECK_EQ(info.st_mode & 0777, 0640);
    f = fixture_open("a.strata");
    CHECK_EQ(strata_view_version(f->view), version);
    fixture_close(f);
    check_store("a.strata", PERSONS / 10);
    CHECK_EQ(count_entries(".strata-new-"), 0);
}

static void compact_in_vain(void *path) { CHECK_EQ(compact(path, NULL, NULL), STRATA_IN_USE); }

void test_compaction_needs_the_file_alone(void) {
    fixture *f = fixture_open("a.strata");
    fill(f);
    char path[4096];
    snprintf(path, sizeof path, "%s", ctest_path("a.strata"));
    strata_error error;
    CHECK_EQ(compact(path, NULL, &error), STRATA_IN_USE);
    CHECK(strstr(error.message, "close it everywhere") != NULL);
    CHECK_EQ(ctest_child(compact_in_vain, path), 0);
    fixture_close(f);
    CHECK_EQ(compact(path, NULL, &error), STRATA_OK);
    CHECK_EQ(compact(ctest_path("missing"), NULL, &error), STRATA_FILE_NOT_FOUND);
    CHECK_EQ(strata_compact(NULL, NULL, &error), STRATA_MISUSE);
    strata_config config = { .size = sizeof config, .path = path, .flags = STRATA_OPEN_READ_ONLY };
    CHECK_EQ(strata_compact(&config, NULL, &error), STRATA_READ_ONLY);
    check_store("a.strata", PERSONS);
}

/* ---- Files that go ---------------------------------------------------- */

static void replace_in_vain(void *unused) {
    (void)unused;
    char path[4096];
    snprintf(path, sizeof path, "%s", ctest_path("a.strata"));
    CHECK_EQ(strata_file_delete(path, NULL), STRATA_IN_USE);
    CHECK_EQ(strata_file_replace(path, ctest_path("copy"), NULL), STRATA_IN_USE);
}

/* What others commit to the file would be lost. */
void test_files_that_are_open_stay(void) {
    fixture *f = fixture_open("a.strata");
    strata_error error;
    fill(f);
    MUST(strata_store_backup(f->store, ctest_path("copy"), 0, &f->error));
    CHECK_EQ(ctest_child(replace_in_vain, NULL), 0);
    replace_in_vain(NULL);
    CHECK_EQ(strata_file_delete(ctest_path("a.strata"), &error), STRATA_IN_USE);
    CHECK(strstr(error.message, "deleting") != NULL && strstr(error.message, "close it everywhere") != NULL);
    delete_most(f);
    fixture_close(f);

    f = fixture_open("copy");
    char copy[4096];
    snprintf(copy, sizeof copy, "%s", ctest_path("copy"));
    CHECK_EQ(strata_file_replace(ctest_path("a.strata"), copy, &error), STRATA_IN_USE);
    CHECK(strstr(error.message, copy) != NULL);
    fixture_close(f);
    check_store("a.strata", PERSONS / 10);
    check_store("copy", PERSONS);

    CHECK_EQ(strata_file_replace(ctest_path("a.strata"), copy, &error), STRATA_OK);
    check_store("a.strata", PERSONS);
    CHECK_EQ(count_entries("copy"), 0); /* nor its lock file */
    CHECK_EQ(strata_file_replace(ctest_path("a.strata"), copy, &error), STRATA_FILE_NOT_FOUND);
    CHECK_EQ(strata_file_delete(ctest_path("a.strata"), &error), STRATA_OK);
    CHECK_EQ(count_entries("a.strata"), 0);
    CHECK_EQ(strata_file_delete(ctest_path("a.strata"), &error), STRATA_FILE_NOT_FOUND);
    CHECK_EQ(strata_file_delete(ctest_path("."), &error), STRATA_NOT_A_FILE);
}

static strata_store *open_store(const char *path) {
    strata_config config = { .size = sizeof config, .path = path };
    strata_store *store = NULL;
    strata_error error;
    strata_status status = strata_store_open(&config, &store, &error);
    if (status != STRATA_OK) fprintf(stderr, "%s\n", error.message);
    CHECK_EQ(status, STRATA_OK);
    return store;
}

static void add_person(strata_store *store) {
    strata_view *view;
    CHECK_EQ(strata_view_open(store, &view, NULL), STRATA_OK);
    CHECK_EQ(strata_view_begin(view, NULL), STRATA_OK);
    strata_value values[2] = { value_of("late"), strata_null() };
    uint64_t key;
    CHECK_EQ(strata_object_create(view, 0, values, 2, &key, NULL), STRATA_OK);
    CHECK_EQ(strata_view_commit(view, NULL), STRATA_OK);
    strata_view_close(view);
}

/* A file comes into the place of one that is about to be locked, and a child opens it. */
static struct {
    char path[4096], new_path[4096];
    ino_t inode; /* of the file that is in the place at first, 1 = none is; 0 = the other one has come */
    bool has_persons;
    int go[2], ready[2], end[2];
} arrival;

static void open_what_comes(void *unused) {
    (void)unused;
    char byte = 0;
    close(arrival.end[1]);
    close(arrival.go[1]);
    if (read(arrival.go[0], &byte, 1) != 1) return;
    strata_store *store = open_store(arrival.path);
    CHECK_EQ(write(arrival.ready[1], "r", 1), 1);
    CHECK_EQ(read(arrival.end[0], &byte, 1), 0);
    if (arrival.has_persons) add_person(store);
    strata_store_close(store);
}

static void bring_another(int file) {
    struct stat info;
    char byte = 0;
    if (arrival.inode == 0 || fstat(file, &info) != 0 || info.st_ino != arrival.inode) return;
    arrival.inode = 0;
    CHECK_EQ(rename(arrival.new_path, arrival.path), 0);
    CHECK_EQ(write(arrival.go[1], "g", 1), 1);
    CHECK_EQ(read(arrival.ready[0], &byte, 1), 1);
}

/* The same where no file was: the child makes one. */
static void bring_one(int file) {
    struct stat info, there;
    char byte = 0;
    if (arrival.inode == 0 || fstat(file, &info) != 0 || stat(arrival.path, &there) != 0) return;
    if (info.st_ino != there.st_ino) return;
    arrival.inode = 0;
    CHECK_EQ(write(arrival.go[1], "g", 1), 1);
    CHECK_EQ(read(arrival.ready[0], &byte, 1), 1);
}

static void must_leave_what_comes(void (*bring)(int file), strata_status (*take)(const char *path)) {
    struct stat info = { .st_ino = 1 };
    CHECK_EQ(stat(arrival.path, &info), bring == bring_one ? -1 : 0);
    arrival.inode = info.st_ino;
    arrival.has_persons = bring == bring_another;
    CHECK_EQ(pipe(arrival.go) + pipe(arrival.ready) + pipe(arrival.end), 0);
    int child = ctest_child_start(open_what_comes, NULL);
    fault_locks = bring;
    strata_status status = take(arrival.path);
    fault_locks = NULL;
    CHECK_EQ(status, STRATA_IN_USE);
    CHECK_EQ(arrival.inode, 0);
    int *pipes[3] = { arrival.go, arrival.ready, arrival.end };
    for (int i = 0; i < 3; i++) close(pipes[i][1]);
    CHECK_EQ(ctest_child_wait(child), 0);
    for (int i = 0; i < 3; i++) close(pipes[i][0]);
}

static strata_status compact_it(const char *path) { return compact(path, NULL, NULL); }
static strata_status delete_it(const char *path) { return strata_file_delete(path, NULL); }
static strata_status replace_it(const char *path) { return strata_file_replace(path, ctest_path("copy"), NULL); }

/* Another process may have compacted or replaced the file since it was opened to be locked. */
void test_files_that_come_meanwhile_stay(void) {
    strata_status (*const ways[])(const char *path) = { compact_it, delete_it, replace_it };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        snprintf(arrival.path, sizeof arrival.path, "%s", ctest_path("a.strata"));
        snprintf(arrival.new_path, sizeof arrival.new_path, "%s", ctest_path("new"));
        fixture *f = fixture_open("a.strata");
        fill(f);
        MUST(strata_store_backup(f->store, ctest_path("new"), 0, &f->error));
        if (i == 0) MUST(strata_store_backup(f->store, ctest_path("copy"), 0, &f->error)); /* stays to the end */
        fixture_close(f);
        must_leave_what_comes(bring_another, ways[i]);
        check_store("a.strata", PERSONS + 1);
        CHECK_EQ(strata_file_delete(arrival.path, NULL), STRATA_OK);
    }
    must_leave_what_comes(bring_one, replace_it);
    check_store("copy", PERSONS);
    CHECK_EQ(strata_file_delete(arrival.path, NULL), STRATA_OK);
}

/* Opens the file end to end, and makes it where there is none. While it is open, it must stay in its place. */
static void open_end_to_end(void *path) {
    CHECK_EQ(prctl(PR_SET_PDEATHSIG, SIGKILL), 0);
    for (;;) {
        struct stat opened, now;
        strata_store *store = open_store(path);
        CHECK_EQ(stat(path, &opened), 0);
        usleep(100);
        CHECK_EQ(stat(path, &now), 0);
        if (now.st_ino != opened.st_ino) _exit(1);
        strata_store_close(store);
    }
}

/* A copy is put where no file is, while others make one there. */
void test_a_copy_replaces_no_file_that_is_open(void) {
    enum { ROUNDS = 150, OTHERS = 2 };
    fixture *f = fixture_open("source");
    char path[4096];
    snprintf(path, sizeof path, "%s", ctest_path("a.strata"));
    int others[OTHERS], replaced = 0;
    for (int i = 0; i < OTHERS; i++) others[i] = ctest_child_start(open_end_to_end, path);
    for (int round = 0; round < ROUNDS || (replaced == 0 && round < 100000); round++) {
        strata_error error;
        MUST(strata_store_backup(f->store, ctest_path("copy"), 0, &f->error));
        while (strata_file_delete(path, &error) == STRATA_IN_USE) usleep(20);
        strata_status status = strata_file_replace(path, ctest_path("copy"), &error);
        CHECK(status == STRATA_OK || status == STRATA_IN_USE);
        replaced += status == STRATA_OK;
        if (status != STRATA_OK) CHECK_EQ(strata_file_delete(ctest_path("copy"), &error), STRATA_OK);
    }
    for (int i = 0; i < OTHERS; i++) {
        (void)kill(others[i], SIGKILL);
        CHECK_EQ(ctest_child_wait(others[i]), 1000 + SIGKILL);
    }
    CHECK(replaced > 0);
    fixture_close(f);
}

static void add_persons(void *path) {
    enum { ROUNDS = 40 };
    for (int i = 0; i < ROUNDS; i++) {
        strata_store *store = open_store(path);
        add_person(store);
        strata_store_close(store);
    }
}

static void compact_end_to_end(void *path) {
    CHECK_EQ(prctl(PR_SET_PDEATHSIG, SIGKILL), 0);
    for (;;) (void)compact(path, NULL, NULL);
}

/* Whoever opens the file while it is compacted waits, and then writes to the new one: nothing is lost, although several
 * compact it. */
void test_compaction_loses_no_commit(void) {
    enum { WRITERS = 2, ROUNDS = 40 };
    fixture *f = fixture_open("a.strata");
    fill(f);
    fixture_close(f);
    char path[4096];
    snprintf(path, sizeof path, "%s", ctest_path("a.strata"));
    int writers[WRITERS], compactions = 0, other = ctest_child_start(compact_end_to_end, path);
    for (int i = 0; i < WRITERS; i++) writers[i] = ctest_child_start(add_persons, path);
    /* On a slow machine there is a moment for it only when the writers have finished. */
    for (int i = 0; i < 300 || (compactions == 0 && i < 100000); i++) {
        strata_error error;
        strata_status status = compact(path, NULL, &error);
        CHECK(status == STRATA_OK || status == STRATA_IN_USE);
        compactions += status == STRATA_OK;
        usleep(500);
    }
    for (int i = 0; i < WRITERS; i++) CHECK_EQ(ctest_child_wait(writers[i]), 0);
    CHECK_EQ(kill(other, SIGKILL), 0);
    CHECK_EQ(ctest_child_wait(other), 1000 + SIGKILL);
    CHECK(compactions > 0);
    check_store("a.strata", PERSONS + WRITERS * ROUNDS);
}

/* Compactions that follow each other without a pause make every opening look many times, and none of them fails. */
void test_compaction_starves_nobody(void) {
    fixture *f = fixture_open("a.strata");
    fill(f);
    fixture_close(f);
    char path[4096];
    snprintf(path, sizeof path, "%s", ctest_path("a.strata"));
    int compacting = ctest_child_start(compact_end_to_end, path);
    int writing = ctest_child_start(add_persons, path);
    int written = ctest_child_wait(writing);
    CHECK_EQ(kill(compacting, SIGKILL), 0);
    CHECK_EQ(ctest_child_wait(compacting), 1000 + SIGKILL);
    CHECK_EQ(written, 0);
    check_store("a.strata", PERSONS + 40);
}

static void *compact_on_a_thread(void *path) {
    (void)!compact(path, NULL, NULL);
    return NULL;
}

static void die_compacting(void *path) {
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, compact_on_a_thread, path), 0);
    usleep((useconds_t)(rand() % 6000));
    raise(SIGKILL);
}

void test_compaction_killed_half_way(void) {
    fixture *f = fixture_open("a.strata");
    fill(f);
    fixture_close(f);
    char path[4096];
    snprintf(path, sizeof path, "%s", ctest_path("a.strata"));
    for (unsigned i = 0; i < 30; i++) {
        srand(i);
        CHECK_EQ(ctest_child(die_compacting, path), 1000 + SIGKILL);
        f = fixture_open("a.strata");
        verify(f);
        CHECK_EQ(table_size(f, 0), PERSONS);
        fixture_close(f);
    }
    CHECK_EQ(compact(path, NULL, NULL), STRATA_OK); /* which also removes what the killed ones left */
    CHECK_EQ(count_entries(".strata-new-"), 0);
}

/* ---- Snapshots -------------------------------------------------------- */

static void hold_a_snapshot(void *argument) {
    const int *pipes = argument;
    char path[4096], go;
    snprintf(path, sizeof path, "%s", ctest_path("a.strata"));
    strata_config config = { .size = sizeof config, .path = path };
    strata_store *store;
    strata_view *view;
    CHECK_EQ(strata_store_open(&config, &store, NULL), STRATA_OK);
    CHECK_EQ(strata_view_open(store, &view, NULL), STRATA_OK);
    CHECK_EQ(write(pipes[1], "r", 1), 1);
    CHECK_EQ(read(pipes[2], &go, 1), 1);
    strata_view_close(view);
    strata_store_close(store);
}

void test_snapshots_are_listed_by_age(void) {
    fixture *f = fixture_open("a.strata");
    fill(f);
    strata_view *reader;
    MUST(strata_view_open(f->store, &reader, &f->error));
    strata_view_set_label(reader, "monthly report of all the numb\xC3\xA9rs");
    uint64_t version = strata_view_version(reader);
    int to_us[2], to_child[2];
    CHECK_EQ(pipe(to_us) + pipe(to_child), 0);
    int pipes[4] = { to_us[0], to_us[1], to_child[0], to_child[1] };
    char ready;
    delete_most(f);
    /* The child opens the store anew; what it inherits of ours it must not use. */
    int child = ctest_child_start(hold_a_snapshot, pipes);
    CHECK_EQ(read(to_us[0], &ready, 1), 1);
    MUST(strata_view_begin(f->view, &f->error));
    ADD(0, value_of("one more"), strata_null());
    MUST(strata_view_commit(f->view, &f->error));

    strata_snapshot all[4];
    uint32_t count;
    MUST(strata_store_get_snapshots(f->store, all, 4, &count, &f->error));
    CHECK_EQ(count, 3);
    CHECK_EQ(all[0].version, version);
    CHECK_EQ(all[0].behind, 2);
    CHECK_EQ(all[0].process, getpid());
    CHECK(all[0].age >= 0 && all[0].age < 3600);
    CHECK_TEXT(all[0].label, "monthly report of all the numb"); /* cut where a character begins */
    CHECK_EQ(all[1].process, child);
    CHECK_EQ(all[1].version, version + 1);
    CHECK(all[1].age == -1);
    CHECK_EQ(all[2].behind, 0);
    CHECK_TEXT(all[2].label, "");

    strata_store_stats held = { .size = sizeof held }, after = { .size = sizeof after };
    MUST(strata_store_get_stats(f->store, &held, &f->error));
    CHECK_EQ(held.snapshots, 3);
    CHECK(held.held_size > 100 * (uint64_t)held.page_size && held.held_size <= held.free_size);
    CHECK_EQ(write(to_child[1], "g", 1), 1);
    CHECK_EQ(ctest_child_wait(child), 0);
    strata_view_close(reader);
    MUST(strata_store_get_stats(f->store, &after, &f->error));
    CHECK_EQ(after.snapshots, 1);
    CHECK(after.held_size < held.held_size / 4);
    MUST(strata_store_get_snapshots(f->store, all, 0, &count, &f->error));
    CHECK_EQ(count, 1);
    for (int i = 0; i < 4; i++) close(pipes[i]);
    fixture_close(f);
}

void test_snapshots_keep_their_label_when_refreshed(void) {
    fixture *f = fixture_open("a.strata");
    fill(f);
    strata_view_set_label(f->view, "main");
    MUST(strata_view_begin(f->view, &f->error));
    ADD(0, value_of("one more"), strata_null());
    MUST(strata_view_commit(f->view, &f->error));
    strata_snapshot one;
    uint32_t count;
    MUST(strata_store_get_snapshots(f->store, &one, 1, &count, &f->error));
    CHECK_EQ(count, 1);
    CHECK_TEXT(one.label, "main");
    strata_view_set_label(f->view, NULL);
    MUST(strata_store_get_snapshots(f->store, &one, 1, &count, &f->error));
    CHECK_TEXT(one.label, "");
    fixture_close(f);
}

void test_figures_of_an_older_program(void) {
    fixture *f = fixture_open_memory();
    struct {
        strata_store_stats stats;
        uint8_t behind[64];
    } room;
    memset(&room, 0xAA, sizeof room);
    room.stats.size = 0;
    REFUSED(strata_store_get_stats(f->store, &room.stats, &f->error), STRATA_MISUSE, "sizeof");
    room.stats.size = (uint32_t)(offsetof(strata_store_stats, version) + 8);
    MUST(strata_store_get_stats(f->store, &room.stats, &f->error));
    CHECK(room.stats.version > 0);
    CHECK_EQ(room.stats.snapshots, 0xAAAAAAAA);
    CHECK_EQ(strata_abi(), STRATA_ABI);
    fixture_close(f);
}
