/* SPDX-License-Identifier: MIT
 *
 * test_full_disk.c -- a disk that is really full: a small one in memory, mounted where nobody else sees it.
 *
 * Calls that are made to fail (test_faults.c) know nothing of what else happens on a full disk: a page of a file that
 * was never written, and is mapped, cannot be touched either, which ends a process by a signal.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/strata_support.h"

enum { CANNOT_MOUNT = 77, DISK = 4 << 20, LARGE = 3000, VIEWS = 300, ROUNDS = 3 };

/* ---- The disk --------------------------------------------------------- */

static bool write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    bool good = file != NULL && fputs(text, file) >= 0;
    return file != NULL && fclose(file) == 0 && good;
}

/* A file system of its own for this process: as root, or as root of a user namespace. */
static bool own_mounts(void) {
    char map[60];
    unsigned user = (unsigned)getuid(), group = (unsigned)getgid();
    if (unshare(CLONE_NEWNS) == 0) return true;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    snprintf(map, sizeof map, "0 %u 1", user);
    if (!write_text("/proc/self/setgroups", "deny") || !write_text("/proc/self/uid_map", map)) return false;
    snprintf(map, sizeof map, "0 %u 1", group);
    return write_text("/proc/self/gid_map", map);
}

static void mount_disk(int size) {
    char options[40];
    const char *disk = ctest_path("disk");
    snprintf(options, sizeof options, "size=%d", size);
    if (mkdir(disk, 0700) != 0 || !own_mounts() || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", disk, "tmpfs", 0, options) != 0)
        _exit(CANNOT_MOUNT);
}

static const char *on_disk(const char *name) {
    static char path[500];
    snprintf(path, sizeof path, "%s/%s", ctest_path("disk"), name);
    return path;
}

/* Takes all room that is left. */
static void fill_disk(void) {
    static const char page[4096] = { 1 };
    int file = open(on_disk("other"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    CHECK(file >= 0);
    while (write(file, page, sizeof page) > 0) {}
    CHECK_EQ(errno, ENOSPC);
    close(file);
}

static void empty_disk(void) { CHECK_EQ(unlink(on_disk("other")), 0); }

static void run(void (*body)(void *)) {
    int result = ctest_child(body, NULL);
    if (result == CANNOT_MOUNT) ctest_skip("nothing can be mounted here, not even in a namespace of its own");
    CHECK_EQ(result, 0);
}

/* ---- Tests ------------------------------------------------------------ */

static strata_status open_disk(fixture *f) {
    strata_config config = { .size = sizeof config, .path = on_disk("store"), .map_size = 1 << 26 };
    *f = (fixture){ 0 };
    strata_status status = strata_store_open(&config, &f->store, &f->error);
    return status < 0 ? status : strata_view_open(f->store, &f->view, &f->error);
}

static void close_disk(fixture *f) {
    strata_view_close(f->view);
    strata_store_close(f->store);
}

static void open_new(fixture *f) {
    const strata_column_spec columns[] = { column("number", STRATA_INT, STRATA_COLUMN_PRIMARY),
                                           column("data", STRATA_DATA, 0) };
    const strata_table_spec table = { "Thing", 0, 2, columns };
    MUST(open_disk(f));
    MUST(apply(f, 0, &table, 1));
}

/* Adds as many objects, and says how the commit went. */
static strata_status add_things(fixture *f, int64_t *next, int count) {
    uint64_t key;
    uint8_t *data = pattern(LARGE, (uint64_t)*next);
    strata_status status = strata_view_begin(f->view, &f->error);
    for (int i = 0; i < count && status >= 0; i++) {
        strata_value values[] = { strata_int((*next)++), strata_data(data, LARGE) };
        status = strata_object_create(f->view, 0, values, 2, &key, &f->error);
    }
    free(data);
    if (status >= 0) return strata_view_commit(f->view, &f->error);
    strata_view_cancel(f->view);
    return status;
}

/* What is there is what was acknowledged. */
static void fill_store(fixture *f, int64_t *next) {
    enum { PORTION = 20 };
    strata_status status;
    uint64_t size;
    do {
        size = table_size(f, 0);
        status = add_things(f, next, PORTION);
    } while (status >= 0);
    CHECK_EQ(status, STRATA_DISK_FULL);
    CHECK_EQ(table_size(f, 0), size);
    REFUSED(status, STRATA_DISK_FULL, "delete objects in a write of its own");
}

static strata_status clear(fixture *f) {
    const uint32_t table = 0;
    strata_status status = strata_view_begin(f->view, &f->error);
    if (status >= 0) status = strata_tables_clear(f->view, &table, 1, &f->error);
    if (status >= 0) return strata_view_commit(f->view, &f->error);
    strata_view_cancel(f->view);
    return status;
}

static void delete_and_go_on(void *context) {
    (void)context;
    mount_disk(DISK);
    fixture it, *f = &it;
    int64_t next = 0;
    open_new(f);
    for (int round = 0; round < ROUNDS; round++) {
        fill_store(f, &next);
        CHECK(table_size(f, 0) > DISK / LARGE / 4);
        verify(f);
        MUST(clear(f));
        MUST(add_things(f, &next, 100));
        verify(f);
    }
    fill_store(f, &next);
    close_disk(f);
    MUST(open_disk(f));
    MUST(clear(f));
    MUST(add_things(f, &next, 100));
    verify(f);
    close_disk(f);
}

void test_full_disk_can_be_emptied(void) { run(delete_and_go_on); }

/* Adds a large object and deletes it in the same write, and behind it one that stays. So the file gets pages that are
 * free and were never written: a hole. */
static strata_status make_hole(fixture *f, int64_t *next, size_t size) {
    uint64_t key, kept;
    uint8_t *data = pattern(size, 1);
    strata_value large[] = { strata_int((*next)++), strata_data(data, size) };
    strata_value small[] = { strata_int((*next)++), strata_data(data, LARGE) };
    MUST(strata_view_begin(f->view, &f->error));
    MUST(strata_object_create(f->view, 0, large, 2, &key, &f->error));
    MUST(strata_object_create(f->view, 0, small, 2, &kept, &f->error));
    MUST(strata_object_delete(f->view, 0, key, &f->error));
    free(data);
    return strata_view_commit(f->view, &f->error);
}

/* The same with many small objects, of which only the last one stays. */
static strata_status make_small_holes(fixture *f, int64_t *next, int count) {
    uint64_t key;
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < count; i++) {
        strata_value values[] = { strata_int((*next)++), strata_data("small", 5) };
        MUST(strata_object_create(f->view, 0, values, 2, &key, &f->error));
    }
    for (uint64_t before = key - (uint64_t)count + 1; before < key; before++)
        MUST(strata_object_delete(f->view, 0, before, &f->error));
    return strata_view_commit(f->view, &f->error);
}

/* Some pages do not matter. */
static void no_holes(int64_t least) {
    enum { SOME = 16 * 4096 };
    struct stat info;
    CHECK_EQ(stat(on_disk("store"), &info), 0);
    CHECK(info.st_size > least && info.st_blocks * 512 + SOME > info.st_size);
}

/* A hole would take room of the disk later, when it is written to, and a write that deletes might find none. So it gets
 * its room at once, and where there is none, there is no hole. */
static void make_holes(void *context) {
    enum { HOLE = DISK / 2 };
    (void)context;
    mount_disk(2 * DISK);
    fixture it, *f = &it;
    int64_t next = 0;
    open_new(f);
    MUST(add_things(f, &next, 700));
    MUST(make_hole(f, &next, HOLE));
    no_holes(HOLE);
    MUST(make_small_holes(f, &next, 100000));
    no_holes(HOLE);
    fill_disk();
    for (int i = 0; i < 50; i++) MUST(add_things(f, &next, 1));
    MUST(clear(f));
    empty_disk();
    MUST(add_things(f, &next, 1200));
    CHECK_EQ(make_hole(f, &next, 2 * HOLE), STRATA_DISK_FULL);
    fill_store(f, &next);
    for (int count = 16; count > 0; count /= 2) while (add_things(f, &next, count) >= 0) {}
    MUST(clear(f));
    MUST(add_things(f, &next, 100));
    no_holes(HOLE);
    verify(f);
    close_disk(f);
}

void test_full_disk_is_not_promised_to_holes(void) { run(make_holes); }

static void others_fill_it(void *context) {
    (void)context;
    mount_disk(DISK);
    fixture it, *f = &it;
    strata_view *views[VIEWS];
    int64_t next = 0;
    open_new(f);
    MUST(add_things(f, &next, 200));
    fill_disk();
    int seen = 0;
    for (; seen < VIEWS && strata_view_open(f->store, &views[seen], &f->error) >= 0;) seen++;
    CHECK_EQ(seen, VIEWS); /* each has a slot in the lock file */
    for (int i = 0; i < VIEWS; i++) strata_view_close(views[i]);
    CHECK_EQ(table_size(f, 0), 200);
    CHECK_EQ(add_things(f, &next, 200), STRATA_DISK_FULL);
    CHECK_EQ(table_size(f, 0), 200);
    strata_status status = clear(f);
    CHECK(status == STRATA_OK || status == STRATA_DISK_FULL);
    CHECK_EQ(table_size(f, 0), status == STRATA_OK ? 0 : 200);
    empty_disk();
    MUST(clear(f));
    MUST(add_things(f, &next, 100));
    verify(f);
    close_disk(f);
}

void test_full_disk_of_others_is_refused(void) { run(others_fill_it); }

static void open_full(void *context) {
    (void)context;
    char lock[500];
    mount_disk(DISK);
    fixture it, *f = &it;
    int64_t next = 0;
    open_new(f);
    MUST(add_things(f, &next, 100));
    close_disk(f);
    snprintf(lock, sizeof lock, "%s-lock", on_disk("store"));
    CHECK(unlink(lock) == 0 || errno == ENOENT);
    fill_disk();
    strata_status status = open_disk(f);
    CHECK_EQ(status, STRATA_DISK_FULL);
    CHECK(strstr(f->error.message, "store") != NULL);
    empty_disk();
    MUST(open_disk(f));
    CHECK_EQ(table_size(f, 0), 100);
    MUST(add_things(f, &next, 100));
    verify(f);
    close_disk(f);
}

void test_full_disk_has_no_room_for_a_lock_file(void) { run(open_full); }
