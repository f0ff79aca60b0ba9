/* SPDX-License-Identifier: MIT
 *
 * test_power_relay.c -- processes that write to the same store end at any moment, others go on where they stopped, and
 * then the power fails: what any of them had acknowledged is there, whole.
 *
 * One process has the store open all the time, so that nobody who opens it may count as the first. Writers come one
 * after the other; each adds to a counter, with some entries that must all say the same, and ends in the middle of some
 * call of the system. Commits that are deferred may be lost until the log is flushed, by a call, by the store's thread, or
 * by the next writer. All that they wrote is one record, and states of the disk are made up from it as in test_power.c.
 *
 * CTEST_RELAY is how many chains of writers there are.
 */
#define _GNU_SOURCE 1
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/deferral.h"
#include "store/snapshot.h"
#include "store/state.h"
#include "store/tree.h"
#include "store/writer.h"
#include "support/disk_state.h"
#include "support/faults.h"
#include "support/store_support.h"

enum { CHAINS = 16, WRITERS = 3, COMMITS = 12, MOST_COMMITS = 60, STATES = 150, ENTRIES = 40 };

typedef struct relay {
    site at, cut;
    char saved[500], path[500];
    uint64_t seed;
    int writer;
} relay;

static record current_record;
static const relay *current_relay;

static void save(void) { record_save(&current_record, current_relay->saved); }

static strata_store *open_as(const char *path, strata_durability durability, uint32_t flags) {
    strata_config config = { .size = sizeof config, .path = path, .durability = durability, .flags = flags,
                             .map_size = 1 << 28 };
    return must_open_with(&config);
}

/* Raises the counter, and gives the same value to entries of the size of `size`. Returns it. */
static uint64_t raise_all(strata_store *store, size_t size) {
    static uint8_t value[30000];
    st_txn *txn;
    strata_bytes old;
    strata_error error;
    uint64_t counter = 1;
    if (st_writer_begin(store, &txn, &error) != STRATA_OK) ctest_fail(__FILE__, __LINE__, error.message);
    if (st_tree_get(txn, ST_ROWS, text("e00"), &old, NULL) == STRATA_OK) counter = 1 + strata_load64(old.data);
    memset(value, (int)counter, sizeof value);
    memcpy(value, &counter, sizeof counter);
    for (int i = 0; i < ENTRIES; i++) {
        char key[8];
        snprintf(key, sizeof key, "e%02d", i);
        CHECK_EQ(st_tree_put(txn, ST_ROWS, text(key), bytes(value, size), NULL), STRATA_OK);
    }
    if (st_writer_commit(txn, &error) != STRATA_OK) ctest_fail(__FILE__, __LINE__, error.message);
    return counter;
}

/* Notes how far the counter has come, and up to where it must not get lost. */
static void note(uint64_t counter, uint64_t kept) { record_note((off_t)(counter << 32 | kept)); }

static void write_all(strata_store *store, strata_durability durability, uint64_t *random) {
    static const size_t sizes[] = { 20, 60, 700, 3000, 30000 };
    bool defers = durability == STRATA_DURABILITY_DEFERRED;
    int commits = defers ? MOST_COMMITS : COMMITS;
    strata_error error;
    uint64_t counter = 0, kept = 0;
    for (int i = 0; i < commits; i++) {
        size_t size = sizes[ctest_random(random) % (ctest_random(random) % 6 == 0 ? 5 : 3)];
        counter = raise_all(store, size);
        if (kept == 0) kept = counter - 1; /* whoever wrote before flushed it, or this one did */
        if (!defers) kept = counter;
        note(counter, kept);
        if (defers && ctest_random(random) % 16 == 0) {
            CHECK_EQ(strata_store_flush(store, &error), STRATA_OK);
            note(counter, kept = counter);
        }
    }
    if (ctest_random(random) % 4 != 0) return;
    strata_store_close(store);
    note(counter, counter);
}

static void write_and_end(void *argument) {
    static const fault_call calls[] = { FAULT_PWRITE, FAULT_FDATASYNC, FAULT_WRITEV, FAULT_PWRITE };
    relay *it = argument;
    uint64_t random = it->seed + (uint64_t)it->writer * 7919;
    current_relay = it;
    if (it->writer == 0) record_start(&current_record, it->at.directory);
    else record_continue(&current_record, it->saved, it->at.directory);
    fault_dies = save;
    static const strata_durability kinds[] = { STRATA_DURABILITY_LOGGED, STRATA_DURABILITY_DEFERRED,
                                               STRATA_DURABILITY_DEFERRED, STRATA_DURABILITY_FULL };
    strata_durability durability = kinds[ctest_random(&random) % (it->writer == 0 ? 3 : 4)];
    st_deferral_window = (st_time)(ctest_random(&random) % 8) * ST_MILLISECOND;
    strata_store *store = open_as(it->path, durability, 0);
    fault_set_everywhere(calls[ctest_random(&random) % 4], 1 + (unsigned)(ctest_random(&random) % (durability == STRATA_DURABILITY_DEFERRED ? 300 : 40)), 1,
                         FAULT_DIE);
    write_all(store, durability, &random);
    record_stop();
    save();
    _exit(0);
}

static void hold_open(void *argument) {
    const relay *it = argument;
    CHECK_EQ(prctl(PR_SET_PDEATHSIG, SIGKILL), 0); /* also if the test fails */
    strata_store *store = open_as(it->path, STRATA_DURABILITY_FULL, 0);
    char byte = 1;
    CHECK_EQ(write(it->writer, &byte, 1), 1);
    (void)store;
    for (;;) pause();
}

/* The counter, and whether all entries agree; 0 if there is none. */
static uint64_t look(const char *path) {
    strata_store *store = open_as(path, STRATA_DURABILITY_FULL, STRATA_OPEN_CHECK_PAGES);
    st_txn *txn;
    strata_bytes value;
    uint64_t counter = 0;
    CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
    for (int i = 0; i < ENTRIES; i++) {
        char key[8];
        snprintf(key, sizeof key, "e%02d", i);
        if (st_tree_get(txn, ST_ROWS, text(key), &value, NULL) != STRATA_OK) {
            CHECK(i == 0);
            break;
        }
        if (i == 0) counter = strata_load64(value.data);
        CHECK_EQ(strata_load64(value.data), counter);
        for (size_t at = 8; at < value.size; at++) CHECK_EQ(((const uint8_t *)value.data)[at], (uint8_t)counter);
    }
    st_snapshot_end(txn);
    strata_store_close(store);
    return counter;
}

static void check_states(void *argument) {
    static const survival kinds[] = { NONE, ALL, SOME_WRITES, SOME_SECTORS };
    const relay *it = argument;
    char path[500];
    record log;
    disk *d = calloc(1, sizeof *d);
    CHECK(d != NULL);
    record_continue(&log, it->saved, it->at.directory);
    record_stop();
    for (uint64_t state = 0; state < ctest_rounds(STATES); state++) {
        uint64_t random = it->seed * 1000003 + state;
        size_t cut = ctest_random(&random) % (log.event_count + 1);
        survival how = kinds[ctest_random(&random) % 4], names = kinds[ctest_random(&random) % 3];
        uint64_t notes = (uint64_t)disk_make_up(&log, cut, how, names, &random, d), found;
        uint64_t told = notes >> 32, kept = notes & UINT32_MAX;
        disk_write_out(d, &log, &it->cut, &random);
        found = look(site_path(&it->cut, "store", path));
        /* A writer may have ended with a commit that nobody was told of, and the next one have added one more. */
        if (found < kept || found > told + WRITERS) {
            char what[200];
            snprintf(what, sizeof what, "seed %llu, state %llu, event %zu of %zu: %llu was acknowledged, %llu must not be "
                     "lost, %llu is there", (unsigned long long)it->seed, (unsigned long long)state, cut,
                     log.event_count, (unsigned long long)told, (unsigned long long)kept, (unsigned long long)found);
            ctest_fail(__FILE__, __LINE__, what);
        }
    }
    disk_free(d);
    free(d);
    record_free(&log);
}

static void run_chain(relay *it) {
    int ready[2];
    char byte;
    CHECK_EQ(pipe(ready), 0);
    it->writer = ready[1];
    int holder = ctest_child_start(hold_open, it);
    CHECK_EQ(read(ready[0], &byte, 1), 1);
    for (it->writer = 0; it->writer < WRITERS; it->writer++) CHECK_EQ(ctest_child(write_and_end, it), 0);
    kill(holder, SIGKILL);
    CHECK_EQ(ctest_child_wait(holder), 1000 + SIGKILL);
    close(ready[0]);
    close(ready[1]);
    CHECK_EQ(ctest_child(check_states, it), 0);
}

static void make_folder(site *at, const char *kind, uint64_t number) {
    char name[40];
    snprintf(name, sizeof name, "%s-%d", kind, (int)number);
    snprintf(at->directory, sizeof at->directory, "%s", ctest_path(name));
    CHECK_EQ(mkdir(at->directory, 0700), 0);
}

static void prepare(void *path) { strata_store_close(open_as(path, STRATA_DURABILITY_FULL, 0)); }

void test_power_fails_after_processes_have_ended(void) {
    const char *given = getenv("CTEST_RELAY");
    uint64_t chains = given != NULL ? strtoull(given, NULL, 0) : CHAINS;
    ctest_directory_in_memory();
    uint64_t seed = ctest_seed();
    for (uint64_t i = 0; i < chains; i++) {
        relay it = { .seed = seed + i };
        make_folder(&it.at, "relay", i);
        make_folder(&it.cut, "cut", i);
        snprintf(it.saved, sizeof it.saved, "%s.record", it.at.directory);
        site_path(&it.at, "store", it.path);
        CHECK_EQ(ctest_child(prepare, it.path), 0);
        run_chain(&it);
    }
}
