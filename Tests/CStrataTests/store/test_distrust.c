/* SPDX-License-Identifier: MIT
 * test_distrust.c -- flushes that fail: nobody acknowledges anything from then on, in this process or another, and a
 * power cut afterwards takes no more than what was never on the disk. The power cut is played by wiping the records
 * that the failed flush should have written, as a system does that counts them as written. */
#define _GNU_SOURCE 1
#include "store/distrust.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "store/deferral.h"
#include "store/tree.h"
#include "store/turn.h"
#include "store/writer.h"
#include "support/faults.h"
#include "support/store_support.h"

static const st_time for_ever = 3600 * (st_time)1000 * ST_MILLISECOND;

static strata_store *open_with(const char *path, strata_durability durability) {
    strata_config config = { .size = sizeof config, .path = path, .durability = durability };
    return must_open_with(&config);
}

static bool is_poisoned(strata_store *store) { return atomic_load(&store->poisoned); }

/* What a child and its parent tell each other. */
typedef struct told {
    _Atomic int step;
    uint64_t from, to; /* the records that were never flushed */
} told;

typedef struct trial {
    log_paths at;
    told *told;
    int code;
    bool full;
} trial;

static trial make_trial(void) {
    trial it = { .at = log_paths_make() };
    it.told = mmap(NULL, sizeof *it.told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(it.told != MAP_FAILED);
    return it;
}

/* The other process may have failed. */
static void wait_for_step(trial *it, int step) {
    const struct timespec pause = { 0, ST_MILLISECOND };
    const st_deadline deadline = st_deadline_in(60000);
    while (atomic_load(&it->told->step) < step && !st_deadline_is_over(&deadline)) nanosleep(&pause, NULL);
    CHECK(atomic_load(&it->told->step) >= step);
}

typedef struct entry {
    char key[20], value[3000];
} entry;

static entry entry_of(uint64_t number) {
    entry it;
    snprintf(it.key, sizeof it.key, "key %d", (int)(number % 70));
    memset(it.value, 'a' + (int)(number % 26), sizeof it.value - 1);
    it.value[sizeof it.value - 1] = 0;
    return it;
}

static void put(strata_store *store, uint64_t *count) {
    entry it = entry_of((*count)++);
    must_write(store, it.key, it.value);
}

static void cut_power(const trial *it) {
    static const char zeros[4096];
    int file = open(it->at.log, O_RDWR);
    CHECK(it->told->to > it->told->from);
    for (uint64_t at = it->told->from; at < it->told->to; at += sizeof zeros)
        CHECK_EQ(pwrite(file, zeros, sizeof zeros, (off_t)at), (ssize_t)sizeof zeros);
    close(file);
    strata_error error;
    CHECK_EQ(open_status(it->at.file, STRATA_OPEN_CHECK_PAGES, &error), STRATA_OK);
}

static void note_left(const trial *it, const st_page_log *log) {
    CHECK(log->last > log->flushed && log->pin.commit == log->flushed);
    it->told->from = log->flushed_end;
    it->told->to = log->end;
}

/* ---- At the beginning of a write --------------------------------------- */

static void settle(strata_store *store) {
    const st_deadline deadline = st_deadline_in(1000);
    CHECK_EQ(st_turn_take(store, &deadline, NULL), STRATA_OK);
    st_deferral_settle(store);
    st_turn_end(store);
}

/* Either so much is left that the write flushes it, or there was no room for the one before. */
static void fail_at_the_beginning(void *argument) {
    const trial *it = argument;
    strata_error error;
    uint64_t count = 0;
    st_deferral_window = for_ever;
    st_deferral_soon = UINT64_MAX;
    strata_store *store = open_with(it->at.file, STRATA_DURABILITY_DEFERRED);
    const st_page_log *log = &store->log;
    if (it->full) {
        while (count < 100) put(store, &count);
        settle(store);
        while (count < 200) put(store, &count);
        store->full = true;
    } else {
        while (log->file < 0 || log->waiting < ST_LOG_MOST_LEFT) put(store, &count);
    }
    note_left(it, log);
    fault_set(FAULT_FDATASYNC, 1, 1, it->code);
    strata_status status = try_write(store, "a", text("1"), &error);
    CHECK(fault_clear() && status != STRATA_OK && is_poisoned(store));
    CHECK_EQ(try_write(store, "a", text("1"), &error), STRATA_POISONED);
    CHECK(strstr(error.message, "close every handle of the file, in all processes") != NULL);
    _exit(0);
}

void test_distrust_of_a_flush_at_the_beginning_whatever_the_reason(void) {
    static const int codes[] = { EIO, ENOSPC, EDQUOT };
    for (int i = 0; i < 6; i++) {
        trial it = make_trial();
        it.code = codes[i % 3];
        it.full = i >= 3;
        (void)unlink(it.at.file);
        (void)unlink(it.at.log);
        CHECK_EQ(ctest_child(fail_at_the_beginning, &it), 0);
        cut_power(&it);
    }
}

/* ---- Beside a write ----------------------------------------------------- */

static void *flush_fails(void *store) {
    strata_error error;
    CHECK_EQ(strata_store_flush(store, &error), STRATA_IO);
    return NULL;
}

/* The write must not be acknowledged: what could not be written may be a part of it. */
static void fail_beside_a_write(void *argument) {
    const trial *it = argument;
    strata_error error;
    pthread_t thread;
    st_txn *txn;
    strata_store *store = open_with(it->at.file, it->full ? STRATA_DURABILITY_FULL : STRATA_DURABILITY_DEFERRED);
    for (int i = 0; i < 3; i++) add_to_counter(store);
    CHECK_EQ(st_writer_begin(store, &txn, &error), STRATA_OK);
    CHECK_EQ(st_tree_put(txn, ST_ROWS, text("x"), text("y"), &error), STRATA_OK);
    fault_set_everywhere(FAULT_FDATASYNC, 1, 1, EIO);
    if (it->full) {
        CHECK_EQ(pthread_create(&thread, NULL, flush_fails, store), 0);
        pthread_join(thread, NULL);
    }
    while (!is_poisoned(store)) nanosleep(&(struct timespec){ 0, ST_MILLISECOND }, NULL);
    CHECK_EQ(st_writer_commit(txn, &error), STRATA_POISONED);
    _exit(0);
}

void test_distrust_of_a_flush_beside_a_write(void) {
    for (int full = 0; full < 2; full++) {
        trial it = make_trial();
        it.full = full != 0;
        CHECK_EQ(ctest_child(fail_beside_a_write, &it), 0);
    }
}

/* ---- In another process ------------------------------------------------- */

static strata_store *write_without_flush(const trial *it) {
    uint64_t count = 0;
    st_deferral_window = for_ever;
    strata_store *store = open_with(it->at.file, STRATA_DURABILITY_DEFERRED);
    while (count < 50) put(store, &count);
    note_left(it, &store->log);
    return store;
}

static void fail_and_end(void *argument) {
    strata_store *store = write_without_flush(argument);
    fault_set(FAULT_FDATASYNC, 1, UINT_MAX, EIO);
    settle(store);
    CHECK(is_poisoned(store));
    _exit(0);
}

/* The file was open before, but the log is opened now, so that the system tells nothing of what failed. */
static void must_not_go_on(void *argument) {
    trial *it = argument;
    strata_error error;
    strata_store *store = open_with(it->at.file, STRATA_DURABILITY_LOGGED);
    atomic_store(&it->told->step, 1);
    wait_for_step(it, 2);
    CHECK_EQ(try_write(store, "a", text("1"), &error), STRATA_POISONED);
    atomic_store(&it->told->step, 3);
    _exit(0);
}

void test_distrust_of_a_log_that_another_process_could_not_flush(void) {
    const entry last = entry_of(49);
    for (int lost = 0; lost < 2; lost++) {
        trial it = make_trial();
        strata_store_close(must_open(it.at.file));
        int process = ctest_child_start(must_not_go_on, &it);
        wait_for_step(&it, 1);
        CHECK_EQ(ctest_child(fail_and_end, &it), 0);
        atomic_store(&it.told->step, 2);
        CHECK_EQ(ctest_child_wait(process), 0);
        if (lost != 0) cut_power(&it);
        /* Whoever is alone puts all of it into the data file, and writes again. */
        strata_store *store = open_with(it.at.file, STRATA_DURABILITY_LOGGED);
        for (int i = 0; i < 3; i++) add_to_counter(store);
        CHECK(!is_poisoned(store) && store->log.in_use);
        if (lost == 0) must_hold(store, last.key, last.value);
        strata_store_close(store);
    }
}

/* ---- While it is opened -------------------------------------------------- */

static void idle(void *argument) {
    trial *it = argument;
    (void)open_with(it->at.file, STRATA_DURABILITY_LOGGED);
    atomic_store(&it->told->step, 1);
    wait_for_step(it, 2);
    _exit(0);
}

static void leave_unflushed(void *argument) {
    (void)write_without_flush(argument);
    _exit(0);
}

/* What a process left that was killed cannot be flushed; the second try seems to. `code` is which flush fails. */
static void open_twice(void *argument) {
    const trial *it = argument;
    strata_error error;
    fault_set(FAULT_FDATASYNC, (unsigned)it->code, 1, EIO);
    CHECK_EQ(open_status(it->at.file, 0, &error), STRATA_IO);
    CHECK(fault_clear());
    strata_store *store = open_with(it->at.file, STRATA_DURABILITY_LOGGED);
    CHECK_EQ(try_write(store, "a", text("1"), &error), STRATA_POISONED);
    _exit(0);
}

void test_distrust_of_a_flush_while_a_file_is_opened(void) {
    for (int which = 1; which <= 2; which++) {
        trial it = make_trial();
        it.code = which;
        (void)unlink(it.at.file);
        (void)unlink(it.at.log);
        strata_store_close(must_open(it.at.file));
        int process = ctest_child_start(idle, &it);
        wait_for_step(&it, 1);
        CHECK_EQ(ctest_child(leave_unflushed, &it), 0);
        CHECK_EQ(ctest_child(open_twice, &it), 0);
        atomic_store(&it.told->step, 2);
        CHECK_EQ(ctest_child_wait(process), 0);
        cut_power(&it);
        strata_store *store = open_with(it.at.file, STRATA_DURABILITY_LOGGED);
        for (int i = 0; i < 3; i++) add_to_counter(store);
        strata_store_close(store);
    }
}

/* Whoever lacks a descriptor for the flush has been told nothing. */
static void open_without_descriptors(void *argument) {
    const trial *it = argument;
    strata_error error;
    for (unsigned n = 1; n <= 40; n++) {
        fault_set(FAULT_OPEN, n, 1, EMFILE);
        (void)open_status(it->at.file, 0, &error);
        (void)fault_clear();
    }
    strata_store *store = open_with(it->at.file, STRATA_DURABILITY_LOGGED);
    for (int i = 0; i < 3; i++) add_to_counter(store);
    _exit(0);
}

void test_distrust_of_nothing_without_descriptors(void) {
    trial it = make_trial();
    strata_store_close(must_open(it.at.file));
    int process = ctest_child_start(idle, &it);
    wait_for_step(&it, 1);
    CHECK_EQ(ctest_child(leave_unflushed, &it), 0);
    CHECK_EQ(ctest_child(open_without_descriptors, &it), 0);
    atomic_store(&it.told->step, 2);
    CHECK_EQ(ctest_child_wait(process), 0);
}

/* Whether the header of the log is without its copy. */
static bool is_alone(const strata_store *store) {
    st_log_header header;
    return store->log.file >= 0 && st_log_header_read(store->log.file, &header) == 0 && header.alone;
}

/* Either the header of the log that was before still counts, or the new one does, to which nothing is added before it
 * has its copy: an older one would count if it was damaged. */
void test_distrust_of_nothing_without_room(void) {
    static const int codes[] = { ENOSPC, EDQUOT, EFBIG };
    log_paths at = log_paths_make();
    strata_error error;
    int refused = 0, alone = 0;
    for (unsigned n = 1; n <= 40; n++) {
        strata_store *store = open_with(at.file, STRATA_DURABILITY_LOGGED);
        fault_set(FAULT_PWRITE, n, 1, codes[n % 3]);
        for (int i = 0; i < 4; i++) {
            strata_status status = try_write(store, "a", text("1"), &error);
            if (status == STRATA_COMMIT_UNKNOWN) break; /* the meta page could not be written */
            if (status == STRATA_OK) continue;
            CHECK_EQ(status, STRATA_DISK_FULL);
            refused++;
            alone += is_alone(store);
            CHECK_EQ(try_write(store, "a", text("1"), &error), STRATA_OK);
            CHECK(!is_alone(store));
        }
        (void)fault_clear();
        strata_store_close(store);
    }
    CHECK(alone > 0 && refused > alone);
}
