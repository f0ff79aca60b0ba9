/* SPDX-License-Identifier: MIT
 * test_registry.c -- several stores in one process: each is found again, closed once, and written by who holds it. */
#define _GNU_SOURCE 1
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "store/snapshot.h"
#include "store/tree.h"
#include "store/writer.h"
#include "support/store_support.h"

enum { STORES = 4 };

static strata_store *open_number(int i) {
    static const char *const names[STORES] = { "first", "second", "first", "second" };
    strata_config config = { .size = sizeof config };
    if (i < 2) config.path = ctest_path(names[i]);
    else config.memory_name = names[i];
    return must_open_with(&config);
}

static st_txn *begin_on(strata_store *store, strata_error *error) {
    st_txn *txn;
    CHECK_EQ(st_writer_begin(store, &txn, error), STRATA_OK);
    return txn;
}

void test_registry_finds_every_store(void) {
    strata_store *stores[STORES];
    for (int i = 0; i < STORES; i++) {
        stores[i] = open_number(i);
        for (int k = 0; k < i; k++) CHECK(stores[k] != stores[i]);
        must_write(stores[i], "number", i == 0 ? "0" : i == 1 ? "1" : i == 2 ? "2" : "3");
    }
    for (int i = 0; i < STORES; i++) {
        strata_store *again = open_number(i);
        CHECK(again == stores[i]);
        strata_store_close(again);
    }
    CHECK_EQ(open_status(ctest_path("third"), STRATA_OPEN_NO_CREATE, NULL), STRATA_FILE_NOT_FOUND);
    must_hold(stores[2], "number", "2");
    for (int i = 0; i < STORES; i++) strata_store_close(stores[(i + 2) % STORES]); /* not in the order of opening */
    strata_store *first = open_number(0), *memory = open_number(2);
    must_hold(first, "number", "0");
    must_lack(memory, "number"); /* another one of that name */
    strata_store_close(first);
    strata_store_close(memory);
}

/* The last snapshot closes a store that nobody has a handle of any more; the others stay. */
void test_registry_waits_for_snapshots(void) {
    st_txn *snapshots[2], *more;
    strata_store *stores[STORES];
    strata_bytes out;
    for (int i = 0; i < STORES; i++) stores[i] = open_number(i);
    must_write(stores[1], "k", "v");
    for (int i = 0; i < 2; i++) CHECK_EQ(st_snapshot_begin(stores[1], &snapshots[i], NULL), STRATA_OK);
    strata_store_close(stores[1]);
    strata_store_close(stores[1]); /* once too often */
    st_snapshot_end(snapshots[0]);
    CHECK_EQ(st_tree_get(snapshots[1], ST_ROWS, text("k"), &out, NULL), STRATA_OK);
    CHECK(open_number(1) == stores[1]); /* it was still there, and has a handle again */
    st_snapshot_end(snapshots[1]);
    CHECK_EQ(st_snapshot_begin(stores[1], &more, NULL), STRATA_OK);
    st_snapshot_end(more);
    for (int i = 0; i < STORES; i++) strata_store_close(stores[i]);
}

/* ---- Writers of one thread -------------------------------------------- */

void test_registry_two_writers_of_a_thread(void) {
    strata_error error;
    strata_store *stores[3] = { open_number(0), open_number(1), open_number(2) };
    st_txn *writers[3];
    for (int i = 0; i < 3; i++) writers[i] = begin_on(stores[i], &error);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(st_tree_put(writers[i], ST_ROWS, text("k"), text("v"), &error), STRATA_OK);
        CHECK_EQ(try_write(stores[i], "k", text("w"), &error), STRATA_WRITING);
        CHECK(strstr(error.message, "open on this thread already") != NULL);
    }
    CHECK_EQ(st_writer_commit(writers[1], &error), STRATA_OK); /* the order is free */
    CHECK_EQ(st_writer_commit(writers[0], &error), STRATA_OK);
    st_writer_abort(writers[2]);
    must_hold(stores[0], "k", "v");
    must_hold(stores[1], "k", "v");
    must_lack(stores[2], "k");
    for (int i = 0; i < 3; i++) strata_store_close(stores[i]);
}

typedef struct leaving {
    strata_store *stores[2];
    st_txn *writers[2];
} leaving;

static void *write_and_leave(void *argument) {
    leaving *it = argument;
    for (int i = 0; i < 2; i++) {
        it->writers[i] = begin_on(it->stores[i], NULL);
        CHECK_EQ(st_tree_put(it->writers[i], ST_ROWS, text("k"), text("v"), NULL), STRATA_OK);
    }
    return NULL;
}

void test_registry_a_thread_leaves_two_writers(void) {
    pthread_t thread;
    strata_error error;
    leaving it = { .stores = { open_number(0), open_number(1) } };
    CHECK_EQ(pthread_create(&thread, NULL, write_and_leave, &it), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    must_write(it.stores[0], "other", "thread"); /* neither store is kept from anybody */
    must_write(it.stores[1], "other", "thread");
    CHECK_EQ(st_writer_commit(it.writers[0], &error), STRATA_WRONG_THREAD);
    CHECK(strstr(error.message, "which ended and took the changes with it") != NULL);
    st_writer_abort(it.writers[1]);
    for (int i = 0; i < 2; i++) {
        must_lack(it.stores[i], "k");
        strata_store_close(it.stores[i]);
    }
}
