/* SPDX-License-Identifier: MIT
 *
 * test_page_sizes.c -- files of another machine, whose system has larger pages. LMDB makes files with pages of the
 * system's size only, so one is taken apart here, and its pages made larger. */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/crc32c.h"
#include "store/header.h"
#include "store/snapshot.h"
#include "store/tree.h"
#include "store/writer.h"
#include "support/store_support.h"

/* Where things are in LMDB's pages; see page.h and meta.c of the store. */
enum { META = 152, PAGE_SIZE = 40, LAST_PAGE = 136, KIND = 10, LOWER = 12, UPPER = 14, SLOTS = 16 };
enum { RECORD_CHECKSUM = 12, RECORD_PAGE_SIZE = 28 };
enum { ENTRIES = 500, PAGES = 100, ROOM = 4 /* pages more than there are */ };

typedef struct image {
    uint8_t *bytes;
    uint32_t page_size;
    size_t pages;
    uint8_t *record; /* the last one in the file */
} image;

static strata_bytes key_of(uint64_t number, uint8_t room[8]) {
    st_store_big64(room, number);
    return bytes(room, 8);
}

static void fill(strata_store *store, uint64_t from) {
    uint8_t room[8];
    st_txn *writer;
    CHECK_EQ(st_writer_begin(store, &writer, NULL), STRATA_OK);
    for (uint64_t i = from; i < from + ENTRIES; i++)
        CHECK_EQ(st_tree_put(writer, ST_ROWS, key_of(i, room), bytes(&i, 8), NULL), STRATA_OK);
    CHECK_EQ(st_writer_commit(writer, NULL), STRATA_OK);
}

static void must_hold_all(strata_store *store, uint64_t count) {
    strata_bytes key, value;
    st_txn *snapshot;
    CHECK_EQ(st_snapshot_begin(store, &snapshot, NULL), STRATA_OK);
    strata_status status = st_tree_seek(snapshot, ST_ROWS, text(""), &key, &value, NULL);
    for (uint64_t i = 0; i < count; i++) {
        CHECK_EQ(status, STRATA_OK);
        CHECK(value.size == 8 && strata_load64(value.data) == i);
        status = st_tree_next(snapshot, ST_ROWS, &key, &value, NULL);
    }
    CHECK_EQ(status, STRATA_NOT_FOUND);
    st_snapshot_end(snapshot);
}

/* The record says the size of pages, too. */
static void patch_record(image *it, uint8_t *record) {
    st_store32(record + RECORD_PAGE_SIZE, it->page_size);
    st_store32(record + RECORD_CHECKSUM, 0);
    st_store32(record + RECORD_CHECKSUM, st_crc32c(0, record, ST_HEADER_SIZE));
    it->record = record;
}

/* What nodes there are moves to the end of the larger page. */
static void widen(image *it, uint8_t *to, const uint8_t *from, uint32_t size) {
    uint16_t kind = strata_load16(from + KIND);
    uint16_t lower = strata_load16(from + LOWER), upper = strata_load16(from + UPPER);
    if (kind != 1 && kind != 2) return; /* a page that is free */
    uint16_t more = (uint16_t)(it->page_size - size);
    memcpy(to, from, lower);
    st_store16(to + UPPER, (uint16_t)(upper + more));
    for (uint32_t at = SLOTS; at < lower; at += 2) st_store16(to + at, (uint16_t)(strata_load16(from + at) + more));
    memcpy(to + upper + more, from + upper, size - upper);
    uint8_t *record = memmem(to + upper + more, size - upper, "StrataDB", 8);
    if (record != NULL) patch_record(it, record);
}

/* A store with pages of `times` the size. */
static image make_image(uint32_t times) {
    static uint8_t bytes_of_file[PAGES * 65536];
    uint32_t size = (uint32_t)sysconf(_SC_PAGESIZE);
    strata_store *store = must_open(ctest_path("small.strata"));
    fill(store, 0);
    strata_store_close(store);
    int file = open(ctest_path("small.strata"), O_RDONLY);
    ssize_t count = read(file, bytes_of_file, sizeof bytes_of_file);
    CHECK(count > 0 && count < (ssize_t)sizeof bytes_of_file);
    close(file);

    image it = { .page_size = times * size, .pages = (size_t)count / size };
    it.bytes = calloc(it.pages + ROOM, it.page_size);
    CHECK(it.bytes != NULL);
    for (size_t i = 0; i < it.pages; i++) {
        uint8_t *to = it.bytes + i * it.page_size;
        const uint8_t *from = bytes_of_file + i * size;
        if (i >= 2) widen(&it, to, from, size);
        else st_store32((memcpy(to, from, META), to + PAGE_SIZE), it.page_size);
    }
    CHECK(it.record != NULL);
    return it;
}

static void write_image(const image *it, const char *path) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    size_t size = it->pages * it->page_size;
    CHECK_EQ(write(file, it->bytes, size), (ssize_t)size);
    close(file);
}

void test_page_sizes_beyond_that_of_the_system(void) {
    if (sysconf(_SC_PAGESIZE) > 4096) return;
    for (uint32_t times = 2; times <= 8; times *= 2) {
        image it = make_image(times);
        write_image(&it, ctest_path("large.strata"));
        free(it.bytes);
        strata_store *store = must_open(ctest_path("large.strata"));
        CHECK_EQ(st_store_block_size(store), it.page_size - 16);
        must_hold_all(store, ENTRIES);
        fill(store, ENTRIES);
        must_hold_all(store, 2 * ENTRIES);
        strata_store_close(store);
        unlink(ctest_path("large.strata"));
        unlink(ctest_path("small.strata"));
    }
}

/* Where a page of the system begins within that of the record, there is a false number of a page, and that one has the
 * record, too. */
void test_page_sizes_and_a_record_twice(void) {
    strata_error error;
    uint32_t size = (uint32_t)sysconf(_SC_PAGESIZE);
    if (size > 4096) return;
    image it = make_image(2);
    size_t place = (size_t)(it.record - it.bytes) % size;
    uint64_t number = it.pages + 1;
    st_store64(it.record - place, number);
    memcpy(it.bytes + number * it.page_size + place, it.record, ST_HEADER_SIZE);
    it.pages += ROOM;
    for (size_t i = 0; i < 2; i++) st_store64(it.bytes + i * it.page_size + LAST_PAGE, it.pages - 1);
    write_image(&it, ctest_path("large.strata"));
    free(it.bytes);
    CHECK_EQ(open_status(ctest_path("large.strata"), 0, &error), STRATA_CORRUPT);
}
