/* SPDX-License-Identifier: MIT
 * test_advice.c -- whether the system reads ahead in the map of a store, as /proc tells it. */
#include <stdio.h>
#include <stdlib.h>

#include "store/advice.h"
#include "store/cursor.h"
#include "store/snapshot.h"
#include "store/tree.h"
#include "store/writer.h"
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

/* Is the map of the store read at random, for all the system knows? */
static bool at_random(const strata_store *store) {
    char line[4096];
    unsigned long begin, end;
    bool within = false, random = false, found = false;
    FILE *maps = fopen("/proc/self/smaps", "r");
    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps) != NULL) {
        if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
            within = begin <= (uintptr_t)store->map && (uintptr_t)store->map < end;
        if (!within || strncmp(line, "VmFlags:", 8) != 0) continue;
        found = true;
        random = strstr(line, " rr") != NULL;
    }
    fclose(maps);
    CHECK(found);
    return random;
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
