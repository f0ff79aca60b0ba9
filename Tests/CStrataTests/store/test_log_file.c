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
#include "store/log_record.h"
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
    it->runs.all[it->runs.count++] = (st_page_run){ .number = number, .count = count };
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

/* How many bytes the page of a value uses: some, or all. */
static uint32_t value_end(uint64_t *random) {
    uint64_t most = SIZE - ST_PAGE_HEADER;
    return (uint32_t)(ST_PAGE_HEADER + (ctest_random(random) % 4 == 0 ? most : 1 + ctest_random(random) % most));
}

/* The run that was added last becomes one of a value. */
static void look_like_a_value(pages *it, uint64_t *random) {
    st_page_run *run = &it->runs.all[it->runs.count - 1];
    st_store16(it->map + run->number * SIZE + 10, ST_PAGE_OVERFLOW);
    if (run->count == 1) run->used = value_end(random);
}

/* Runs of any kind: pages of trees, full, half full and almost empty; values on one page and on more. */
static void fill_at_random(pages *it, uint64_t *random) {
    for (uint64_t at = 2 + ctest_random(random) % 2; at < PAGES - 4;) {
        uint64_t count = ctest_random(random) % 3 == 0 ? 2 + ctest_random(random) % 3 : 1;
        uint16_t lower = (uint16_t)(18 + 2 * (ctest_random(random) % 1000));
        uint16_t upper = (uint16_t)(lower + ctest_random(random) % (uint64_t)(SIZE - lower + 1));
        add_run(it, at, count);
        if (count == 1 && ctest_random(random) % 4 != 0) look_like_a_tree(it, at, at, lower, upper);
        else look_like_a_value(it, random);
        for (uint64_t i = 1; i < count; i++) look_like_a_tree(it, at + i, at + i, lower, upper); /* a value may */
        at += count + ctest_random(random) % 2;
    }
}

static void check_page(const pages *it, uint64_t number, uint32_t used, const st_log_run *run, const uint8_t *page) {
    const uint8_t *truth = it->map + number * SIZE;
    for (uint32_t i = 0; i < SIZE; i++) {
        bool hole = i >= run->hole && i < run->hole_end;
        CHECK_EQ(page[i], hole ? 0 : truth[i]);
    }
    if (used != 0) CHECK(run->hole == used && run->hole_end == SIZE);
    if (run->hole == run->hole_end || used != 0) return;
    CHECK_EQ(strata_load16(truth + 10), ST_PAGE_LEAF);
    CHECK_EQ(run->hole, strata_load16(truth + 12));
    CHECK_EQ(run->hole_end, strata_load16(truth + 14));
}

/* Every byte that a page uses is in the record that is read, and no more bytes than that. `base` is that of the deltas;
 * what it has behind its value, if `base_used` is not 0, is needed for none. Returns how many deltas there are. */
static uint32_t check_record(const pages *it, const st_log_record *record, uint64_t base, uint32_t base_used) {
    static uint8_t page[SIZE], room[SIZE], other[SIZE];
    const uint8_t *bytes = record->bytes + record->pages_at;
    uint32_t deltas = 0;
    memcpy(other, it->map + base * SIZE, SIZE);
    if (base_used != 0) memset(other + base_used, 0, SIZE - base_used);
    CHECK_EQ(record->runs, it->runs.count);
    for (uint32_t i = 0; i < record->runs; i++) {
        st_log_run run = st_log_record_run(record, i), whole = { .count = 1 };
        CHECK(run.number == it->runs.all[i].number && run.count == it->runs.all[i].count);
        CHECK(run.delta == 0 || st_log_run_base(bytes) == base);
        for (uint32_t n = 0; n < run.count; n++) {
            const st_log_run *one = run.count == 1 ? &run : &whole;
            CHECK(st_log_page_fill(one, SIZE, bytes + (size_t)n * SIZE, other, room, page));
            check_page(it, run.number + n, it->runs.all[i].used, one, page);
        }
        bytes += st_log_run_size(&run, SIZE);
        deltas += run.delta != 0;
    }
    size_t used = (size_t)(bytes - record->bytes);
    CHECK(used <= record->size && record->size - used < SIZE);
    return deltas;
}

/* Makes a record, writes and reads it. */
static st_log_record record_of(const pages *it, int file, const st_key_set *known) {
    st_log_record made = { 0 }, read = { 0 };
    CHECK(st_log_record_make(&made, &it->header, &it->file, &it->runs, known));
    CHECK_EQ(st_log_record_write(file, &made, ST_LOG_BEGIN), 0);
    CHECK_EQ(st_log_record_read(file, ST_LOG_BEGIN, &it->header, it->file.txnid, &read), 0);
    CHECK(read.size == made.size && memcmp(read.bytes, made.bytes, made.size) == 0);
    free(made.bytes);
    return read;
}

void test_log_records_have_what_pages_use(void) {
    const st_key_set none = { 0 };
    uint64_t random = ctest_seed();
    int file = open(ctest_path("records-log"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    CHECK(file >= 0);
    for (int i = 0; i < 50; i++) {
        pages *it = pages_make(&random);
        fill_at_random(it, &random);
        st_log_record record = record_of(it, file, &none);
        CHECK_EQ(check_record(it, &record, 2, 0), 0);
        free(record.bytes);
        pages_free(it);
    }
    close(file);
}

/* What a commit makes of a page: it has another number, some of its bytes changed, and some moved. */
static void make_of(pages *it, uint64_t number, uint64_t base, uint64_t *random) {
    uint8_t *page = it->map + number * SIZE;
    uint64_t end = ST_PAGE_HEADER + ctest_random(random) % (SIZE - ST_PAGE_HEADER);
    uint64_t by = ctest_random(random) % (end - ST_PAGE_HEADER + 1);
    memcpy(page, it->map + base * SIZE, SIZE);
    if (strata_load16(page + 10) == ST_PAGE_LEAF) st_store64(page, number);
    memmove(page + ST_PAGE_HEADER, page + ST_PAGE_HEADER + by, end - ST_PAGE_HEADER - by);
    for (int i = 0; i < 20; i++)
        page[ST_PAGE_HEADER + ctest_random(random) % (SIZE - ST_PAGE_HEADER)] = (uint8_t)ctest_random(random);
}

/* Of pages that are much like another one, which the log has, there are deltas, from which they can be made again. */
void test_log_records_have_deltas(void) {
    enum { BASE = PAGES - 1, ALONE = PAGES - 3 };
    uint64_t random = ctest_seed(), deltas = 0, records = 0;
    int file = open(ctest_path("deltas-log"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    CHECK(file >= 0);
    for (int i = 0; i < 150; i++) {
        st_key_set known = { 0 };
        pages *it = pages_make(&random);
        fill_at_random(it, &random);
        uint16_t lower = (uint16_t)(18 + 2 * (ctest_random(&random) % 200));
        uint32_t base_used = i % 2 == 0 ? 0 : value_end(&random);
        if (i % 2 == 0) look_like_a_tree(it, BASE, BASE, lower, (uint16_t)(lower + ctest_random(&random) % 3000));
        else st_store16(it->map + BASE * SIZE + 10, ST_PAGE_OVERFLOW);
        for (size_t k = 0; k < it->runs.count; k++) {
            st_page_run *run = &it->runs.all[k];
            bool alike = (run->used != 0) == (base_used != 0); /* the pages at a level are all of trees, or of values */
            if (run->count != 1 || !alike || ctest_random(&random) % 3 == 0) continue;
            run->base = BASE;
            run->base_used = base_used;
            make_of(it, run->number, BASE, &random);
        }
        add_run(it, ALONE, 1); /* nothing is like it */
        it->runs.all[it->runs.count - 1].base = BASE;
        it->runs.all[it->runs.count - 1].base_used = base_used;
        st_log_record record = record_of(it, file, &known);
        CHECK_EQ(check_record(it, &record, BASE, base_used), 0); /* the log has no such page */
        size_t whole = record.size;
        free(record.bytes);
        CHECK(st_key_set_add(&known, BASE, NULL));
        record = record_of(it, file, &known);
        deltas += check_record(it, &record, BASE, base_used);
        CHECK(record.size <= whole);
        records += record.size < whole;
        st_log_record_add_pages(&record, &known);
        for (size_t k = 0; k < it->runs.count; k++) CHECK(st_key_set_has(&known, it->runs.all[k].number));
        free(record.bytes);
        st_key_set_free(&known);
        pages_free(it);
    }
    CHECK(deltas > 200 && records > 40);
    close(file);
}
