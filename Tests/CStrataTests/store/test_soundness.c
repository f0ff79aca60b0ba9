/* SPDX-License-Identifier: MIT
 * test_soundness.c -- what a writer checks before LMDB treads on it. */
#define _GNU_SOURCE 1
#include <stdio.h>

#include "store/soundness.h"
#include "store/tree.h"
#include "store/writer.h"
#include "support/store_support.h"

enum { VALUES = 40, PAGE = 4096 };

static strata_bytes key_of(char name[16], int i) {
    snprintf(name, 16, "%08d", i);
    return (strata_bytes){ name, 8 };
}

/* Puts values of so many bytes; if `shrunk`, over longer ones of the same transaction, which leaves them their pages. */
static strata_status put_values(strata_store *store, size_t size, bool shrunk, strata_error *error) {
    static char large[16 * PAGE];
    char name[16];
    st_txn *txn;
    strata_status status = st_writer_begin(store, &txn, error);
    if (status != STRATA_OK) return status;
    for (int i = 0; i < VALUES && status == STRATA_OK; i++) {
        strata_bytes key = key_of(name, i);
        if (shrunk) status = st_tree_put(txn, ST_BLOBS, key, bytes(large, size + 3 * PAGE), error);
        if (status == STRATA_OK) status = st_tree_put(txn, ST_BLOBS, key, bytes(large, size), error);
    }
    if (status == STRATA_OK) return st_writer_commit(txn, error);
    st_writer_abort(txn);
    return status;
}

static void must_put(strata_store *store, size_t size, bool shrunk) {
    strata_error error;
    if (put_values(store, size, shrunk, &error) != STRATA_OK) ctest_fail(__FILE__, __LINE__, error.message);
}

static uint64_t unread(const strata_store *store) { return store->use.unread_count; }

/* The first page of a value that the process did not write is checked when the value is replaced. */
void test_soundness_of_values_is_checked_when_they_change(void) {
    strata_store *store = must_open(ctest_path("a.strata"));
    must_put(store, 2 * PAGE, true);
    CHECK_EQ(unread(store), 0);
    strata_store_close(store);
    store = must_open(ctest_path("a.strata"));
    CHECK_EQ(unread(store), 0);
    must_put(store, 5 * PAGE, true);
    must_put(store, 5 * PAGE, false);
    CHECK_EQ(unread(store), 0);
    strata_store_close(store);

    store = must_open(ctest_path("a.strata"));
    char name[16];
    st_txn *txn;
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    CHECK_EQ(unread(store), VALUES);
    CHECK_EQ(st_tree_delete(txn, ST_BLOBS, key_of(name, 7), NULL), STRATA_OK);
    CHECK_EQ(st_tree_put(txn, ST_BLOBS, key_of(name, 8), text("short"), NULL), STRATA_OK);
    CHECK_EQ(st_tree_put(txn, ST_BLOBS, key_of(name, VALUES), text("new"), NULL), STRATA_OK);
    CHECK_EQ(unread(store), VALUES - 2);
    CHECK_EQ(st_writer_commit(txn, NULL), STRATA_OK);
    strata_store_close(store);
}

/* Frees all pages of values and uses them again, for values that have more pages than they need. */
static void rewrite_everything(void *argument) {
    (void)argument;
    strata_store *store = must_open(ctest_path("a.strata"));
    for (int i = 0; i < 6; i++) must_put(store, (size_t)(1 + i % 3) * PAGE, true);
    strata_store_close(store);
}

/* What was known of a page says nothing any more once another process has freed it and used it again. */
void test_soundness_follows_other_writers(void) {
    strata_store *store = must_open(ctest_path("a.strata"));
    for (int i = 0; i < 4; i++) must_put(store, (size_t)(i % 2 + 1) * PAGE, false);
    strata_store_close(store);
    for (int round = 0; round < 10; round++) {
        st_txn *txn;
        store = must_open(ctest_path("a.strata"));
        CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
        st_writer_abort(txn);
        CHECK_EQ(unread(store), VALUES);
        CHECK_EQ(ctest_child(rewrite_everything, NULL), 0);
        must_put(store, PAGE * 3 / 2, false);
        must_put(store, PAGE / 2, false);
        strata_store_close(store);
    }
    const strata_config config = { .size = sizeof config, .path = ctest_path("a.strata"),
                                   .flags = STRATA_OPEN_CHECK_PAGES };
    CHECK_EQ(strata_store_open(&config, &store, NULL), STRATA_OK);
    strata_store_close(store);
}
