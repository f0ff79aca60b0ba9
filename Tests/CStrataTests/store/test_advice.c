/* SPDX-License-Identifier: MIT
 * test_advice.c -- whether the system reads ahead in the map of a store, and how much of it is in the memory of the
 * process, as /proc tells it. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/advice.h"
#include "store/cursor.h"
#include "store/snapshot.h"
#include "store/tree.h"
#include "store/writer.h"
#include "support/faults.h"
#include "support/store_support.h"

enum { ENTRIES = 1600, VALUE = 4000 }; /* one to a page */

static strata_bytes key_of(uint32_t number, uint8_t room[8]) {
    for (int i = 0; i < 8; i++) room[i] = (uint8_t)((uint64_t)number >> (56 - 8 * i));
    return bytes(room, 8);
}

/* A file with so many entries. */
static void fill(const char *path, uint32_t entries) {
    static const uint8_t value[VALUE];
    strata_store *store = must_open(path);
    st_txn *txn;
    uint8_t room[8];
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    for (uint32_t i = 0; i < entries; i++)
        CHECK_EQ(st_tree_put(txn, ST_ROWS, key_of(i + 1, room), bytes(value, sizeof value), NULL), STRATA_OK);
    CHECK_EQ(st_writer_commit(txn, NULL), STRATA_OK);
    strata_store_close(store);
}

/* What the system says of the map of the store under a name. */
static const char *said_of_map(const strata_store *store, const char *name, char line[4096]) {
    unsigned long begin, end;
    bool within = false, found = false;
    FILE *maps = fopen("/proc/self/smaps", "r");
    CHECK(maps != NULL);
    while (!found && fgets(line, 4096, maps) != NULL) {
        if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
            within = begin <= (uintptr_t)store->map && (uintptr_t)store->map < end;
        found = within && strncmp(line, name, strlen(name)) == 0;
    }
    fclose(maps);
    CHECK(found);
    return line + strlen(name);
}

/* Is the map of the store read at random, for all the system knows? */
static bool at_random(const strata_store *store) {
    char line[4096];
    return strstr(said_of_map(store, "VmFlags:", line), " rr") != NULL;
}

/* The bytes of the map that are in the memory of the process. */
static uint64_t resident(const strata_store *store) {
    char line[4096];
    return strtoull(said_of_map(store, "Rss:", line), NULL, 10) * 1024;
}

static void search(st_txn *txn, uint32_t count) {
    uint8_t room[8];
    strata_bytes value;
    for (uint32_t i = 0; i < count; i++)
        CHECK_EQ(st_tree_get(txn, ST_ROWS, key_of(i * 7 % ENTRIES + 1, room), &value, NULL), STRATA_OK);
}

void test_advice_after_searches(void) {
    st_txn *txn;
    fill(ctest_path("a.strata"), ENTRIES);
    strata_store *store = must_open(ctest_path("a.strata"));
    CHECK(at_random(store));
    CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
    search(txn, ENTRIES / 100); /* of 64 pages one is read at random */
    CHECK(at_random(store));
    search(txn, ENTRIES / 50);
    CHECK(!at_random(store));
    st_snapshot_end(txn);
    strata_store_close(store);
}

void test_advice_in_a_scan(void) {
    st_txn *txn;
    st_cursor *cursor;
    strata_bytes key, value;
    fill(ctest_path("a.strata"), ENTRIES);
    strata_store *store = must_open(ctest_path("a.strata"));
    CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
    CHECK_EQ(st_cursor_open(txn, ST_ROWS, &cursor, NULL), STRATA_OK);
    CHECK_EQ(st_cursor_seek(cursor, bytes("", 0), &key, &value, NULL), STRATA_OK);
    CHECK(at_random(store));
    for (int i = 0; i < ENTRIES / 100 / ST_ADVICE_STEP + 2; i++)
        CHECK_EQ(st_cursor_next(cursor, &key, &value, NULL), STRATA_OK);
    CHECK(!at_random(store));
    st_cursor_close(cursor);
    st_snapshot_end(txn);
    strata_store_close(store);
}

void test_advice_of_a_writer(void) {
    st_txn *txn;
    fill(ctest_path("a.strata"), ENTRIES);
    strata_store *store = must_open(ctest_path("a.strata"));
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    CHECK(at_random(store));
    search(txn, ENTRIES / 50);
    CHECK(!at_random(store));
    st_writer_abort(txn);
    strata_store_close(store);
}

void test_advice_of_a_small_file(void) {
    fill(ctest_path("a.strata"), ENTRIES / 8);
    strata_store *store = must_open(ctest_path("a.strata"));
    CHECK(!at_random(store));
    strata_store_close(store);
}

/* ---- A bound ---------------------------------------------------------- */

enum { MANY = 6000 };                        /* entries: six times as much as the bound, on pages of 4 KiB */
enum { BOUND = 4 << 20, SLACK = BOUND / 2 }; /* as much as one touch may bring */

static strata_store *open_bounded(const char *path, uint64_t bound) {
    strata_config config = { .size = sizeof config, .path = path, .max_resident = bound };
    return must_open_with(&config);
}

/* A file much larger than the bound, and open with one; with 0 without. */
static strata_store *make_bounded(uint64_t bound) {
    fill(ctest_path("a.strata"), MANY);
    return open_bounded(ctest_path("a.strata"), bound);
}

/* Reads all entries in their order, in one snapshot. The most that was in memory on the way. */
static uint64_t scan(strata_store *store) {
    st_txn *txn;
    st_cursor *cursor;
    strata_bytes key, value;
    uint64_t most = 0, count = 0;
    CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
    CHECK_EQ(st_cursor_open(txn, ST_ROWS, &cursor, NULL), STRATA_OK);
    strata_status status = st_cursor_seek(cursor, bytes("", 0), &key, &value, NULL);
    for (; status == STRATA_OK; status = st_cursor_next(cursor, &key, &value, NULL)) {
        CHECK_EQ(*((const uint8_t *)value.data + value.size - 1), 0);
        if (count++ % 100 != 0) continue;
        uint64_t now = resident(store);
        if (now > most) most = now;
    }
    CHECK_EQ(status, STRATA_NOT_FOUND);
    CHECK_EQ(count, MANY);
    st_cursor_close(cursor);
    st_snapshot_end(txn);
    return most;
}

void test_advice_without_a_bound(void) {
    strata_store *store = make_bounded(0);
    CHECK(scan(store) > 5 * (uint64_t)BOUND);
    strata_store_close(store);
}

void test_advice_bound_in_a_scan(void) {
    strata_store *store = make_bounded(BOUND);
    for (int i = 0; i < 3; i++) {
        uint64_t most = scan(store);
        CHECK(most > BOUND / 2);
        CHECK(most <= BOUND + SLACK);
    }
    strata_store_close(store);
}

void test_advice_bound_of_searches(void) {
    st_txn *txn;
    uint8_t room[8];
    strata_bytes value;
    strata_store *store = make_bounded(BOUND);
    CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
    for (uint32_t i = 0; i < 2 * MANY; i++) {
        CHECK_EQ(st_tree_get(txn, ST_ROWS, key_of(i * 4001 % MANY + 1, room), &value, NULL), STRATA_OK);
        CHECK_EQ(*(const uint8_t *)value.data, 0);
        if (i % 100 == 0) CHECK(resident(store) <= BOUND + SLACK);
    }
    st_snapshot_end(txn);
    strata_store_close(store);
}

/* What was found stays where it is, whatever is given back meanwhile. */
void test_advice_bound_keeps_pointers(void) {
    st_txn *txn;
    uint8_t room[8];
    static strata_bytes values[MANY];
    strata_bytes last;
    strata_store *store = make_bounded(BOUND);
    must_write(store, "~", "the last one");
    CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
    CHECK_EQ(st_tree_get(txn, ST_ROWS, text("~"), &last, NULL), STRATA_OK);
    must_write(store, "~", "another one");
    for (uint32_t i = 0; i < MANY; i++)
        CHECK_EQ(st_tree_get(txn, ST_ROWS, key_of(i + 1, room), &values[i], NULL), STRATA_OK);
    CHECK(resident(store) <= BOUND + SLACK);
    CHECK(last.size == 12 && memcmp(last.data, "the last one", 12) == 0);
    for (uint32_t i = 0; i < MANY; i++) CHECK_EQ(*(const uint8_t *)values[i].data, 0);
    st_snapshot_end(txn);
    must_hold(store, "~", "another one");
    strata_store_close(store);
}

/* The values of a leaf at once; here they have pages of their own. */
void test_advice_bound_of_values(void) {
    enum { AT_ONCE = 64 };
    st_txn *txn;
    strata_bytes key, value, values[AT_ONCE];
    uint64_t count = 1;
    uint32_t got;
    strata_store *store = make_bounded(BOUND);
    CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
    strata_status status = st_tree_seek(txn, ST_ROWS, bytes("", 0), &key, &value, NULL);
    while (status == STRATA_OK) {
        do {
            status = st_tree_next_values(txn, ST_ROWS, text("~"), values, AT_ONCE, &got, NULL);
            CHECK_EQ(status, STRATA_OK);
            for (uint32_t i = 0; i < got; i++) CHECK_EQ(*(const uint8_t *)values[i].data, 0);
            count += got;
        } while (got == AT_ONCE);
        CHECK(resident(store) <= BOUND + SLACK);
        status = st_tree_next(txn, ST_ROWS, &key, &value, NULL);
        count += status == STRATA_OK;
    }
    CHECK_EQ(status, STRATA_NOT_FOUND);
    CHECK_EQ(count, MANY);
    st_snapshot_end(txn);
    strata_store_close(store);
}

void test_advice_bound_of_a_writer(void) {
    st_txn *txn;
    uint8_t room[8];
    strata_bytes value;
    strata_store *store = make_bounded(BOUND);
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    for (uint32_t i = 0; i < MANY; i++) {
        CHECK_EQ(st_tree_get(txn, ST_ROWS, key_of(i + 1, room), &value, NULL), STRATA_OK);
        CHECK_EQ(*(const uint8_t *)value.data, 0);
        if (i % 10 == 0)
            CHECK_EQ(st_tree_put(txn, ST_ROWS, key_of(i + 1, room), bytes(&room[0], 8), NULL), STRATA_OK);
        if (i % 100 == 0) CHECK(resident(store) <= BOUND + SLACK);
    }
    CHECK_EQ(st_writer_commit(txn, NULL), STRATA_OK);
    CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
    for (uint32_t i = 0; i < MANY; i++) {
        CHECK_EQ(st_tree_get(txn, ST_ROWS, key_of(i + 1, room), &value, NULL), STRATA_OK);
        CHECK_EQ(value.size, i % 10 == 0 ? 8 : VALUE);
        if (i % 10 == 0) CHECK(memcmp(value.data, room, 8) == 0);
    }
    st_snapshot_end(txn);
    strata_store_close(store);
}

/* What is replaced or deleted without having been read. */
void test_advice_bound_of_changes(void) {
    st_txn *txn;
    uint8_t room[8];
    strata_store *store = make_bounded(BOUND);
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t number = i * 4001 % MANY + 1;
        if (i % 2 == 0) CHECK_EQ(st_tree_put(txn, ST_ROWS, key_of(number, room), bytes(room, 8), NULL), STRATA_OK);
        else CHECK_EQ(st_tree_delete(txn, ST_ROWS, key_of(number, room), NULL), STRATA_OK);
        if (i % 100 == 0) CHECK(resident(store) <= BOUND + SLACK);
    }
    st_writer_abort(txn);
    strata_store_close(store);
}

void test_advice_bound_of_a_backup(void) {
    strata_store *store = make_bounded(BOUND);
    int file = open("/dev/null", O_WRONLY | O_CLOEXEC);
    CHECK_EQ(strata_store_backup_to(store, file, NULL), STRATA_OK);
    CHECK(resident(store) <= BOUND + SLACK);
    close(file);
    strata_store_close(store);
}

/* If /proc cannot be read, the worst is taken for true. */
void test_advice_bound_without_figures(void) {
    strata_store *store = make_bounded(BOUND);
    st_txn *txn;
    uint8_t room[8];
    strata_bytes value;
    CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
    fault_set(FAULT_OPEN, 1, UINT_MAX, EMFILE);
    for (uint32_t i = 0; i < MANY; i++)
        CHECK_EQ(st_tree_get(txn, ST_ROWS, key_of(i + 1, room), &value, NULL), STRATA_OK);
    CHECK(fault_clear());
    CHECK(resident(store) <= BOUND + SLACK);
    st_snapshot_end(txn);
    strata_store_close(store);
}

static void *scan_on_thread(void *argument) {
    for (int i = 0; i < 3; i++) (void)scan(argument);
    return NULL;
}

/* Each of them may give back what the others read. */
void test_advice_bound_of_threads(void) {
    enum { THREADS = 3, COMMITS = 50 };
    pthread_t threads[THREADS];
    strata_store *store = make_bounded(BOUND);
    for (int i = 0; i < THREADS; i++) CHECK_EQ(pthread_create(&threads[i], NULL, scan_on_thread, store), 0);
    for (int i = 0; i < COMMITS; i++) {
        st_txn *txn;
        uint8_t room[8];
        static const uint8_t value[VALUE];
        CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
        for (uint32_t k = 0; k < 20; k++)
            CHECK_EQ(st_tree_put(txn, ST_ROWS, key_of((uint32_t)i * 97 + k + 1, room), bytes(value, VALUE), NULL),
                     STRATA_OK);
        CHECK_EQ(st_writer_commit(txn, NULL), STRATA_OK);
    }
    for (int i = 0; i < THREADS; i++) CHECK_EQ(pthread_join(threads[i], NULL), 0);
    CHECK(resident(store) <= BOUND + SLACK);
    strata_store_close(store);
}

/* A view remembers less than elsewhere, in memory of its own. */
void test_advice_bound_of_a_view_without_memory(void) {
    if (!fault_allocations_work()) ctest_skip("the allocator belongs to a sanitizer, or to the program");
    strata_error error;
    strata_view *view = NULL;
    strata_store *store = make_bounded(BOUND);
    unsigned failed = 0;
    for (bool open = false; !open; failed += !open) {
        long blocks = fault_blocks();
        fault_set(FAULT_ALLOCATION, failed + 1, 1, ENOMEM);
        open = strata_view_open(store, &view, &error) == STRATA_OK;
        if (!fault_clear()) break;
        CHECK(!open);
        CHECK_EQ(error.status, STRATA_NO_MEMORY);
        CHECK_EQ(fault_blocks(), blocks);
    }
    CHECK(failed > 1);
    strata_view_close(view);
    strata_store_close(store);
}

/* The first who opens the store decides; whoever asks for nothing takes what there is. */
void test_advice_bound_of_two_handles(void) {
    strata_error error;
    strata_store *store = make_bounded(BOUND), *second;
    strata_config config = { .size = sizeof config, .path = ctest_path("a.strata"), .max_resident = BOUND };
    second = must_open_with(&config);
    CHECK(second == store);
    strata_store_close(second);
    config.max_resident = 0;
    second = must_open_with(&config);
    strata_store_close(second);
    config.max_resident = 2 * BOUND;
    CHECK_EQ(strata_store_open(&config, &second, &error), STRATA_IN_USE);
    CHECK(strstr(error.message, "max_resident of 4194304 bytes") != NULL && strstr(error.message, "8388608") != NULL);
    strata_store_close(store);
    config = (strata_config){ .size = sizeof config, .memory_name = ctest_path("m"), .max_resident = BOUND };
    store = must_open_with(&config);
    config.max_resident *= 2;
    second = must_open_with(&config);
    strata_store_close(second);
    strata_store_close(store);
}

/* A program that was built before there was a bound. */
void test_advice_of_a_shorter_config(void) {
    fill(ctest_path("a.strata"), 10);
    strata_config config = { .size = offsetof(strata_config, max_resident), .path = ctest_path("a.strata"),
                             .max_resident = 1 };
    strata_store *store = must_open_with(&config);
    CHECK_EQ(store->advice.bound, 0);
    strata_store_close(store);
}
