/* SPDX-License-Identifier: MIT
 * test_durability.c -- what is flushed when, who decides it, and the names that commits get. test_power.c shows what it
 * is good for. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "store/snapshot.h"
#include "support/faults.h"
#include "support/record.h"
#include "support/store_support.h"

static strata_store *open_with(const char *path, strata_durability durability) {
    strata_config config = { .size = sizeof config, .path = path, .durability = durability };
    return must_open_with(&config);
}

/* ---- What is flushed -------------------------------------------------- */

typedef struct flushes {
    int all;  /* of everything written until then */
    int meta; /* of single writes */
} flushes;

static flushes count_flushes(record *log) {
    flushes found = { 0, 0 };
    record_stop();
    for (size_t i = 0; i < log->event_count; i++) {
        found.all += log->events[i].kind == RECORD_SYNC;
        found.meta += log->events[i].kind == RECORD_WRITE_DURABLE;
    }
    record_free(log);
    return found;
}

#define CHECK_FLUSHES(call, expected_all, expected_meta) \
    do { \
        record log; \
        record_start(&log, ctest_directory()); \
        call; \
        flushes found = count_flushes(&log); \
        CHECK_EQ(found.all, expected_all); \
        CHECK_EQ(found.meta, expected_meta); \
    } while (0)

/* In a child: what is recorded is that of all threads. */
static void count_in_child(void *path) {
    strata_error error;
    strata_store *store = open_with(path, STRATA_DURABILITY_FULL);
    CHECK_FLUSHES(must_write(store, "a", "1"), 1, 1);
    CHECK_FLUSHES(CHECK_EQ(strata_store_flush(store, &error), STRATA_OK), 1, 0);
    strata_store_close(store);

    store = open_with(path, STRATA_DURABILITY_RELAXED);
    CHECK_FLUSHES(must_write(store, "b", "1"), 1, 0);
    CHECK_FLUSHES(must_write(store, "b", "2"), 1, 0);
    CHECK_FLUSHES(CHECK_EQ(strata_store_flush(store, &error), STRATA_OK), 1, 0);
    CHECK(open_with(path, STRATA_DURABILITY_RELAXED) == store);
    CHECK_FLUSHES(strata_store_close(store), 0, 0); /* not the last handle */
    CHECK_FLUSHES(strata_store_close(store), 1, 0);
}

void test_durability_decides_what_is_flushed(void) {
    char path[600];
    snprintf(path, sizeof path, "%s", ctest_path("a.strata"));
    CHECK_EQ(ctest_child(count_in_child, path), 0);
    strata_store *store = must_open(path);
    must_hold(store, "b", "2");
    strata_store_close(store);
}

/* ---- What an opening flushes ------------------------------------------ */

/* Longer than the grain of the times that tell whether a file was written to. */
static void let_time_pass(void) { usleep(50 * 1000); }

/* Without attributes of lock files, or with coarse times, every opening flushes. */
static bool notes_work(const char *path) {
    struct stat info;
    bool work = stat(path, &info) == 0 && info.st_ctim.tv_nsec != 0;
    return setxattr(ctest_directory(), "user.strata", "", 0, 0) == 0 && work;
}

static int flushes_of_open(const char *path) {
    record log;
    record_start(&log, ctest_directory());
    strata_store *store = must_open(path);
    int found = count_flushes(&log).all;
    strata_store_close(store);
    return found;
}

/* Opens, writes, lets time pass and closes: leaves a note. */
static void leave_noted(const char *path) {
    strata_store *store = must_open(path);
    must_write(store, "a", "1");
    let_time_pass();
    CHECK_FLUSHES(strata_store_close(store), notes_work(path) ? 1 : 0, 0);
}

static void write_and_die(void *path) {
    must_write(must_open(path), "a", "2");
    _exit(0);
}

static void write_relaxed_and_die(void *path) {
    must_write(open_with(path, STRATA_DURABILITY_RELAXED), "a", "3");
    _exit(0);
}

/* Nobody knows whether it is on the disk; then somebody does. */
static void must_flush_once(const char *path) {
    let_time_pass();
    CHECK_EQ(flushes_of_open(path), 1);
    CHECK_EQ(flushes_of_open(path), notes_work(path) ? 0 : 1);
}

static void open_in_child(void *name) {
    char copy[600], lock[600];
    const char *path = name;
    strata_error error;
    strata_store *store;
    snprintf(copy, sizeof copy, "%s.copy", path);
    snprintf(lock, sizeof lock, "%s-lock", path);
    leave_noted(path);
    CHECK_EQ(flushes_of_open(path), notes_work(path) ? 0 : 1);

    CHECK_EQ(ctest_child(write_and_die, name), 0);
    must_flush_once(path);
    CHECK_EQ(ctest_child(write_relaxed_and_die, name), 0);
    must_flush_once(path);

    copy_file(path, copy);
    copy_file(copy, path); /* the same bytes, in place */
    must_flush_once(path);
    CHECK_EQ(rename(copy, path), 0);
    must_flush_once(path);
    CHECK_EQ(unlink(lock), 0);
    must_flush_once(path);

    CHECK_EQ(unlink(lock), 0);
    strata_config config = { .size = sizeof config, .path = path };
    fault_set(FAULT_FDATASYNC, 1, 1, EIO);
    CHECK_EQ(strata_store_open(&config, &store, &error), STRATA_IO);
    CHECK(fault_clear());
    must_flush_once(path);

    config.flags = STRATA_OPEN_READ_ONLY;
    CHECK_EQ(unlink(lock), 0);
    CHECK_FLUSHES(store = must_open_with(&config), 0, 0);
    strata_store_close(store);
    CHECK_EQ(flushes_of_open(path), 1);
    config.flags = STRATA_OPEN_ALLOW_REMOTE;
    CHECK_FLUSHES(store = must_open_with(&config), 1, 0);
    strata_store_close(store);
}

void test_durability_opening_flushes_what_may_not_be_on_the_disk(void) {
    char path[600];
    snprintf(path, sizeof path, "%s", ctest_path("a.strata"));
    CHECK_EQ(ctest_child(open_in_child, path), 0);
}

/* Right after a commit the time of the file cannot tell a later write from it. */
static void close_at_once(void *path) {
    record log;
    for (int i = 0; i < 20; i++) {
        strata_store *store = must_open(path);
        must_write(store, "a", "1");
        record_start(&log, ctest_directory());
        strata_store_close(store);
        strata_store_close(must_open(path));
        CHECK_EQ(count_flushes(&log).all, 1); /* by whom of the two, depends on how long it took */
    }
}

void test_durability_opening_flushes_what_was_just_written(void) {
    char path[600];
    snprintf(path, sizeof path, "%s", ctest_path("a.strata"));
    CHECK_EQ(ctest_child(close_at_once, path), 0);
}

/* ---- Who decides ------------------------------------------------------ */

static void must_differ(const strata_config *config, const char *words) {
    strata_store *store;
    strata_error error;
    CHECK_EQ(strata_store_open(config, &store, &error), STRATA_IN_USE);
    CHECK(store == NULL && strstr(error.message, words) != NULL);
}

void test_durability_is_one_in_a_process(void) {
    strata_config full = { .size = sizeof full, .path = ctest_path("a.strata") }, relaxed = full;
    relaxed.durability = STRATA_DURABILITY_RELAXED;
    strata_store *store = must_open_with(&full);
    must_differ(&relaxed, "open with full durability");
    strata_store_close(store);
    store = must_open_with(&relaxed);
    must_differ(&full, "open with relaxed durability");
    strata_store_close(store);
}

void test_durability_means_nothing_without_writes_to_a_file(void) {
    strata_error error;
    strata_config memory = { .size = sizeof memory, .memory_name = "m" }, file = { .size = sizeof file };
    strata_store *first = must_open_with(&memory);
    memory.durability = STRATA_DURABILITY_RELAXED;
    strata_store *second = must_open_with(&memory);
    CHECK(first == second);
    CHECK_EQ(strata_store_flush(first, &error), STRATA_OK);
    strata_store_close(first);
    strata_store_close(second);

    file.path = ctest_path("a.strata");
    strata_store_close(must_open(file.path));
    file.flags = STRATA_OPEN_READ_ONLY;
    first = must_open_with(&file);
    file.durability = STRATA_DURABILITY_RELAXED;
    second = must_open_with(&file);
    CHECK(first == second);
    CHECK_EQ(strata_store_flush(first, &error), STRATA_READ_ONLY);
    CHECK(strstr(error.message, "read-only") != NULL);
    strata_store_close(first);
    strata_store_close(second);
}

/* Programs built before there was a choice have a shorter struct. */
void test_durability_of_older_programs_is_full(void) {
    strata_config old = { .size = offsetof(strata_config, durability), .path = ctest_path("a.strata"),
                          .durability = (strata_durability)77 };
    strata_store *store = must_open_with(&old);
    strata_store *again = open_with(old.path, STRATA_DURABILITY_FULL);
    CHECK(again == store);
    strata_store_close(again);
    strata_store_close(store);
}

static void write_relaxed(void *path) {
    strata_store *store = open_with(path, STRATA_DURABILITY_RELAXED);
    for (int i = 0; i < 100; i++) add_to_counter(store);
    _exit(0); /* without closing: what it left to the system stays there */
}

void test_durability_may_differ_between_processes(void) {
    char path[600];
    snprintf(path, sizeof path, "%s", ctest_path("a.strata"));
    strata_store *store = must_open(path);
    int child = ctest_child_start(write_relaxed, path);
    for (int i = 0; i < 100; i++) add_to_counter(store);
    CHECK_EQ(ctest_child_wait(child), 0);
    CHECK_EQ(read_counter(store), 200);
    strata_store_close(store);
}

/* ---- Names of commits ------------------------------------------------- */

static st_header newest(strata_store *store) {
    st_txn *txn;
    CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
    st_header header = *st_txn_header(txn);
    st_snapshot_end(txn);
    return header;
}

/* A power cut takes a commit, and the next one gets its number: the epoch tells them apart. */
void test_durability_names_commits_for_ever(void) {
    char path[600], before[600];
    snprintf(path, sizeof path, "%s", ctest_path("a.strata"));
    snprintf(before, sizeof before, "%s", ctest_path("before"));
    strata_store *store = open_with(path, STRATA_DURABILITY_RELAXED);
    must_write(store, "a", "kept");
    st_header kept = newest(store);
    copy_file(path, before);
    must_write(store, "a", "lost");
    st_header lost = newest(store);
    strata_store_close(store);
    CHECK(lost.epoch == kept.epoch);

    copy_file(before, path);
    store = must_open(path);
    must_hold(store, "a", "kept");
    CHECK(newest(store).epoch == kept.epoch); /* it is the same commit */
    must_write(store, "a", "another");
    st_header another = newest(store);
    strata_store_close(store);
    CHECK_EQ(another.version, lost.version);
    CHECK(another.epoch != lost.epoch);
    CHECK(memcmp(another.uuid, lost.uuid, sizeof lost.uuid) == 0);
}
