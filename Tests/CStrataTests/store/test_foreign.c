/* SPDX-License-Identifier: MIT
 * test_foreign.c -- somebody else commits to the file of an open store, without the header record that each commit of a
 * store has. */
#include <lmdb.h>
#include <stdio.h>
#include <unistd.h>

#include "store/tree.h"
#include "store/writer.h"
#include "support/store_support.h"

/* Another program that uses LMDB alone. */
static void commit_as_stranger(void *path) {
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi main_tree;
    MDB_val key = { 8, "stranger" }, value = { 4, "here" };
    CHECK_EQ(mdb_env_create(&env), 0);
    CHECK_EQ(mdb_env_set_mapsize(env, 1 << 24), 0);
    CHECK_EQ(mdb_env_open(env, path, MDB_NOSUBDIR, 0600), 0);
    CHECK_EQ(mdb_txn_begin(env, NULL, 0, &txn), 0);
    CHECK_EQ(mdb_dbi_open(txn, NULL, 0, &main_tree), 0);
    CHECK_EQ(mdb_put(txn, main_tree, &key, &value, 0), 0);
    CHECK_EQ(mdb_txn_commit(txn), 0);
    mdb_env_close(env);
}

static void find_what_the_stranger_wrote(void *path) {
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi main_tree;
    MDB_val key = { 8, "stranger" }, value;
    CHECK_EQ(mdb_env_create(&env), 0);
    CHECK_EQ(mdb_env_open(env, path, MDB_NOSUBDIR | MDB_RDONLY | MDB_NOLOCK, 0600), 0);
    CHECK_EQ(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn), 0);
    CHECK_EQ(mdb_dbi_open(txn, NULL, 0, &main_tree), 0);
    CHECK_EQ(mdb_get(txn, main_tree, &key, &value), 0);
    mdb_txn_abort(txn);
    mdb_env_close(env);
}

static void commit_with_its_own_lock_file(void *path) {
    char other[420];
    snprintf(other, sizeof other, "%s.other", (const char *)path);
    CHECK_EQ(link(path, other), 0);
    commit_as_stranger(other);
}

static void refuse_to_write_behind(void (*stranger)(void *), const char *name) {
    char path[400];
    strata_error error;
    snprintf(path, sizeof path, "%s", ctest_path(name));
    strata_store *store = must_open(path);
    must_write(store, "k", "v");
    must_write(store, "k", "w"); /* a second write, which looks at the trees no more */
    CHECK_EQ(ctest_child(stranger, path), 0);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(try_write(store, "k", text("lost"), &error), STRATA_REPLACED_FILE);
        CHECK(strstr(error.message, "do not belong together") != NULL);
    }
    strata_store_close(store);
    CHECK_EQ(ctest_child(find_what_the_stranger_wrote, path), 0);
}

void test_foreign_commit_is_not_built_upon(void) { refuse_to_write_behind(commit_as_stranger, "stamp"); }

void test_foreign_commit_with_another_lock_file_is_not_overwritten(void) {
    refuse_to_write_behind(commit_with_its_own_lock_file, "lock");
}

/* ---- While a write is open: it began before, and could not know ------- */

typedef enum moment { BEGUN, CHANGED, GROWN, MOMENTS } moment; /* the write has changed nothing; a value; many pages */

static void change(st_txn *txn, moment when) {
    static const char large[1 << 20] = "large";
    strata_error error;
    if (when >= CHANGED) CHECK_EQ(st_tree_put(txn, ST_ROWS, text("k"), text("lost"), &error), STRATA_OK);
    if (when < GROWN) return;
    CHECK_EQ(st_tree_put(txn, ST_ROWS, text("l"), (strata_bytes){ large, sizeof large }, &error), STRATA_OK);
}

static void refuse_to_commit_over(moment when, int writes_before) {
    char path[400], name[20];
    st_txn *txn;
    strata_error error;
    snprintf(name, sizeof name, "during%d%d", (int)when, writes_before);
    snprintf(path, sizeof path, "%s", ctest_path(name));
    strata_store *store = must_open(path);
    for (int i = 0; i < writes_before; i++) must_write(store, "k", "v");
    CHECK_EQ(st_writer_begin(store, &txn, &error), STRATA_OK);
    change(txn, when);
    CHECK_EQ(ctest_child(commit_with_its_own_lock_file, path), 0);
    CHECK_EQ(st_writer_commit(txn, &error), STRATA_REPLACED_FILE);
    CHECK(strstr(error.message, "committed to this one through another lock file") != NULL);
    CHECK_EQ(try_write(store, "k", text("lost"), &error), STRATA_REPLACED_FILE);
    strata_store_close(store);
    CHECK_EQ(ctest_child(find_what_the_stranger_wrote, path), 0);
}

void test_foreign_commit_during_a_write_is_not_overwritten(void) {
    for (int when = BEGUN; when < MOMENTS; when++)
        for (int writes_before = 0; writes_before < 3; writes_before++)
            refuse_to_commit_over((moment)when, writes_before);
}
