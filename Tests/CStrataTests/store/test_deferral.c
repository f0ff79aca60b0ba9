/* SPDX-License-Identifier: MIT
 * test_deferral.c -- commits whose records wait in memory: what is flushed and when, what is kept meanwhile, and what a
 * file shows when the last records are missing. test_power.c and test_power_relay.c show that it holds. */
#define _GNU_SOURCE 1
#include "store/deferral.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/crc32c.h"
#include "store/snapshot.h"
#include "store/tree.h"
#include "store/turn.h"
#include "store/writer.h"
#include "support/faults.h"
#include "support/record.h"
#include "support/store_support.h"

static const st_time for_ever = 3600 * (st_time)1000 * ST_MILLISECOND;

static strata_store *open_deferred(const char *path) {
    strata_config config = { .size = sizeof config, .path = path, .durability = STRATA_DURABILITY_DEFERRED };
    return must_open_with(&config);
}

static uint64_t count_of(const char *path) {
    strata_config config = { .size = sizeof config, .path = path, .flags = STRATA_OPEN_CHECK_PAGES };
    strata_store *store = must_open_with(&config);
    uint64_t count = read_counter(store);
    strata_store_close(store);
    return count;
}

/* How far the log is known to be on the disk. */
static void read_log(strata_store *store, st_page_log *out) {
    const st_deadline deadline = st_deadline_in(10000);
    CHECK_EQ(st_turn_take(store, &deadline, NULL), STRATA_OK);
    *out = store->log;
    st_turn_end(store);
}

static int flushes_while(strata_store *store, void (*body)(strata_store *store)) {
    int flushes = 0;
    record log;
    record_start(&log, ctest_directory());
    body(store);
    record_stop();
    for (size_t i = 0; i < log.event_count; i++)
        flushes += log.events[i].kind == RECORD_SYNC || log.events[i].kind == RECORD_WRITE_DURABLE;
    record_free(&log);
    return flushes;
}

/* ---- What is flushed -------------------------------------------------- */

static void commit_many(strata_store *store) {
    for (int i = 0; i < 50; i++) add_to_counter(store);
}

static void flush_store(strata_store *store) {
    strata_error error;
    CHECK_EQ(strata_store_flush(store, &error), STRATA_OK);
}

static void count_flushes(void *argument) {
    const log_paths *at = argument;
    st_page_log log;
    st_deferral_window = for_ever;
    strata_store *store = open_deferred(at->file);
    add_to_counter(store); /* is the last one without the log */
    add_to_counter(store); /* flushes the data file, and marks it */
    CHECK_EQ(flushes_while(store, commit_many), 0);
    read_log(store, &log);
    CHECK(log.last == log.flushed + 51 && log.pin.commit == log.flushed);
    CHECK_EQ(flushes_while(store, flush_store), 2); /* the data file, and the log */
    CHECK_EQ(flushes_while(store, strata_store_close), 4);
}

void test_deferral_waits_for_nothing(void) {
    log_paths at = log_paths_make();
    CHECK_EQ(ctest_child(count_flushes, &at), 0);
    CHECK_EQ(count_of(at.file), 52);
    CHECK_EQ(unlink(at.log), 0); /* all have closed, so it is not needed */
    CHECK_EQ(count_of(at.file), 52);
}

/* The thread flushes the log by itself, lets go of the pin, and goes on to do so. */
void test_deferral_flushes_by_itself(void) {
    const struct timespec pause = { 0, ST_MILLISECOND };
    log_paths at = log_paths_make();
    st_page_log log;
    st_time window = st_deferral_window;
    st_deferral_window = ST_MILLISECOND;
    strata_store *store = open_deferred(at.file);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 3; i++) add_to_counter(store);
        for (read_log(store, &log); log.flushed != log.last || log.pin.commit != 0; read_log(store, &log))
            nanosleep(&pause, NULL);
    }
    strata_store_close(store);
    st_deferral_window = window;
    CHECK_EQ(count_of(at.file), 15);
}

static void fail_to_flush(void *argument) {
    const struct timespec pause = { 0, ST_MILLISECOND };
    const log_paths *at = argument;
    strata_error error;
    st_deferral_window = 200 * (st_time)ST_MILLISECOND;
    strata_store *store = open_deferred(at->file);
    for (int i = 0; i < 3; i++) add_to_counter(store);
    const st_deadline deadline = st_deadline_in(10000);
    CHECK_EQ(st_turn_take(store, &deadline, NULL), STRATA_OK); /* the thread flushes nothing meanwhile */
    fault_set_everywhere(FAULT_FDATASYNC, 1, UINT_MAX, EIO);
    st_turn_end(store);
    while (!atomic_load(&store->poisoned)) nanosleep(&pause, NULL);
    CHECK_EQ(try_write(store, "a", text("1"), &error), STRATA_POISONED);
    CHECK(strstr(error.message, "in a way that leaves open what is on the disk") != NULL);
    _exit(0);
}

/* What was acknowledged may be lost then, so nobody goes on as if nothing had happened. */
void test_deferral_poisons_what_cannot_be_flushed(void) {
    log_paths at = log_paths_make();
    CHECK_EQ(ctest_child(fail_to_flush, &at), 0);
    CHECK_EQ(count_of(at.file), 3);
}

static void write_without_thread(void *argument) {
    const log_paths *at = argument;
    strata_store *store = open_deferred(at->file);
    fault_set_everywhere(FAULT_THREAD, 1, UINT_MAX, EAGAIN);
    st_page_log log;
    for (int i = 0; i < 2; i++) add_to_counter(store);
    CHECK_EQ(flushes_while(store, commit_many), 50);
    read_log(store, &log);
    CHECK_EQ(log.pin.commit, 0);
    _exit(0);
}

/* Nobody would flush then, so each commit does. */
void test_deferral_without_a_thread_is_none(void) {
    log_paths at = log_paths_make();
    if (!fault_allocations_work()) return; /* under a sanitizer, to which threads belong as well */
    CHECK_EQ(ctest_child(write_without_thread, &at), 0);
    CHECK_EQ(count_of(at.file), 52);
}

/* ---- What is kept ------------------------------------------------------- */

/* Pages that the pin keeps are used again once the log was flushed: at the latest when so many of them wait. */
void test_deferral_does_not_make_a_file_grow_for_ever(void) {
    static char value[3000];
    enum { HALF = 1000, MOST_KEPT = 4096 * ST_LOG_MOST_LEFT };
    log_paths at = log_paths_make();
    struct stat half, whole;
    strata_store_stats stats = { .size = sizeof stats };
    strata_error error;
    st_time window = st_deferral_window;
    uint64_t soon = st_deferral_soon;
    st_deferral_window = for_ever;
    st_deferral_soon = UINT64_MAX;
    memset(value, 'v', sizeof value - 1);
    strata_store *store = open_deferred(at.file);
    for (int i = 0; i < 2 * HALF; i++) {
        char key[20];
        snprintf(key, sizeof key, "key %d", i % 70);
        must_write(store, key, value);
        if (i == HALF) CHECK_EQ(stat(at.file, &half), 0);
    }
    CHECK_EQ(stat(at.file, &whole), 0);
    CHECK(whole.st_size <= half.st_size + MOST_KEPT / 2);
    CHECK(whole.st_size < 2 * MOST_KEPT);
    CHECK_EQ(stat(at.log, &whole), 0);
    CHECK(whole.st_size <= ST_LOG_MOST_SIZE);
    CHECK_EQ(strata_store_get_stats(store, &stats, &error), STRATA_OK);
    CHECK_EQ(stats.snapshots, 0); /* the pin is none of the program's */
    must_hold(store, "key 69", value);
    strata_store_close(store);
    st_deferral_window = window;
    st_deferral_soon = soon;
}

/* A thread may need as long as that to do what it has to. */
static bool comes_true(bool (*is_true)(strata_store *store), strata_store *store) {
    const struct timespec pause = { 0, ST_MILLISECOND };
    for (int i = 0; i < 10000 && !is_true(store); i++) nanosleep(&pause, NULL);
    return is_true(store);
}

static bool has_no_pin(strata_store *store) {
    st_page_log log;
    read_log(store, &log);
    return log.pin.commit == 0;
}

static bool has_little_left(strata_store *store) {
    st_page_log log;
    read_log(store, &log);
    return log.waiting < st_deferral_soon;
}

/* Before so much waits that a write has to flush it, the thread does, although its time has not come. */
void test_deferral_flushes_much_soon(void) {
    log_paths at = log_paths_make();
    st_time window = st_deferral_window;
    uint64_t soon = st_deferral_soon;
    st_deferral_window = for_ever;
    st_deferral_soon = 20;
    strata_store *store = open_deferred(at.file);
    for (int i = 0; i < 3; i++) add_to_counter(store);
    CHECK(store->log.waiting > 0 && has_little_left(store) && store->log.flushed < store->log.last);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 20; i++) add_to_counter(store);
        CHECK(comes_true(has_little_left, store));
    }
    strata_store_close(store);
    CHECK_EQ(count_of(at.file), 63);
    st_deferral_window = window;
    st_deferral_soon = soon;
}

/* A write that leaves no record lets go of the pin all the same: what others free meanwhile could not be used again. */
void test_deferral_keeps_nothing_for_writes_without_a_record(void) {
    enum { RECORDS = 12 };
    static char large[(ST_LOG_MOST_PAGES + 1) * 4096]; /* too much for the log */
    log_paths at = log_paths_make();
    st_page_log log;
    st_txn *txn;
    st_time window = st_deferral_window;
    st_deferral_window = ST_MILLISECOND;
    strata_store *store = open_deferred(at.file);
    for (int i = 0; i < RECORDS; i++) add_to_counter(store);
    CHECK(comes_true(has_no_pin, store));
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    CHECK(store->log.pin.commit != 0);
    st_writer_abort(txn);
    CHECK(comes_true(has_no_pin, store));
    const uint64_t number = store->log.header.number;
    memset(large, 'l', sizeof large - 1);
    must_write(store, "large", large);
    read_log(store, &log);
    CHECK_EQ(log.header.number, number + 1);
    CHECK(comes_true(has_no_pin, store));
    strata_store_close(store);
    st_deferral_window = window;
}

static bool is_poisoned(strata_store *store) { return atomic_load(&store->poisoned); }

/* A call fails from now on; a record is left, and a write begins that does not end. */
static void begin_beside_faults(strata_store *store, fault_call call, int code) {
    const st_deadline deadline = st_deadline_in(10000);
    st_txn *txn;
    CHECK_EQ(st_turn_take(store, &deadline, NULL), STRATA_OK);
    fault_set_everywhere(call, 1, UINT_MAX, code);
    st_turn_end(store);
    add_to_counter(store);
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
}

static void flush_beside_a_write(void *argument) {
    const log_paths *at = argument;
    strata_store *store = open_deferred(at->file);
    for (int i = 0; i < 2; i++) add_to_counter(store);
    st_deferral_window = ST_MILLISECOND;
    begin_beside_faults(store, FAULT_FDATASYNC, EIO);
    CHECK(comes_true(is_poisoned, store));
    _exit(0);
}

/* What waits is flushed also while a write lasts for long. */
void test_deferral_flushes_beside_a_write(void) {
    log_paths at = log_paths_make();
    CHECK_EQ(ctest_child(flush_beside_a_write, &at), 0);
}

static void write_without_descriptors(void *argument) {
    const log_paths *at = argument;
    const struct timespec pause = { 0, 300 * 1000 * 1000 };
    st_deferral_window = ST_MILLISECOND;
    strata_store *store = open_deferred(at->file);
    for (int i = 0; i < 2; i++) add_to_counter(store);
    begin_beside_faults(store, FAULT_OPEN, EMFILE);
    nanosleep(&pause, NULL);
    CHECK(fault_clear()); /* the thread has tried */
    CHECK(!is_poisoned(store));
    fault_set_everywhere(FAULT_FDATASYNC, 1, UINT_MAX, EIO);
    CHECK(comes_true(is_poisoned, store));
    _exit(0);
}

/* A process that has no descriptor left for a while loses nothing by it; what waits is flushed when it can be. */
void test_deferral_waits_for_descriptors(void) {
    log_paths at = log_paths_make();
    CHECK_EQ(ctest_child(write_without_descriptors, &at), 0);
}

static bool is_flushed(strata_store *store) {
    st_page_log log;
    read_log(store, &log);
    return log.flushed == log.last;
}

static void flush_without_a_copy(void *argument) {
    const log_paths *at = argument;
    const struct rlimit none = { 3, 3 };
    st_deferral_window = for_ever;
    strata_store *store = open_deferred(at->file);
    add_to_counter(store);
    add_to_counter(store);
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    st_deferral_window = ST_MILLISECOND;
    add_to_counter(store);
    CHECK(comes_true(is_flushed, store));
    _exit(0);
}

/* The thread flushes a copy of the descriptor beside writers; without one it flushes the log in the turn. */
void test_deferral_flushes_without_another_descriptor(void) {
    log_paths at = log_paths_make();
    CHECK_EQ(ctest_child(flush_without_a_copy, &at), 0);
    CHECK_EQ(count_of(at.file), 3);
}

/* The log is made when there are descriptors, not given up for good. */
void test_deferral_begins_when_there_are_descriptors(void) {
    log_paths at = log_paths_make();
    st_page_log log;
    strata_store *store = open_deferred(at.file);
    fault_set(FAULT_OPEN, 1, UINT_MAX, EMFILE);
    add_to_counter(store);
    fault_clear();
    CHECK(access(at.log, F_OK) != 0);
    for (int i = 0; i < 3; i++) add_to_counter(store);
    read_log(store, &log);
    CHECK(log.in_use && log.header.deferred);
    strata_store_close(store);
    CHECK_EQ(count_of(at.file), 4);
}

/* The snapshot that the store needs for itself is none of those that were asked for. */
void test_deferral_leaves_all_snapshots_to_others(void) {
    log_paths at = log_paths_make();
    const st_time window = st_deferral_window;
    st_page_log log;
    st_txn *snapshot;
    strata_config config = { .size = sizeof config, .path = at.file, .durability = STRATA_DURABILITY_DEFERRED,
                             .max_readers = 1 };
    st_deferral_window = for_ever;
    strata_store *store = must_open_with(&config);
    for (int i = 0; i < 4; i++) add_to_counter(store);
    read_log(store, &log);
    CHECK(log.pin.commit != 0);
    strata_error error;
    CHECK_EQ(st_snapshot_begin(store, &snapshot, &error), STRATA_OK);
    st_snapshot_end(snapshot);
    strata_store_close(store);
    st_deferral_window = window;
}

static strata_store *flushed_store;

static void end_in_flush(void) { _exit(st_gate_is_inside(&flushed_store->gate) ? 99 : 0); }

static void end_when_flushed(void *argument) {
    const log_paths *at = argument;
    const st_deadline deadline = st_deadline_in(10000);
    st_deferral_window = 200 * (st_time)ST_MILLISECOND;
    flushed_store = open_deferred(at->file);
    for (int i = 0; i < 3; i++) add_to_counter(flushed_store);
    CHECK_EQ(st_turn_take(flushed_store, &deadline, NULL), STRATA_OK);
    CHECK(flushed_store->log.flushed != flushed_store->log.last);
    fault_dies = end_in_flush;
    fault_set_everywhere(FAULT_FDATASYNC, 1, 1, FAULT_DIE);
    st_deferral_window = ST_MILLISECOND;
    st_turn_end(flushed_store);
    for (;;) pause();
}

/* Who does not want to wait can write while the thread flushes. */
void test_deferral_flushes_without_the_turn(void) {
    log_paths at = log_paths_make();
    CHECK_EQ(ctest_child(end_when_flushed, &at), 0);
    CHECK_EQ(count_of(at.file), 3);
}

static pthread_t writer;
static sem_t flush_began, flush_may_end;

/* The first flush of the thread waits; none of it is inside the turn. */
static void hold_thread(void) {
    static bool held;
    if (pthread_equal(pthread_self(), writer)) return;
    if (st_gate_is_inside(&flushed_store->gate)) _exit(99);
    if (held) return;
    held = true;
    sem_post(&flush_began);
    while (sem_wait(&flush_may_end) != 0) continue;
}

static bool has_flushed_some(strata_store *store) {
    st_page_log log;
    read_log(store, &log);
    return log.flushed == log.last - 3 && log.next.commit == 0;
}

static void add_three(strata_store *store) {
    for (int i = 0; i < 3; i++) add_to_counter(store);
}

static void write_beside_a_flush(void *argument) {
    const log_paths *at = argument;
    st_page_log log;
    writer = pthread_self();
    sem_init(&flush_began, 0, 0);
    sem_init(&flush_may_end, 0, 0);
    st_deferral_window = for_ever;
    strata_store *store = flushed_store = open_deferred(at->file);
    add_three(store);
    fault_flushes = hold_thread;
    st_deferral_soon = 1;
    add_to_counter(store);
    while (sem_wait(&flush_began) != 0) continue;
    st_deferral_soon = UINT64_MAX;
    CHECK_EQ(flushes_while(store, add_three), 0);
    read_log(store, &log);
    CHECK(log.pin.commit == log.flushed && log.flushed < log.last - 3 && log.next.commit == log.last - 3);
    sem_post(&flush_may_end);
    CHECK(comes_true(has_flushed_some, store));
    read_log(store, &log);
    CHECK(log.pin.commit == log.flushed && log.waiting > 0);
    CHECK_EQ(flushes_while(store, add_three), 0);
    fault_flushes = NULL;
    strata_store_close(store);
    _exit(0);
}

/* What is written while the thread flushes waits for the next time: nobody waits for a second flush. */
void test_deferral_goes_on_beside_a_flush(void) {
    log_paths at = log_paths_make();
    CHECK_EQ(ctest_child(write_beside_a_flush, &at), 0);
    CHECK_EQ(count_of(at.file), 10);
}

/* ---- Without room --------------------------------------------------------- */

enum { MOST_KEYS = 2000 };

static strata_status put_number(strata_store *store, int number, bool present) {
    static char value[3000];
    char key[20];
    st_txn *txn;
    strata_status status = st_writer_begin(store, &txn, NULL);
    if (status != STRATA_OK) return status;
    snprintf(key, sizeof key, "key %d", number);
    memset(value, 'a' + number % 20, sizeof value);
    status = present ? st_tree_put(txn, ST_ROWS, text(key), bytes(value, sizeof value), NULL)
                     : st_tree_delete(txn, ST_ROWS, text(key), NULL);
    if (status == STRATA_OK) return st_writer_commit(txn, NULL);
    st_writer_abort(txn);
    return status;
}

static strata_store *open_small(const char *path, strata_durability durability) {
    strata_config config = { .size = sizeof config, .path = path, .durability = durability, .map_size = 4 << 20 };
    return must_open_with(&config);
}

/* Puts every second value until there is no room; returns how many. */
static int fill(strata_store *store, int from) {
    int count = 0;
    while (count < MOST_KEYS && put_number(store, from + 2 * count, true) == STRATA_OK) count++;
    CHECK(count < MOST_KEYS);
    return count;
}

/* A file that is full has room again as soon as something was deleted. */
void test_deferral_has_room_when_something_was_deleted(void) {
    log_paths at = log_paths_make();
    st_time window = st_deferral_window;
    st_deferral_window = for_ever;
    strata_store *store = open_small(at.file, STRATA_DURABILITY_DEFERRED);
    int count = fill(store, 0), failed = 0;
    for (int i = 0; i < count; i++) failed += put_number(store, 2 * i, true) != STRATA_OK;
    CHECK_EQ(failed, 0);
    for (int i = 0; i < count; i += 2) CHECK_EQ(put_number(store, 2 * i, false), STRATA_OK);
    CHECK(fill(store, 1) > count / 4);
    strata_store_close(store);
    st_deferral_window = window;
}

static void overwrite_beside_a_flush(void *argument) {
    const log_paths *at = argument;
    writer = pthread_self();
    sem_init(&flush_began, 0, 0);
    sem_init(&flush_may_end, 0, 0);
    st_deferral_window = for_ever;
    strata_store *store = flushed_store = open_small(at->file, STRATA_DURABILITY_DEFERRED);
    int count = fill(store, 0), failed = 0;
    for (int i = 0; i < count; i += 6) CHECK_EQ(put_number(store, 2 * i, false), STRATA_OK);
    fault_flushes = hold_thread;
    st_deferral_soon = 1;
    for (int i = 0; i < 2; i++) CHECK_EQ(put_number(store, 2, true), STRATA_OK);
    while (sem_wait(&flush_began) != 0) continue;
    for (int i = 1; i < count; i++)
        if (i % 6 != 0) failed += put_number(store, 2 * i, true) != STRATA_OK;
    fault_flushes = NULL;
    sem_post(&flush_may_end);
    CHECK_EQ(failed, 0);
    strata_store_close(store);
    _exit(0);
}

/* Where there is hardly room, a flush that takes long keeps nothing, either. */
void test_deferral_has_room_beside_a_flush(void) {
    log_paths at = log_paths_make();
    CHECK_EQ(ctest_child(overwrite_beside_a_flush, &at), 0);
}

static void put_all(strata_store *store, bool present) {
    enum { VALUES = 200 };
    static char value[3000];
    st_txn *txn;
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    for (int i = 0; i < VALUES; i++) {
        char key[20];
        snprintf(key, sizeof key, "key %d", i);
        CHECK_EQ(present ? st_tree_put(txn, ST_ROWS, text(key), bytes(value, sizeof value), NULL)
                         : st_tree_delete(txn, ST_ROWS, text(key), NULL), STRATA_OK);
    }
    CHECK_EQ(st_writer_commit(txn, NULL), STRATA_OK);
}

static off_t size_after_changes(const char *path, strata_durability durability) {
    struct stat info;
    strata_config config = { .size = sizeof config, .path = path, .durability = durability };
    strata_store *store = must_open_with(&config);
    for (int i = 0; i < 5; i++) {
        put_all(store, true);
        put_all(store, false);
    }
    strata_store_close(store);
    CHECK_EQ(stat(path, &info), 0);
    return info.st_size;
}

/* What a large commit freed is there for the next one. */
void test_deferral_uses_again_what_a_large_commit_freed(void) {
    log_paths at = log_paths_make();
    st_time window = st_deferral_window;
    st_deferral_window = for_ever;
    off_t full = size_after_changes(at.other, STRATA_DURABILITY_FULL);
    off_t deferred = size_after_changes(at.file, STRATA_DURABILITY_DEFERRED);
    CHECK(deferred < full + full / 4);
    st_deferral_window = window;
}

/* ---- Closing -------------------------------------------------------------- */

typedef struct rival {
    log_paths at;
    int ready, go;
} rival;

static void keep_the_turn(void *argument) {
    const rival *it = argument;
    const st_deadline deadline = st_deadline_in(10000);
    char byte = 0;
    CHECK_EQ(prctl(PR_SET_PDEATHSIG, SIGKILL), 0); /* also if the test fails */
    strata_store *store = must_open(it->at.file);
    CHECK_EQ(write(it->ready, &byte, 1), 1);
    CHECK_EQ(read(it->go, &byte, 1), 1);
    CHECK_EQ(st_turn_take(store, &deadline, NULL), STRATA_OK);
    CHECK_EQ(write(it->ready, &byte, 1), 1);
    for (;;) pause();
}

static int flushes_of_log_in_close(strata_store *store, const char *path) {
    struct stat info;
    int flushes = 0;
    record log;
    CHECK_EQ(stat(path, &info), 0);
    record_start(&log, ctest_directory());
    strata_store_close(store);
    record_stop();
    for (size_t i = 0; i < log.event_count; i++)
        flushes += log.events[i].kind == RECORD_SYNC && log.files[log.events[i].file].inode == info.st_ino;
    record_free(&log);
    return flushes;
}

static void close_beside_another(void *argument) {
    int ready[2], go[2];
    char byte = 0;
    rival it = { .at = *(const log_paths *)argument };
    st_deferral_window = for_ever;
    CHECK(pipe(ready) == 0 && pipe(go) == 0);
    it.ready = ready[1];
    it.go = go[0];
    int other = ctest_child_start(keep_the_turn, &it);
    CHECK_EQ(read(ready[0], &byte, 1), 1);
    strata_store *store = open_deferred(it.at.file);
    for (int i = 0; i < 3; i++) add_to_counter(store);
    CHECK_EQ(write(go[1], &byte, 1), 1);
    CHECK_EQ(read(ready[0], &byte, 1), 1);
    CHECK(flushes_of_log_in_close(store, it.at.log) > 0);
    kill(other, SIGKILL);
    CHECK_EQ(ctest_child_wait(other), 1000 + SIGKILL);
    _exit(0);
}

/* Who closes the file while another process has the turn does not wait for it, but flushes what waited. */
void test_deferral_flushes_what_is_left_when_closed(void) {
    log_paths at = log_paths_make();
    CHECK_EQ(ctest_child(close_beside_another, &at), 0);
    CHECK_EQ(count_of(at.file), 3);
}

/* ---- Opening -------------------------------------------------------------- */

static void write_many_and_end(void *path) {
    st_deferral_window = for_ever;
    commit_many(open_deferred(path));
    _exit(0);
}

static void open_beside_another(void *argument) {
    log_paths at = *(const log_paths *)argument;
    int ready[2], go[2];
    char byte = 0;
    struct stat info;
    record log;
    int flushes = 0;
    CHECK(pipe(ready) == 0 && pipe(go) == 0);
    rival it = { at, ready[1], go[0] };
    int other = ctest_child_start(keep_the_turn, &it); /* the file stays open, so nobody recovers it */
    CHECK_EQ(read(ready[0], &byte, 1), 1);
    CHECK_EQ(ctest_child(write_many_and_end, at.file), 0);
    CHECK_EQ(stat(at.log, &info), 0);
    record_start(&log, ctest_directory());
    strata_store *store = must_open(at.file);
    record_stop();
    for (size_t i = 0; i < log.event_count; i++)
        flushes += log.events[i].kind == RECORD_SYNC && log.files[log.events[i].file].inode == info.st_ino;
    CHECK_EQ(flushes, 1);
    CHECK_EQ(read_counter(store), 50);
    record_free(&log);
    kill(other, SIGKILL);
    CHECK_EQ(ctest_child_wait(other), 1000 + SIGKILL);
    _exit(0);
}

/* What is read after opening does not get lost: the log, too, is flushed that somebody has left who ended. */
void test_deferral_opening_flushes_what_others_left(void) {
    log_paths at = log_paths_make();
    CHECK_EQ(ctest_child(open_beside_another, &at), 0);
}

/* ---- After a crash ------------------------------------------------------ */

/* A process ends without closing the file, with `commits` behind the one that is not in the log. The data file is
 * copied to `other` behind the commit number `copied`. */
typedef struct left {
    log_paths at;
    int commits, copied;
} left;

static void write_and_end(void *argument) {
    left *it = argument;
    st_deferral_window = for_ever;
    strata_store *store = open_deferred(it->at.file);
    for (int i = 0; i <= it->commits; i++) {
        add_to_counter(store);
        if (i == it->copied) copy_file(it->at.file, it->at.other);
    }
    _exit(0);
}

static void leave(const log_paths *at, int commits, int copied) {
    left it = { *at, commits, copied };
    CHECK_EQ(ctest_child(write_and_end, &it), 0);
}

void test_deferral_loses_nothing_when_a_process_ends(void) {
    log_paths at = log_paths_make();
    leave(&at, 6, -1);
    CHECK_EQ(count_of(at.file), 7);
}

/* The data file may be any that has the mark of the log, however old. */
void test_deferral_puts_back_what_the_file_lacks(void) {
    log_paths at = log_paths_make();
    leave(&at, 6, 2);
    copy_file(at.other, at.file);
    CHECK_EQ(count_of(at.file), 7);
}

/* As after a power cut that took a record: the file is what the commits before it left, whole. */
void test_deferral_ends_where_a_record_is_missing(void) {
    log_paths at = log_paths_make();
    uint64_t before = 0;
    for (int record = 0; record < 6; record++) {
        struct stat info;
        off_t end = ST_LOG_BEGIN;
        CHECK(unlink(at.file) == 0 || record == 0);
        leave(&at, 6, -1);
        int file = open(at.log, O_RDONLY | O_CLOEXEC);
        for (int i = 0; i < record; i++) {
            uint8_t head[32];
            CHECK_EQ(pread(file, head, sizeof head, end), (ssize_t)sizeof head);
            end += (off_t)strata_load64(head + 24);
        }
        close(file);
        flip_byte(at.log, end + 200);
        uint64_t count = count_of(at.file);
        CHECK_EQ(count, 1 + (uint64_t)record);
        CHECK(record == 0 || count > before);
        before = count;
        CHECK_EQ(stat(at.log, &info), 0);
        CHECK_EQ(unlink(at.log), 0);
    }
}

static void must_refuse(const char *path, uint32_t flags, strata_status expected, const char *words) {
    strata_error error;
    CHECK_EQ(open_status(path, flags, &error), expected);
    CHECK(strstr(error.message, words) != NULL && strstr(error.message, "-log") != NULL);
}

void test_deferral_does_not_write_into_another_file(void) {
    log_paths at = log_paths_make();
    leave(&at, 6, 0); /* before the log was begun, so without its mark */
    must_refuse(at.file, STRATA_OPEN_READ_ONLY, STRATA_READ_ONLY, "open it for writing once");
    copy_file(at.other, at.file);
    must_refuse(at.file, 0, STRATA_REPLACED_FILE, "was replaced");
    CHECK_EQ(unlink(at.other), 0);
    strata_store *store = must_open(at.other);
    add_to_counter(store);
    strata_store_close(store);
    CHECK_EQ(rename(at.other, at.file), 0);
    must_refuse(at.file, 0, STRATA_REPLACED_FILE, "was replaced");
    CHECK_EQ(unlink(at.log), 0);
    CHECK_EQ(count_of(at.file), 1);
}

/* Its records would be divided into pages of no size. */
void test_deferral_refuses_a_log_without_a_page_size(void) {
    log_paths at = log_paths_make();
    st_log_header header;
    leave(&at, 6, -1);
    int file = open(at.log, O_RDWR | O_CLOEXEC);
    CHECK_EQ(st_log_header_read(file, &header), 0);
    static const uint32_t sizes[] = { 0, 1, 4095, UINT32_MAX };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int slot = 0; slot < 2; slot++) {
            header.number++;
            header.page_size = sizes[i];
            CHECK_EQ(st_log_header_write(file, &header, NULL), 0);
        }
        must_refuse(at.file, 0, STRATA_CORRUPT, "is damaged, or of another version of Strata");
    }
    close(file);
}

/* ---- An older log ------------------------------------------------------ */

/* Writes with that durability, and closes the file or ends without that. */
typedef struct going_on {
    log_paths at;
    strata_durability durability;
    int commits;
    bool closes;
} going_on;

static void go_on(void *argument) {
    const going_on *it = argument;
    strata_config config = { .size = sizeof config, .path = it->at.file, .durability = it->durability };
    st_deferral_window = for_ever;
    strata_store *store = must_open_with(&config);
    for (int i = 0; i < it->commits; i++) add_to_counter(store);
    if (it->closes) strata_store_close(store);
    _exit(0);
}

/* A copy of the log that was made while it was in use is put back beside the file, which has gone on. */
static void put_back_after(going_on it) {
    char text[80];
    snprintf(text, sizeof text, "durability %d, %d commits, %s", (int)it.durability, it.commits,
             it.closes ? "closed" : "ended");
    (void)unlink(it.at.file);
    (void)unlink(it.at.log);
    leave(&it.at, 6, -1);
    copy_file(it.at.log, it.at.other);
    if (ctest_child(go_on, &it) != 0) ctest_fail(__FILE__, __LINE__, text);
    CHECK_EQ(rename(it.at.other, it.at.log), 0);
    strata_error error;
    if (open_status(it.at.file, 0, &error) != STRATA_REPLACED_FILE) ctest_fail(__FILE__, __LINE__, text);
}

void test_deferral_does_not_take_an_older_log(void) {
    static const strata_durability all[] = { STRATA_DURABILITY_FULL, STRATA_DURABILITY_RELAXED,
                                             STRATA_DURABILITY_LOGGED, STRATA_DURABILITY_DEFERRED };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int commits = 0; commits < 5; commits++)
            for (int closes = 0; closes < 2; closes++)
                put_back_after((going_on){ log_paths_make(), all[i], commits, closes != 0 });
}

/* ---- Logs that lie ------------------------------------------------------ */

/* Writes the header that counts into both places, changed. */
static void lie_in_header(const char *path, void (*lie)(st_log_header *header)) {
    st_log_header header;
    int file = open(path, O_RDWR | O_CLOEXEC);
    CHECK_EQ(st_log_header_read(file, &header), 0);
    lie(&header);
    for (int slot = 0; slot < 2; slot++) {
        header.number++;
        CHECK_EQ(st_log_header_write(file, &header, NULL), 0);
    }
    close(file);
}

static void double_page_size(st_log_header *header) { header->page_size *= 2; }

void test_deferral_refuses_a_log_with_another_page_size(void) {
    log_paths at = log_paths_make();
    leave(&at, 6, -1);
    lie_in_header(at.log, double_page_size);
    must_refuse(at.file, 0, STRATA_CORRUPT, "is damaged, or of another version of Strata");
}

/* Changes the first record, whose checksum is then right. */
static void lie_in_record(const char *path, void (*lie)(uint8_t *bytes)) {
    enum { CHECKSUM = 16 };
    st_log_header header;
    st_log_record record = { 0 };
    int file = open(path, O_RDWR | O_CLOEXEC);
    CHECK_EQ(st_log_header_read(file, &header), 0);
    CHECK_EQ(st_log_record_read(file, ST_LOG_BEGIN, &header, header.commit + 1, &record), 0);
    lie(record.bytes);
    st_store32(record.bytes + CHECKSUM, 0);
    st_store32(record.bytes + CHECKSUM, st_crc32c(0, record.bytes, record.size));
    CHECK_EQ(st_log_record_write(file, &record, ST_LOG_BEGIN), 0);
    free(record.bytes);
    close(file);
}

static void name_pages_beyond(uint8_t *bytes) { st_store64(bytes + 192, UINT64_C(1) << 40); }
static void name_another_commit(uint8_t *bytes) { st_store64(bytes + 32 + ST_META_TXNID, 2); }
static void name_the_meta_pages(uint8_t *bytes) { st_store64(bytes + 192, 1); }

/* A record that is not of its commit ends the log: nothing of it reaches the file. */
void test_deferral_refuses_records_that_lie(void) {
    static void (*const lies[])(uint8_t *bytes) = { name_pages_beyond, name_another_commit, name_the_meta_pages };
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        log_paths at = log_paths_make();
        struct stat before, after;
        (void)unlink(at.file);
        (void)unlink(at.log);
        leave(&at, 6, -1);
        CHECK_EQ(stat(at.file, &before), 0);
        lie_in_record(at.log, lies[i]);
        CHECK_EQ(count_of(at.file), 1);
        CHECK_EQ(stat(at.file, &after), 0);
        CHECK(after.st_size <= before.st_size + 65536);
    }
}
