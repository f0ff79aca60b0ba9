/* SPDX-License-Identifier: MIT
 * test_store.c -- opening, sharing and closing stores; trees; figures. */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/cursor.h"
#include "store/lmdb_status.h"
#include "store/snapshot.h"
#include "store/tree.h"
#include "store/writer.h"
#include "support/store_support.h"

void test_store_creates_and_reopens(void) {
    const char *path = ctest_path("a.strata");
    strata_store *store = must_open(path);
    CHECK_TEXT(strata_store_path(store), path);
    CHECK_EQ(st_store_block_size(store), sysconf(_SC_PAGESIZE) - 16);
    CHECK(!st_store_read_only(store));
    must_write(store, "one", "first");
    strata_store_close(store);

    store = must_open(path);
    must_hold(store, "one", "first");
    must_write(store, "two", "second");
    must_hold(store, "two", "second");
    strata_store_close(store);
}

static int files_in(const char *directory) {
    int count = 0;
    DIR *list = opendir(directory);
    CHECK(list != NULL);
    for (struct dirent *entry; (entry = readdir(list)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(list);
    return count;
}

void test_store_creates_nothing_but_the_file_and_its_lock(void) {
    strata_store *store = must_open(ctest_path("a.strata"));
    CHECK_EQ(files_in(ctest_directory()), 2);
    struct stat info;
    CHECK_EQ(stat(ctest_path("a.strata"), &info), 0);
    CHECK_EQ(info.st_mode & 0777, 0600);
    strata_store_close(store);
}

void test_store_takes_an_empty_file_as_new(void) {
    const char *path = ctest_path("empty.strata");
    int file = open(path, O_RDWR | O_CREAT, 0640);
    CHECK(file >= 0);
    close(file);
    strata_store *store = must_open(path);
    must_write(store, "k", "v");
    must_hold(store, "k", "v");
    struct stat info;
    CHECK_EQ(stat(path, &info), 0);
    CHECK_EQ(info.st_mode & 0777, 0640);
    strata_store_close(store);
    CHECK_EQ(files_in(ctest_directory()), 2);
}

void test_store_is_open_once(void) {
    const char *path = ctest_path("a.strata"), *link_path = ctest_path("link");
    strata_store *first = must_open(path);
    CHECK_EQ(symlink("a.strata", link_path), 0);
    strata_store *second = must_open(path), *third = must_open(link_path);
    CHECK(first == second);
    CHECK(first == third);
    CHECK_TEXT(strata_store_path(third), path);
    strata_store_close(second);
    strata_store_close(first);
    must_write(third, "k", "v");
    must_hold(third, "k", "v");
    strata_store_close(third);
}

void test_store_refuses_other_options(void) {
    strata_error error;
    strata_store *other;
    strata_config config = { .size = sizeof config, .path = ctest_path("a.strata"), .map_size = 1 << 24 };
    strata_store *store = must_open_with(&config);
    CHECK(must_open_with(&config) == store);
    config.map_size = 0;
    CHECK(must_open_with(&config) == store);
    config.map_size = 1 << 25;
    CHECK_EQ(strata_store_open(&config, &other, &error), STRATA_IN_USE);
    CHECK(strstr(error.message, "a.strata") != NULL && strstr(error.message, "map_size") != NULL);
    config.map_size = 0;
    config.flags = STRATA_OPEN_READ_ONLY;
    CHECK_EQ(strata_store_open(&config, &other, &error), STRATA_IN_USE);
    CHECK(other == NULL);
    config.durability = STRATA_DURABILITY_RELAXED;
    config.map_size = 1 << 25;
    config.flags = STRATA_OPEN_READ_ONLY | STRATA_OPEN_AS_IT_IS;
    CHECK(must_open_with(&config) == store);
    for (int i = 0; i < 4; i++) strata_store_close(store);
    /* Nobody has it open: the other options count. */
    store = must_open_with(&config);
    config.flags = 0;
    CHECK_EQ(strata_store_open(&config, &other, &error), STRATA_IN_USE);
    CHECK(strstr(error.message, "open read-only in this process") != NULL);
    strata_store_close(store);
}

void test_store_read_only(void) {
    strata_error error;
    strata_store *store;
    st_txn *txn;
    strata_config config = { .size = sizeof config, .path = ctest_path("a.strata"), .flags = STRATA_OPEN_READ_ONLY };
    CHECK_EQ(strata_store_open(&config, &store, &error), STRATA_FILE_NOT_FOUND);
    store = must_open(config.path);
    must_write(store, "k", "v");
    strata_store_close(store);
    store = must_open_with(&config);
    CHECK(st_store_read_only(store));
    must_hold(store, "k", "v");
    CHECK_EQ(st_writer_begin(store, &txn, &error), STRATA_READ_ONLY);
    CHECK(txn == NULL);
    strata_store_close(store);
}

void test_store_survives_close_before_its_snapshot(void) {
    const char *path = ctest_path("a.strata");
    st_txn *txn;
    strata_bytes out;
    strata_store *store = must_open(path);
    must_write(store, "k", "v");
    CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
    strata_store_close(store);
    CHECK_EQ(st_tree_get(txn, ST_ROWS, text("k"), &out, NULL), STRATA_OK);
    strata_store *again = must_open(path);
    CHECK(again == store);
    strata_store_close(again);
    st_snapshot_end(txn);
    store = must_open(path);
    must_hold(store, "k", "v");
    strata_store_close(store);
}

static int attachments_freed;
static void free_attachment(void *attachment) { attachments_freed += *(int *)attachment; }

void test_store_frees_its_attachment(void) {
    int one = 1;
    strata_store *store = must_open(ctest_path("a.strata"));
    attachments_freed = 0;
    st_store_lock(store);
    CHECK(st_store_attachment(store) == NULL);
    st_store_attach(store, &one, free_attachment);
    CHECK(st_store_attachment(store) == &one);
    st_store_unlock(store);
    CHECK_EQ(attachments_freed, 0);
    strata_store_close(store);
    CHECK_EQ(attachments_freed, 1);
}

void test_store_in_memory_is_shared_and_vanishes(void) {
    strata_config config = { .size = sizeof config, .memory_name = "shared name" };
    strata_store *first = must_open_with(&config), *second = must_open_with(&config);
    CHECK(first == second);
    CHECK_TEXT(strata_store_path(first), "");
    must_write(first, "k", "v");
    must_hold(second, "k", "v");
    config.memory_name = "another name";
    strata_store *other = must_open_with(&config);
    CHECK(other != first);
    must_lack(other, "k");
    strata_store_close(other);
    strata_store_close(first);
    must_hold(second, "k", "v");
    strata_store_close(second);
    config.memory_name = "shared name";
    first = must_open_with(&config);
    must_lack(first, "k");
    strata_store_close(first);
}

/* Who opens first decides how many snapshots there can be; a lock file keeps its room. The figures tell. */
void test_store_tells_how_many_snapshots_there_can_be(void) {
    static const uint32_t asked[] = { 40, 8, 0, 9000, 100 }, in_force[] = { 40, 40, 8192, 9000, 9000 };
    for (int i = 0; i < 5; i++) {
        strata_config config = { .size = sizeof config, .path = ctest_path("a.strata"), .max_readers = asked[i] };
        strata_store_stats stats = strata_store_stats_blank();
        strata_store *store, *again;
        CHECK_EQ(strata_store_open(&config, &store, NULL), STRATA_OK);
        config.max_readers = 7;
        CHECK_EQ(strata_store_open(&config, &again, NULL), STRATA_OK);
        CHECK_EQ(strata_store_get_stats(again, &stats, NULL), STRATA_OK);
        CHECK_EQ(stats.max_snapshots, in_force[i]);
        strata_store_close(again);
        strata_store_close(store);
    }
}

/* Whatever size a lock file has, opening the store takes no more of the disk than all readers there can be need. */
void test_store_takes_no_disk_for_a_huge_lock_file(void) {
    enum { BLOCK = 512, HEAD = 4096, READER = 64 };
    const off_t huge = (off_t)1 << 29;
    const char *path = ctest_path("a.strata"), *lock = ctest_path("a.strata-lock");
    struct stat info;
    strata_store_close(must_open(path));
    CHECK_EQ(truncate(lock, huge), 0);
    strata_store *store = must_open(path);
    must_write(store, "k", "v");
    must_hold(store, "k", "v");
    strata_store_close(store);
    CHECK_EQ(stat(lock, &info), 0);
    CHECK_EQ(info.st_size, huge);
    CHECK((off_t)info.st_blocks * BLOCK <= HEAD + (off_t)STRATA_MAX_READERS * READER + HEAD);
}

/* Each tree has one page here, and a value on 10 pages of its own. */
void test_store_figures_of_parts(void) {
    static const uint8_t value[10 * 4096 - 16] = { 0 };
    strata_store_stats stats = { .size = sizeof stats };
    strata_store *store = must_open(ctest_path("a.strata"));
    st_txn *txn;
    CHECK_EQ(strata_store_get_stats(store, &stats, NULL), STRATA_OK);
    const uint64_t before[] = { stats.row_size,        stats.index_size, stats.link_size,
                                stats.collection_size, stats.blob_size,  stats.change_size };
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) CHECK_EQ(before[i], 0);
    const uint64_t rest = stats.used_size, page = stats.page_size;
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    for (int tree = ST_ROWS; tree < ST_TREES; tree++)
        CHECK_EQ(st_tree_put(txn, (st_tree)tree, text("k1"), bytes("v", 1), NULL), STRATA_OK);
    CHECK_EQ(st_tree_put(txn, ST_BLOBS, text("k2"), bytes(value, sizeof value), NULL), STRATA_OK);
    CHECK_EQ(st_writer_commit(txn, NULL), STRATA_OK);
    CHECK_EQ(strata_store_get_stats(store, &stats, NULL), STRATA_OK);
    CHECK_EQ(stats.row_size, page);
    CHECK_EQ(stats.index_size, page);
    CHECK_EQ(stats.link_size, page);
    CHECK_EQ(stats.collection_size, page);
    CHECK_EQ(stats.blob_size, page + sizeof value + 16);
    CHECK_EQ(stats.change_size, page);
    uint64_t parts = 5 * page + stats.blob_size;
    CHECK(stats.used_size >= parts + rest && stats.used_size <= parts + rest + 2 * page);
    strata_store_close(store);
}

void test_store_figures(void) {
    strata_store_stats stats = { .size = sizeof stats };
    st_txn *txn[2];
    strata_store *store = must_open(ctest_path("a.strata"));
    CHECK_EQ(strata_store_get_stats(store, &stats, NULL), STRATA_OK);
    uint64_t version = stats.version;
    CHECK_EQ(stats.snapshots, 0);
    CHECK_EQ(stats.page_size, sysconf(_SC_PAGESIZE));
    for (int i = 0; i < 50; i++) must_write(store, "k", "v");
    CHECK_EQ(st_snapshot_begin(store, &txn[0], NULL), STRATA_OK);
    CHECK_EQ(st_snapshot_begin(store, &txn[1], NULL), STRATA_OK);
    CHECK_EQ(strata_store_get_stats(store, &stats, NULL), STRATA_OK);
    CHECK_EQ(stats.snapshots, 2);
    CHECK_EQ(stats.version, version + 50);
    struct stat info;
    CHECK_EQ(stat(strata_store_path(store), &info), 0);
    CHECK_EQ(stats.file_size, info.st_size);
    CHECK_EQ(stats.used_size % stats.page_size, 0);
    CHECK(stats.used_size >= 4 * stats.page_size && stats.free_size > 0);
    st_snapshot_end(txn[0]);
    CHECK_EQ(strata_store_get_stats(store, &stats, NULL), STRATA_OK);
    CHECK_EQ(stats.snapshots, 1);
    st_snapshot_end(txn[1]);
    strata_store_close(store);
}

void test_store_trees_are_separate(void) {
    strata_store *store = must_open(ctest_path("a.strata"));
    st_txn *txn;
    strata_bytes out;
    uint64_t count;
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    for (int tree = 0; tree < ST_TREES; tree++) {
        char key[4] = { 0, 'k', 'e', 'y' }, value = (char)('a' + tree);
        CHECK_EQ(st_tree_put(txn, (st_tree)tree, bytes(key, 4), bytes(&value, 1), NULL), STRATA_OK);
    }
    CHECK_EQ(st_writer_commit(txn, NULL), STRATA_OK);
    CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
    for (int tree = 0; tree < ST_TREES; tree++) {
        char key[4] = { 0, 'k', 'e', 'y' };
        CHECK_EQ(st_tree_get(txn, (st_tree)tree, bytes(key, 4), &out, NULL), STRATA_OK);
        CHECK(out.size == 1 && *(const char *)out.data == 'a' + tree);
        CHECK_EQ(st_tree_count(txn, (st_tree)tree, &count, NULL), STRATA_OK);
        CHECK_EQ(count, tree == ST_META ? 2 : 1); /* the main tree also has the header record */
    }
    st_snapshot_end(txn);
    strata_store_close(store);
}

void test_store_main_tree_hides_the_others(void) {
    strata_store *store = must_open(ctest_path("a.strata"));
    st_txn *txn;
    st_cursor *cursor;
    strata_bytes key, value;
    const char zz[2] = { 0, 'z' };
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    CHECK_EQ(st_tree_put(txn, ST_META, text("rows"), text("x"), NULL), STRATA_MISUSE);
    CHECK_EQ(st_tree_put(txn, ST_META, bytes("\0header", 8), text("x"), NULL), STRATA_MISUSE);
    CHECK_EQ(st_tree_put(txn, ST_ROWS, bytes("", 0), text("x"), NULL), STRATA_MISUSE);
    CHECK_EQ(st_tree_put(txn, ST_META, bytes(zz, 2), text("x"), NULL), STRATA_OK);
    CHECK_EQ(st_cursor_open(txn, ST_META, &cursor, NULL), STRATA_OK);
    CHECK_EQ(st_cursor_last(cursor, &key, &value, NULL), STRATA_OK);
    CHECK(key.size == 2 && memcmp(key.data, zz, 2) == 0);
    CHECK_EQ(st_cursor_next(cursor, &key, &value, NULL), STRATA_NOT_FOUND);
    CHECK_EQ(st_cursor_seek(cursor, text("a"), &key, &value, NULL), STRATA_NOT_FOUND);
    CHECK_EQ(st_tree_seek(txn, ST_META, text("a"), &key, &value, NULL), STRATA_NOT_FOUND);
    st_cursor_close(cursor);
    st_writer_abort(txn);
    strata_store_close(store);
}

void test_store_cursors(void) {
    strata_store *store = must_open(ctest_path("a.strata"));
    st_txn *txn;
    st_cursor *cursor;
    strata_bytes key, value;
    char name[8];
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    CHECK_EQ(st_cursor_open(txn, ST_INDEX, &cursor, NULL), STRATA_OK);
    CHECK_EQ(st_cursor_last(cursor, &key, &value, NULL), STRATA_NOT_FOUND);
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "%06d", 2 * i);
        CHECK_EQ(st_tree_put(txn, ST_INDEX, text(name), text(name), NULL), STRATA_OK);
    }
    CHECK_EQ(st_cursor_seek(cursor, text("000500"), &key, &value, NULL), STRATA_OK);
    CHECK_EQ(st_tree_delete(txn, ST_INDEX, text("000500"), NULL), STRATA_OK);
    CHECK_EQ(st_cursor_seek(cursor, text("000500"), &key, &value, NULL), STRATA_OK);
    CHECK(memcmp(key.data, "000502", 6) == 0);
    CHECK_EQ(st_cursor_previous(cursor, &key, &value, NULL), STRATA_OK);
    CHECK(memcmp(key.data, "000498", 6) == 0);
    st_cursor_close(cursor);
    CHECK_EQ(st_tree_delete(txn, ST_INDEX, text("000498"), NULL), STRATA_OK);
    CHECK_EQ(st_tree_delete(txn, ST_INDEX, text("000498"), NULL), STRATA_NOT_FOUND);
    CHECK_EQ(st_writer_commit(txn, NULL), STRATA_OK);

    /* The seeker of a pooled snapshot must follow it to a later commit. */
    CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
    CHECK_EQ(st_tree_seek(txn, ST_INDEX, text("000498"), &key, &value, NULL), STRATA_OK);
    CHECK(memcmp(key.data, "000502", 6) == 0);
    st_snapshot_end(txn);
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    CHECK_EQ(st_tree_seek(txn, ST_INDEX, text("0004"), &key, &value, NULL), STRATA_OK);
    CHECK_EQ(st_tree_put(txn, ST_INDEX, text("000499"), text("x"), NULL), STRATA_OK);
    CHECK_EQ(st_tree_seek(txn, ST_INDEX, text("000498"), &key, &value, NULL), STRATA_OK);
    CHECK(memcmp(key.data, "000499", 6) == 0);
    CHECK_EQ(st_writer_commit(txn, NULL), STRATA_OK);
    CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
    CHECK_EQ(st_tree_seek(txn, ST_INDEX, text("000498"), &key, &value, NULL), STRATA_OK);
    CHECK(memcmp(key.data, "000499", 6) == 0);
    CHECK_EQ(st_tree_seek(txn, ST_INDEX, text("1"), &key, &value, NULL), STRATA_NOT_FOUND);
    st_snapshot_end(txn);
    strata_store_close(store);
}

void test_store_counts_calls(void) {
    strata_store *store = must_open(ctest_path("a.strata"));
    st_txn *txn;
    strata_bytes out;
    CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
    uint64_t before = st_store_calls();
    CHECK_EQ(st_tree_get(txn, ST_ROWS, text("k"), &out, NULL), STRATA_NOT_FOUND);
    CHECK_EQ(st_store_calls() - before, 1);
    st_snapshot_end(txn);
    strata_store_close(store);
}
