/* SPDX-License-Identifier: MIT
 * store_support.c -- short words for tests of stores and transactions. */
#define _GNU_SOURCE 1
#include "support/store_support.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "store/header.h"
#include "store/snapshot.h"
#include "store/tree.h"
#include "store/writer.h"

#include "strata_row.h"

strata_store *must_open_with(const strata_config *config) {
    strata_error error;
    strata_store *store = NULL;
    if (strata_store_open(config, &store, &error) != STRATA_OK) ctest_fail(__FILE__, __LINE__, error.message);
    return store;
}

strata_store *must_open(const char *path) {
    strata_config config = { .size = sizeof config, .path = path };
    return must_open_with(&config);
}

strata_status open_status(const char *path, uint32_t flags, strata_error *error) {
    strata_config config = { .size = sizeof config, .path = path, .flags = flags };
    strata_store *store = NULL;
    strata_status status = strata_store_open(&config, &store, error);
    CHECK((status == STRATA_OK) == (store != NULL));
    strata_store_close(store);
    return status;
}

strata_status try_write(strata_store *store, const char *key, strata_bytes value, strata_error *error) {
    st_txn *txn;
    strata_status status = st_writer_begin(store, &txn, error);
    if (status != STRATA_OK) return status;
    status = st_tree_put(txn, ST_ROWS, text(key), value, error);
    if (status == STRATA_OK) return st_writer_commit(txn, error);
    st_writer_abort(txn);
    return status;
}

void must_write(strata_store *store, const char *key, const char *value) {
    strata_error error;
    if (try_write(store, key, text(value), &error) != STRATA_OK) ctest_fail(__FILE__, __LINE__, error.message);
}

void must_hold(strata_store *store, const char *key, const char *value) {
    st_txn *txn;
    strata_bytes out;
    strata_error error;
    if (st_snapshot_begin(store, &txn, &error) != STRATA_OK) ctest_fail(__FILE__, __LINE__, error.message);
    CHECK_EQ(st_tree_get(txn, ST_ROWS, text(key), &out, NULL), STRATA_OK);
    CHECK(out.size == strlen(value) && memcmp(out.data, value, out.size) == 0);
    st_snapshot_end(txn);
}

void must_lack(strata_store *store, const char *key) {
    st_txn *txn;
    strata_bytes out;
    CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
    CHECK_EQ(st_tree_get(txn, ST_ROWS, text(key), &out, NULL), STRATA_NOT_FOUND);
    st_snapshot_end(txn);
}

static uint64_t counter_in(st_txn *txn) {
    strata_bytes out;
    strata_status status = st_tree_get(txn, ST_ROWS, text("counter"), &out, NULL);
    CHECK(status == STRATA_NOT_FOUND || (status == STRATA_OK && out.size == 8));
    return status == STRATA_OK ? strata_load64(out.data) : 0;
}

uint64_t read_counter(strata_store *store) {
    st_txn *txn;
    CHECK_EQ(st_snapshot_begin(store, &txn, NULL), STRATA_OK);
    uint64_t counter = counter_in(txn);
    st_snapshot_end(txn);
    return counter;
}

void add_to_counter(strata_store *store) {
    st_txn *txn;
    strata_error error;
    if (st_writer_begin(store, &txn, &error) != STRATA_OK) ctest_fail(__FILE__, __LINE__, error.message);
    uint64_t counter = counter_in(txn) + 1;
    CHECK_EQ(st_tree_put(txn, ST_ROWS, text("counter"), bytes(&counter, 8), NULL), STRATA_OK);
    CHECK_EQ(st_writer_commit(txn, NULL), STRATA_OK);
}

void patch_header(const char *path, size_t at, uint16_t value, bool with_checksum) {
    static uint8_t content[1 << 20];
    int file = open(path, O_RDWR);
    CHECK(file >= 0);
    ssize_t size = pread(file, content, sizeof content, 0);
    for (ssize_t i = 0; i + ST_HEADER_SIZE <= size; i += 2) {
        uint8_t *record = content + i;
        if (memcmp(record, "StrataDB", 8) != 0) continue;
        memcpy(record + at, &value, 2);
        st_header header;
        uint64_t stamp;
        st_header_read(record, &header, &stamp);
        if (with_checksum) st_header_write(record, &header, stamp);
    }
    CHECK_EQ(pwrite(file, content, (size_t)size, 0), size);
    close(file);
}

void copy_file(const char *from, const char *to) {
    static uint8_t buffer[1 << 16];
    int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t size;
    CHECK(in >= 0 && out >= 0);
    while ((size = read(in, buffer, sizeof buffer)) > 0) CHECK_EQ(write(out, buffer, (size_t)size), size);
    close(in);
    close(out);
}

void flip_byte(const char *path, off_t at) {
    uint8_t byte = 0;
    int file = open(path, O_RDWR | O_CLOEXEC);
    CHECK(file >= 0 && pread(file, &byte, 1, at) == 1);
    byte ^= 1;
    CHECK_EQ(pwrite(file, &byte, 1, at), 1);
    close(file);
}

log_paths log_paths_make(void) {
    log_paths p;
    snprintf(p.file, sizeof p.file, "%s", ctest_path("a.strata"));
    snprintf(p.log, sizeof p.log, "%s-log", p.file);
    snprintf(p.other, sizeof p.other, "%s", ctest_path("other.strata"));
    return p;
}
