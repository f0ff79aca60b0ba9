/* SPDX-License-Identifier: MIT
 *
 * test_log_file.c -- records of a log: what they have of the pages of a commit, and what they leave out. */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bits.h"
#include "page/page.h"
#include "store/log_file.h"
#include "store/state.h"
#include "support/store_support.h"

enum { PAGES = 40, SIZE = 4096 };

/* Pages of a data file that is not one, with the meta page of a commit. */
typedef struct pages {
    uint8_t map[PAGES * SIZE];
    st_page_file file;
    st_log_header header;
    st_page_runs runs;
} pages;

static pages *pages_make(uint64_t *random) {
    pages *it = calloc(1, sizeof *it);
    strata_config config = { .size = sizeof config, .path = ctest_path("metas.strata") };
    strata_store *store = must_open_with(&config);
    must_write(store, "a", "b");
    uint64_t commit = store->committed;
    for (size_t i = 0; i < sizeof it->map; i++) it->map[i] = (uint8_t)ctest_random(random);
    memcpy(it->map, store->map, 2 * SIZE);
    strata_store_close(store);
    it->file = (st_page_file){ .map = it->map, .page_size = SIZE, .txnid = commit };
    st_store64(it->map + (commit & 1) * SIZE + 136, PAGES - 1); /* the number of the last page */
    it->header = (st_log_header){ .page_size = SIZE, .salt = ctest_random(random), .commit = commit - 1 };
    return it;
}

static void pages_free(pages *it) {
    free(it->runs.all);
    free(it);
}

static void add_run(pages *it, uint64_t number, uint64_t count) {
    it->runs.all = realloc(it->runs.all, (it->runs.count + 1) * sizeof *it->runs.all);
    it->runs.all[it->runs.count++] = (st_page_run){ number, count };
    it->runs.pages += count;
}

/* The head of a page of a tree, at a page that follows others or is the first of a run. */
static void look_like_a_tree(pages *it, uint64_t number, uint64_t said, uint16_t lower, uint16_t upper) {
    uint8_t *page = it->map + number * SIZE;
    st_store64(page, said);
    st_store16(page + 10, ST_PAGE_LEAF);
    st_store16(page + 12, lower);
    st_store16(page + 14, upper);
}

/* Runs of any kind: pages of trees, full, half full and almost empty; values on one page and on more. */
static void fill_at_random(pages *it, uint64_t *random) {
    for (uint64_t at = 2 + ctest_random(random) % 2; at < PAGES - 4;) {
        uint64_t count = ctest_random(random) % 3 == 0 ? 2 + ctest_random(random) % 3 : 1;
        uint16_t lower = (uint16_t)(18 + 2 * (ctest_random(random) % 1000));
        uint16_t upper = (uint16_t)(lower + ctest_random(random) % (uint64_t)(SIZE - lower + 1));
        add_run(it, at, count);
        if (count == 1 && ctest_random(random) % 4 != 0) look_like_a_tree(it, at, at, lower, upper);
        else st_store16(it->map + at * SIZE + 10, ST_PAGE_OVERFLOW);
        for (uint64_t i = 1; i < count; i++) look_like_a_tree(it, at + i, at + i, lower, upper); /* a value may */
        at += count + ctest_random(random) % 2;
    }
}

static void check_page(const pages *it, uint64_t number, const st_log_run *run, const uint8_t *page) {
    const uint8_t *truth = it->map + number * SIZE;
    for (uint32_t i = 0; i < SIZE; i++) {
        bool hole = i >= run->hole && i < run->hole_end;
        CHECK_EQ(page[i], hole ? 0 : truth[i]);
    }
    if (run->hole == run->hole_end) return;
    CHECK_EQ(strata_load16(truth + 10), ST_PAGE_LEAF);
    CHECK_EQ(run->hole, strata_load16(truth + 12));
    CHECK_EQ(run->hole_end, strata_load16(truth + 14));
}

/* Every byte that a page uses is in the record that is read, and no more bytes than that. */
static void check_record(const pages *it, const st_log_record *record) {
    static uint8_t page[SIZE];
    const uint8_t *bytes = record->bytes + record->pages_at;
    CHECK_EQ(record->runs, it->runs.count);
    for (uint32_t i = 0; i < record->runs; i++) {
        st_log_run run = st_log_record_run(record, i), whole = { .count = 1 };
        CHECK(run.number == it->runs.all[i].number && run.count == it->runs.all[i].count);
        for (uint32_t n = 0; n < run.count; n++) {
            st_log_page_fill(run.count == 1 ? &run : &whole, SIZE, bytes + (size_t)n * SIZE, page);
            check_page(it, run.number + n, run.count == 1 ? &run : &whole, page);
        }
        bytes += st_log_run_size(&run, SIZE);
    }
    size_t used = (size_t)(bytes - record->bytes);
    CHECK(used <= record->size && record->size - used < SIZE);
}

void test_log_records_have_what_pages_use(void) {
    uint64_t random = ctest_seed();
    int file = open(ctest_path("records-log"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    CHECK(file >= 0);
    for (int i = 0; i < 50; i++) {
        pages *it = pages_make(&random);
        st_log_record made = { 0 }, read = { 0 };
        fill_at_random(it, &random);
        CHECK(st_log_record_make(&made, &it->header, &it->file, &it->runs));
        CHECK_EQ(st_log_record_write(file, &made, ST_LOG_BEGIN), 0);
        CHECK_EQ(st_log_record_read(file, ST_LOG_BEGIN, &it->header, it->file.txnid, &read), 0);
        CHECK(read.size == made.size && memcmp(read.bytes, made.bytes, made.size) == 0);
        check_record(it, &read);
        free(made.bytes);
        free(read.bytes);
        pages_free(it);
    }
    close(file);
}
