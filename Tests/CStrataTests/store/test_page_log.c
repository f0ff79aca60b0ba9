/* SPDX-License-Identifier: MIT
 * test_page_log.c -- commits by one append: what is flushed, what a file needs its log for, and whose log it is.
 * test_power.c and test_power_relay.c show what it is good for. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/copy.h"
#include "store/snapshot.h"
#include "store/state.h"
#include "support/faults.h"
#include "support/record.h"
#include "support/store_support.h"

static strata_store *open_logged(const char *path) {
    strata_config config = { .size = sizeof config, .path = path, .durability = STRATA_DURABILITY_LOGGED };
    return must_open_with(&config);
}

static bool is_logged(strata_store *store) {
    st_txn *txn;
    CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
    bool logged = txn->header.logged;
    st_snapshot_end(txn);
    return logged;
}

/* Makes a file whose log is in use, as a process leaves it that ends without closing it: `commits` of them are in the
 * log. Before those, the file is copied to `other`. */
typedef struct left {
    log_paths at;
    int commits;
} left;

static void write_and_end(void *argument) {
    left *it = argument;
    strata_store *store = open_logged(it->at.file);
    must_write(store, "a", "not in the log");
    for (int i = 0; i < it->commits; i++) {
        add_to_counter(store);
        if (i == 0) copy_file(it->at.file, it->at.other);
    }
    _exit(0);
}

static void leave(const log_paths *at, int commits) {
    left it = { *at, commits };
    CHECK_EQ(ctest_child(write_and_end, &it), 0);
}

static void must_refuse(const char *path, uint32_t flags, strata_status expected, const char *words) {
    strata_error error;
    CHECK_EQ(open_status(path, flags, &error), expected);
    CHECK(strstr(error.message, words) != NULL && strstr(error.message, "-log") != NULL);
}

static void must_count(const char *path, uint64_t expected) {
    strata_config config = { .size = sizeof config, .path = path, .flags = STRATA_OPEN_CHECK_PAGES };
    strata_store *store = must_open_with(&config);
    CHECK_EQ(read_counter(store), expected);
    strata_store_close(store);
}

/* ---- What is flushed -------------------------------------------------- */

typedef struct writes {
    int flushes, flushed, writes;
} writes;

static writes writes_until_now(record *log) {
    writes found = { 0, 0, 0 };
    record_stop();
    for (size_t i = 0; i < log->event_count; i++) {
        found.flushes += log->events[i].kind == RECORD_SYNC;
        found.flushed += log->events[i].kind == RECORD_WRITE_DURABLE;
        found.writes += log->events[i].kind == RECORD_WRITE;
    }
    record_free(log);
    return found;
}

static writes writes_of_commit(strata_store *store) {
    record log;
    record_start(&log, ctest_directory());
    add_to_counter(store);
    return writes_until_now(&log);
}

static void count_in_child(void *argument) {
    const log_paths *at = argument;
    strata_store *store = open_logged(at->file);
    CHECK(!is_logged(store));
    (void)writes_of_commit(store); /* makes the log, and is the last one without it */
    CHECK(is_logged(store));
    writes first = writes_of_commit(store), next = writes_of_commit(store);
    CHECK_EQ(first.flushes, 3); /* the data file, the log's header, and its first record */
    CHECK_EQ(first.flushed, 0);
    CHECK_EQ(next.flushes, 1);
    CHECK_EQ(next.flushed, 0);
    CHECK(next.writes < 8); /* one of them to the log */
    strata_store_close(store);
}

void test_page_log_has_one_flush_for_a_commit(void) {
    log_paths at = log_paths_make();
    CHECK_EQ(ctest_child(count_in_child, &at), 0);
}

static writes writes_of_large_commit(strata_store *store, size_t pages) {
    static char value[(ST_LOG_MOST_PAGES + 10) * 4096];
    record log;
    memset(value, 'l', pages * 4096);
    value[pages * 4096] = 0;
    record_start(&log, ctest_directory());
    must_write(store, "large", value);
    return writes_until_now(&log);
}

static void write_large_in_child(void *argument) {
    const log_paths *at = argument;
    strata_store *store = open_logged(at->file);
    for (int i = 0; i < 2; i++) add_to_counter(store);
    CHECK_EQ(writes_of_large_commit(store, 300).flushes, 1);
    CHECK_EQ(writes_of_large_commit(store, ST_LOG_MOST_PAGES / 2).flushes, 1);
    CHECK_EQ(writes_of_large_commit(store, ST_LOG_MOST_PAGES + 1).flushes, 3); /* as if the log were full */
    CHECK_EQ(writes_of_commit(store).flushes, 1);
    for (int i = 0; i < 2; i++) { /* the log becomes large enough */
        CHECK_EQ(writes_of_large_commit(store, ST_LOG_MOST_PAGES - 14).flushes, 1);
        CHECK(store->log.record.capacity < 1 << 20);
    }
    _exit(0);
}

/* The commit of a group of writes changes hundreds of pages, in as many places. */
void test_page_log_has_one_flush_for_a_large_commit(void) {
    log_paths at = log_paths_make();
    CHECK_EQ(ctest_child(write_large_in_child, &at), 0);
    must_count(at.file, 3);
}

/* Commits follow each other through a log that becomes as large as it may be, and then is full again and again. */
void test_page_log_grows_and_begins_again(void) {
    static char value[3000];
    log_paths at = log_paths_make();
    strata_store *store = open_logged(at.file);
    uint64_t again = 0, number = 0;
    struct stat info;
    memset(value, 'v', sizeof value - 1);
    for (int i = 0; i < 9000; i++) {
        char key[20];
        snprintf(key, sizeof key, "key %d", i % 70);
        must_write(store, key, value);
        again += store->log.header.number != number;
        if (again > 2 && store->log.header.number != number) CHECK_EQ(store->log.size, ST_LOG_MOST_SIZE);
        number = store->log.header.number;
    }
    CHECK_EQ(stat(at.log, &info), 0);
    CHECK(again > 3);
    CHECK_EQ(info.st_size, ST_LOG_MOST_SIZE);
    must_hold(store, "key 69", value);
    strata_store_close(store);
}

/* ---- Files and their logs ------------------------------------------------ */

void test_page_log_is_not_needed_once_all_have_closed(void) {
    log_paths at = log_paths_make();
    strata_store *store = open_logged(at.file);
    for (int i = 0; i < 5; i++) add_to_counter(store);
    CHECK(is_logged(store));
    st_txn *txn;
    CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
    st_header before = txn->header;
    st_snapshot_end(txn);
    strata_store_close(store);
    CHECK_EQ(unlink(at.log), 0);
    store = must_open(at.file);
    CHECK(!is_logged(store));
    CHECK_EQ(read_counter(store), 5);
    CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
    CHECK(txn->header.version == before.version && txn->header.epoch == before.epoch); /* it is the same commit */
    st_snapshot_end(txn);
    strata_store_close(store);
}

/* The data file may be as it was when the log began, or as it became. */
void test_page_log_puts_back_what_the_file_lacks(void) {
    log_paths at = log_paths_make();
    leave(&at, 6);
    must_count(at.file, 6);

    at = log_paths_make();
    leave(&at, 6); /* on top of the six */
    copy_file(at.other, at.file);
    must_count(at.file, 12);
    CHECK_EQ(unlink(at.log), 0); /* not needed any more */
    must_count(at.file, 12);
}

void test_page_log_is_needed_after_a_crash(void) {
    char away[620];
    log_paths at = log_paths_make();
    leave(&at, 3);
    snprintf(away, sizeof away, "%s-away", at.log);
    must_refuse(at.file, STRATA_OPEN_READ_ONLY, STRATA_READ_ONLY, "open it for writing once");
    CHECK_EQ(rename(at.log, away), 0);
    must_refuse(at.file, 0, STRATA_CORRUPT, "is missing");
    strata_config config = { .size = sizeof config, .path = at.file };
    strata_error error;
    CHECK_EQ(strata_compact(&config, NULL, &error), STRATA_CORRUPT);
    CHECK_EQ(rename(away, at.log), 0);
    must_count(at.file, 3);
    CHECK_EQ(open_status(at.file, STRATA_OPEN_READ_ONLY, &error), STRATA_OK);
}

void test_page_log_is_put_back_before_a_file_is_compacted(void) {
    log_paths at = log_paths_make();
    leave(&at, 3);
    copy_file(at.other, at.file);
    strata_config config = { .size = sizeof config, .path = at.file };
    strata_error error;
    CHECK_EQ(strata_compact(&config, NULL, &error), STRATA_OK);
    CHECK_EQ(unlink(at.log), 0);
    must_count(at.file, 3);
}

void test_page_log_of_another_file_is_not_written_into_this_one(void) {
    log_paths at = log_paths_make();
    leave(&at, 3);
    CHECK_EQ(unlink(at.file), 0);
    strata_store *store;
    CHECK_EQ(unlink(at.other), 0);
    must_write((store = must_open(at.other)), "b", "1");
    strata_store_close(store);
    CHECK_EQ(rename(at.other, at.file), 0);
    must_refuse(at.file, 0, STRATA_REPLACED_FILE, "was replaced");
    CHECK_EQ(unlink(at.log), 0);
    must_hold((store = must_open(at.file)), "b", "1");
    strata_store_close(store);
}

/* A record in the middle is damaged: what is behind it cannot be put back, and the file shows that there was more. */
void test_page_log_that_is_damaged_is_noticed(void) {
    log_paths at = log_paths_make();
    leave(&at, 8);
    flip_byte(at.log, ST_LOG_BEGIN + 300);
    must_refuse(at.file, 0, STRATA_REPLACED_FILE, "is damaged");
    flip_byte(at.log, ST_LOG_BEGIN + 300);
    must_count(at.file, 8);
}

static void set_version(const char *path, uint32_t version) {
    enum { HEADER = 512, AT_VERSION = 8, AT_CHECKSUM = 12 };
    int file = open(path, O_RDWR | O_CLOEXEC);
    CHECK(file >= 0);
    for (uint64_t at = 0; at <= 4096; at += 4096) {
        uint8_t header[HEADER];
        CHECK_EQ(st_read_at(file, header, sizeof header, at), 0);
        st_store32(header + AT_VERSION, version);
        st_store32(header + AT_CHECKSUM, st_log_checksum(header, sizeof header, AT_CHECKSUM));
        CHECK_EQ(st_write_at(file, header, sizeof header, at), 0);
    }
    close(file);
}

static uint32_t version_of(const char *path) {
    uint8_t header[512];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(file >= 0 && st_read_at(file, header, sizeof header, 0) == 0);
    close(file);
    return strata_load32(header + 8);
}

/* Who reads version 3 only would take a record with more pages for the end of the log: so it begins again. */
void test_page_log_of_an_older_version_is_not_added_to(void) {
    log_paths at = log_paths_make();
    strata_store *store = open_logged(at.file);
    for (int i = 0; i < 3; i++) add_to_counter(store);
    set_version(at.log, 3);
    CHECK_EQ(writes_of_commit(store).flushes, 3); /* the data file, the header, and the record */
    CHECK(version_of(at.log) > 3);
    CHECK_EQ(writes_of_commit(store).flushes, 1);
    strata_store_close(store);
    must_count(at.file, 5);
}

/* Version 3 is that of records with at most 256 pages, version 4 that of values with what is behind them. */
void test_page_log_of_another_version(void) {
    log_paths at = log_paths_make();
    leave(&at, 8);
    set_version(at.log, 2);
    must_refuse(at.file, 0, STRATA_CORRUPT, "of another version");
    set_version(at.log, 6);
    must_refuse(at.file, 0, STRATA_CORRUPT, "of another version");
    set_version(at.log, 3 + ctest_seed() % 2);
    must_count(at.file, 8);
}

void test_page_log_that_cannot_be_made_is_not_missed(void) {
    log_paths at = log_paths_make();
    int file = open(at.log, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    CHECK_EQ(write(file, "a file of the user", 18), 18);
    close(file);
    strata_store *store = open_logged(at.file);
    for (int i = 0; i < 3; i++) add_to_counter(store);
    CHECK(!is_logged(store));
    strata_store_close(store);
    struct stat info;
    CHECK_EQ(stat(at.log, &info), 0);
    CHECK_EQ(info.st_size, 18);
    must_count(at.file, 3);
}

void test_page_log_deleted_while_it_is_used_is_noticed(void) {
    log_paths at = log_paths_make();
    strata_store *store = open_logged(at.file);
    strata_error error;
    for (int i = 0; i < 3; i++) add_to_counter(store);
    CHECK_EQ(unlink(at.log), 0);
    CHECK_EQ(try_write(store, "a", text("1"), &error), STRATA_CORRUPT);
    CHECK(strstr(error.message, "-log") != NULL && strstr(error.message, "backup") != NULL);
    CHECK_EQ(strata_store_backup(store, at.other, 0, &error), STRATA_OK);
    strata_store_close(store);
    must_count(at.other, 3);
}

/* Recovery would find the copy. The commits that only the moved one has are in the data file, which is flushed. */
static void go_on_with_a_copy(void *argument) {
    const log_paths *at = argument;
    strata_config config = { .size = sizeof config, .path = at->file, .durability = STRATA_DURABILITY_DEFERRED };
    strata_store *store = must_open_with(&config);
    strata_error error;
    for (int i = 0; i < 5; i++) add_to_counter(store);
    CHECK_EQ(rename(at->log, at->other), 0);
    copy_file(at->other, at->log);
    for (int i = 0; i < 20; i++) add_to_counter(store);
    CHECK_EQ(strata_store_flush(store, &error), STRATA_OK);
    _exit(0);
}

void test_page_log_moved_while_it_is_used_is_noticed(void) {
    log_paths at = log_paths_make();
    CHECK_EQ(ctest_child(go_on_with_a_copy, &at), 0);
    must_count(at.file, 25);
}

/* ---- How large it is -------------------------------------------------- */

/* A value that has nothing of the one before, so that all of it goes to the log. */
static void write_other(strata_store *store, char *value, size_t size, uint64_t *random) {
    for (size_t i = 0; i + 1 < size; i++) value[i] = (char)(1 + ctest_random(random) % 127);
    must_write(store, "a", value);
}

/* Of a log that is shorter than its headers, by whatever accident, no record is said to fit. */
void test_page_log_cut_short_does_not_grow_without_end(void) {
    log_paths at = log_paths_make();
    struct stat info;
    char value[3000] = { 0 };
    uint64_t random = ctest_seed();
    strata_store *store = open_logged(at.file);
    for (int i = 0; i < 3; i++) add_to_counter(store);
    strata_store_close(store);
    CHECK_EQ(truncate(at.log, 4608), 0);
    store = open_logged(at.file);
    for (int i = 0; i < 3000; i++) write_other(store, value, sizeof value, &random);
    CHECK(store->log.in_use && store->log.size >= ST_LOG_LEAST_SIZE);
    CHECK_EQ(stat(at.log, &info), 0);
    CHECK_EQ((uint64_t)info.st_size, store->log.size);
    CHECK(info.st_size <= ST_LOG_MOST_SIZE);
    strata_store_close(store);
}

static void write_within_a_limit(void *argument) {
    const log_paths *at = argument;
    const struct rlimit limit = { 9 << 20, 9 << 20 };
    char value[3000] = { 0 };
    uint64_t random = ctest_seed();
    struct stat info;
    CHECK(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    strata_store *store = open_logged(at->file);
    uint64_t number = 0;
    for (int i = 0; i < 6000; i++) {
        write_other(store, value, sizeof value, &random);
        if (store->log.in_use && number == 0) number = store->log.header.number;
    }
    CHECK(store->log.header.number > number + 1); /* it was full more than once */
    CHECK_EQ(stat(at->log, &info), 0);
    CHECK_EQ((uint64_t)info.st_size, store->log.size);
    _exit(0);
}

/* That a log cannot grow is no reason for a commit to fail. */
void test_page_log_within_a_limit_of_the_size_of_files(void) {
    log_paths at = log_paths_make();
    CHECK_EQ(ctest_child(write_within_a_limit, &at), 0);
}

/* What room is left on a disk is for those who delete something. */
void test_page_log_takes_no_room_that_is_kept(void) {
    log_paths at = log_paths_make();
    strata_store *store = open_logged(at.file);
    fault_free_space(6 << 20);
    for (int i = 0; i < 3; i++) add_to_counter(store);
    CHECK(access(at.log, F_OK) != 0 && !is_logged(store));
    fault_free_space(-1);
    for (int i = 0; i < 3; i++) add_to_counter(store);
    CHECK(access(at.log, F_OK) == 0 && is_logged(store));
    strata_store_close(store);
    must_count(at.file, 6);
}

/* ---- Where it cannot be used ------------------------------------------- */

static void write_without_locks(void *argument) {
    const log_paths *at = argument;
    strata_error error;
    fault_no_locks();
    strata_store *store = open_logged(at->other);
    for (int i = 0; i < 3; i++) add_to_counter(store);
    CHECK(!is_logged(store) && store->log.file < 0);
    CHECK_EQ(open_status(at->file, 0, &error), STRATA_IO);
    CHECK(strstr(error.message, "the system has no locks here") != NULL);
    _exit(0);
}

/* Nobody is known to be alone then, and so nobody may put back what is in a log. */
void test_page_log_without_locks_is_none(void) {
    log_paths at = log_paths_make();
    leave(&at, 5);
    CHECK_EQ(unlink(at.other), 0);
    CHECK_EQ(ctest_child(write_without_locks, &at), 0);
    must_count(at.file, 5);
}

/* ---- Copies ------------------------------------------------------------ */

/* The log of the file has commits that the copy must not get. */
void test_page_log_goes_with_a_file_that_is_replaced(void) {
    char copy[620];
    log_paths at = log_paths_make();
    strata_error error;
    strata_store *store = open_logged(at.file);
    for (int i = 0; i < 3; i++) add_to_counter(store);
    snprintf(copy, sizeof copy, "%s.copy", at.file);
    CHECK_EQ(strata_store_backup(store, copy, 0, &error), STRATA_OK);
    strata_store_close(store);
    leave(&at, 2);
    CHECK_EQ(strata_file_replace(at.file, copy, &error), STRATA_OK);
    CHECK_EQ(access(at.log, F_OK), -1);
    must_count(at.file, 3);
}

/* The commits that only the log of the copy has get to the path with it, or nothing is replaced. */
void test_page_log_of_a_copy_is_not_left_behind(void) {
    char target[620];
    log_paths at = log_paths_make();
    strata_error error;
    snprintf(target, sizeof target, "%s", ctest_path("target.strata"));
    strata_store_close(must_open(target));
    leave(&at, 4);
    CHECK_EQ(strata_file_replace(target, at.file, &error), STRATA_OK);
    CHECK(access(at.log, F_OK) != 0 && access(at.file, F_OK) != 0);
    must_count(target, 4);
    leave(&at, 2);
    CHECK_EQ(unlink(at.log), 0);
    CHECK_EQ(strata_file_replace(target, at.file, &error), STRATA_CORRUPT);
    CHECK(strstr(error.message, "-log") != NULL);
    must_count(target, 4);
    CHECK_EQ(strata_file_delete(at.file, &error), STRATA_OK); /* also what cannot be opened */
    CHECK(access(at.file, F_OK) != 0);
}

/* Who ends between the removal of the log and that of the file leaves what can be opened. */
void test_page_log_is_not_missed_by_a_file_that_goes(void) {
    log_paths at = log_paths_make();
    strata_error error;
    leave(&at, 3);
    int file = open(at.file, O_RDWR | O_CLOEXEC);
    CHECK_EQ(st_copy_leave_log(file, at.file, "deleting", &error), STRATA_OK);
    close(file);
    CHECK_EQ(unlink(at.log), 0);
    must_count(at.file, 3);
    leave(&at, 3);
    CHECK_EQ(strata_file_delete(at.file, &error), STRATA_OK);
    CHECK(access(at.file, F_OK) != 0 && access(at.log, F_OK) != 0);
}

/* ---- Copies ----------------------------------------------------------- */

void test_page_log_is_not_missed_by_copies(void) {
    char compact[620], stream[620];
    log_paths at = log_paths_make();
    strata_error error;
    strata_store *store = open_logged(at.file);
    for (int i = 0; i < 4; i++) add_to_counter(store);
    CHECK(is_logged(store));
    snprintf(compact, sizeof compact, "%s.compact", at.file);
    snprintf(stream, sizeof stream, "%s.stream", at.file);
    int file = open(stream, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    CHECK_EQ(strata_store_backup(store, at.other, 0, &error), STRATA_OK);
    CHECK_EQ(strata_store_backup(store, compact, STRATA_BACKUP_COMPACT, &error), STRATA_OK);
    CHECK_EQ(strata_store_backup_to(store, file, &error), STRATA_OK);
    close(file);
    must_count(at.other, 4);
    must_count(compact, 4);
    must_count(stream, 4);
    strata_store_close(store);
}

/* ---- Several processes ---------------------------------------------------- */

typedef struct adding {
    const char *path;
    strata_durability durability;
    int count;
    bool closes;
} adding;

static void add_many(void *argument) {
    const adding *it = argument;
    strata_config config = { .size = sizeof config, .path = it->path, .durability = it->durability };
    strata_store *store = must_open_with(&config);
    for (int i = 0; i < it->count; i++) add_to_counter(store);
    if (!it->closes) _exit(0);
    strata_store_close(store);
}

/* Whatever they were opened with, all follow the log while it is in use; and each of them may end it. */
void test_page_log_is_followed_by_all_processes(void) {
    log_paths at = log_paths_make();
    strata_store *store = open_logged(at.file);
    uint64_t expected = 0;
    for (int round = 0; round < 6; round++) {
        enum { KINDS = 4 };
        adding by[KINDS];
        int pids[KINDS];
        for (int i = 0; i < KINDS; i++) {
            by[i] = (adding){ at.file, (strata_durability)i, 20, (round + i) % 2 == 0 };
            pids[i] = ctest_child_start(add_many, &by[i]);
            expected += 20;
        }
        for (int i = 0; i < 10; i++, expected++) add_to_counter(store);
        for (int i = 0; i < KINDS; i++) CHECK_EQ(ctest_child_wait(pids[i]), 0);
        CHECK_EQ(read_counter(store), expected);
    }
    strata_store_close(store);
    must_count(at.file, expected);
}
