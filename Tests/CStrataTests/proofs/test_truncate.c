/* SPDX-License-Identifier: MIT
 * test_truncate.c -- a store that lost its end is refused, or reads right; it never ends the process. */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/snapshot.h"
#include "store/tree.h"
#include "store/writer.h"
#include "support/store_support.h"

enum { ENTRIES = 60 };

/* Entry `i` has `i * i` bytes, so that some stand in leaves and some on pages of their own. */
static strata_bytes entry(int i, char key[16], char *value) {
    snprintf(key, 16, "%06d", i);
    memset(value, 'a' + i % 26, (size_t)(i * i));
    return bytes(value, (size_t)(i * i));
}

static void fill_store(const char *path) {
    static char value[ENTRIES * ENTRIES];
    char key[16];
    st_txn *txn;
    strata_store *store = must_open(path);
    for (int i = 0; i < ENTRIES; i++) {
        CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
        strata_bytes content = entry(i, key, value);
        CHECK_EQ(st_tree_put(txn, i % 3 == 0 ? ST_INDEX : ST_ROWS, text(key), content, NULL), STRATA_OK);
        CHECK_EQ(st_writer_commit(txn, NULL), STRATA_OK);
    }
    strata_store_close(store);
}

/* Reads everything, then changes something: that reads the list of free pages. */
static void use_all(strata_store *store) {
    static char expected[ENTRIES * ENTRIES];
    char key[16];
    st_txn *txn;
    strata_bytes out;
    CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
    for (int i = 0; i < ENTRIES; i++) {
        strata_bytes content = entry(i, key, expected);
        CHECK_EQ(st_tree_get(txn, i % 3 == 0 ? ST_INDEX : ST_ROWS, text(key), &out, NULL), STRATA_OK);
        CHECK(out.size == content.size && memcmp(out.data, content.data, out.size) == 0);
    }
    st_snapshot_end(txn);
    for (int i = 0; i < 5; i++) must_write(store, "more", "and more");
    must_hold(store, "more", "and more");
}

typedef struct cut_file {
    const char *copy;
    off_t size;
} cut_file;

static void copy_start(const char *from, const char *to, off_t size) {
    static char buffer[4 << 20];
    CHECK(size <= (off_t)sizeof buffer);
    int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(in >= 0 && out >= 0);
    CHECK_EQ(read(in, buffer, (size_t)size), size);
    CHECK_EQ(write(out, buffer, (size_t)size), size);
    close(in);
    close(out);
}

/* 10: opened and read right; 11: refused. */
static void open_cut(void *argument) {
    const cut_file *cut = argument;
    strata_store *store;
    strata_error error;
    strata_config config = { .size = sizeof config, .path = cut->copy, .map_size = 1 << 24 };
    strata_status status = strata_store_open(&config, &store, &error);
    if (status != STRATA_OK) {
        CHECK(status == STRATA_CORRUPT || (status == STRATA_NOT_A_STORE && cut->size < 512));
        CHECK(strstr(error.message, cut->copy) != NULL);
        _exit(11);
    }
    use_all(store);
    strata_store_close(store);
    _exit(10);
}

static void check_cuts(const char *original, off_t whole, int *opened, int *refused) {
    cut_file cut = { .copy = ctest_path("cut.strata") };
    for (cut.size = 512; cut.size < whole; cut.size += 512) {
        if (!ctest_tries((uint64_t)cut.size / 512)) continue;
        copy_start(original, cut.copy, cut.size);
        int result = ctest_child(open_cut, &cut);
        if (result != 10 && result != 11) fprintf(stderr, "cut to %lld bytes\n", (long long)cut.size);
        CHECK(result == 10 || result == 11);
        *(result == 10 ? opened : refused) += 1;
    }
}

void test_truncate_at_every_sector(void) {
    struct stat info;
    int opened = 0, refused = 0;
    const char *path = ctest_path("whole.strata");
    fill_store(path);
    CHECK_EQ(stat(path, &info), 0);
    check_cuts(path, info.st_size, &opened, &refused);
    CHECK(refused > 0 || !ctest_tries_all());
    strata_store *store = must_open(path);
    use_all(store);
    strata_store_close(store);
}

/* Trees of several levels, and a list of free pages that fills pages of its own. */
void test_truncate_deep_trees(void) {
    enum { MANY = 4000 };
    struct stat info;
    st_txn *txn;
    char key[64];
    int opened = 0, refused = 0;
    const char *path = ctest_path("deep.strata");
    fill_store(path);
    strata_store *store = must_open(path);
    for (int round = 0; round < 4; round++) {
        CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
        for (int i = 0; i < MANY; i++) {
            snprintf(key, sizeof key, "%040d", i * 7919 % MANY);
            if (round == 3 && i % 8 != 0) CHECK_EQ(st_tree_delete(txn, ST_LINKS, text(key), NULL), STRATA_OK);
            else CHECK_EQ(st_tree_put(txn, ST_LINKS, text(key), text(key), NULL), STRATA_OK);
        }
        CHECK_EQ(st_writer_commit(txn, NULL), STRATA_OK);
    }
    strata_store_close(store);
    CHECK_EQ(stat(path, &info), 0);
    /* The end sector by sector, the rest at random. */
    cut_file cut = { .copy = ctest_path("cut.strata") };
    uint64_t state = ctest_seed();
    for (int i = 0; i < 200; i++) {
        if (!ctest_tries((uint64_t)i)) continue;
        off_t back = i < 100 ? i : (off_t)(ctest_random(&state) % (uint64_t)(info.st_size / 512 - 1));
        cut.size = info.st_size - 512 * (back + 1);
        copy_start(path, cut.copy, cut.size);
        int result = ctest_child(open_cut, &cut);
        CHECK(result == 10 || result == 11);
        *(result == 10 ? &opened : &refused) += 1;
    }
    CHECK(refused > 0 || !ctest_tries_all());
}

/* A file may lack pages at its end by right: those that one transaction allocated and freed again. */
void test_truncate_short_by_right(void) {
    static char big[400000];
    struct stat info;
    strata_store_stats stats = { .size = sizeof stats };
    st_txn *txn;
    const char *path = ctest_path("short.strata");
    fill_store(path);
    strata_store *store = must_open(path);
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    CHECK_EQ(st_tree_put(txn, ST_BLOBS, text("a"), bytes(big, sizeof big), NULL), STRATA_OK);
    CHECK_EQ(st_tree_put(txn, ST_BLOBS, text("b"), text("small"), NULL), STRATA_OK);
    CHECK_EQ(st_tree_delete(txn, ST_BLOBS, text("a"), NULL), STRATA_OK);
    CHECK_EQ(st_writer_commit(txn, NULL), STRATA_OK);
    CHECK_EQ(strata_store_get_stats(store, &stats, NULL), STRATA_OK);
    strata_store_close(store);
    CHECK_EQ(stat(path, &info), 0);
    CHECK((uint64_t)info.st_size < stats.used_size + stats.free_size);
    int opened = 0, refused = 0;
    check_cuts(path, info.st_size, &opened, &refused);
    CHECK(refused > 0 || !ctest_tries_all());
    store = must_open(path);
    use_all(store);
    strata_store_close(store);
}
