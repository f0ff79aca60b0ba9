/* SPDX-License-Identifier: MIT
 * test_salvage_log.c -- damaged files whose newest commits are in their logs. */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/crc32c.h"
#include "store/log_pages.h"
#include "store/snapshot.h"
#include "store/state.h"
#include "store/tree.h"
#include "store/writer.h"
#include "support/damage.h"
#include "support/salvage_support.h"
#include "support/store_support.h"
#include "support/strata_support.h"

enum { ITEM, FIRST = 400 /* items of the first commit */, COMMITS = 9, EACH = 20 /* items of the others */ };

/* The file as it was when the log had only its first commit, and as its writer left it; and the log. */
typedef struct crash {
    image early, late, log;
} crash;

static void add_items(fixture *f, int from, int count) {
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = from; i < from + count; i++) ADD(ITEM, strata_int(i), value_of("an item among others"));
    MUST(strata_view_commit(f->view, &f->error));
}

/* What a process leaves that ends without closing its file. */
static void write_and_end(void *argument) {
    const strata_column_spec columns[] = { column("id", STRATA_INT, STRATA_COLUMN_PRIMARY),
                                           column("text", STRATA_STRING, STRATA_COLUMN_INDEXED) };
    const strata_table_spec table = { .name = "Item", .column_count = 2, .columns = columns };
    strata_config config = { .size = sizeof config, .path = ctest_path("logged"),
                             .durability = *(const uint32_t *)argument };
    fixture *f = calloc(1, sizeof *f);
    CHECK(f != NULL);
    MUST(strata_store_open(&config, &f->store, &f->error));
    MUST(strata_view_open(f->store, &f->view, &f->error));
    MUST(apply(f, 1, &table, 1));
    add_items(f, 0, FIRST);
    for (int i = 0; i < COMMITS; i++) {
        add_items(f, FIRST + EACH * i, EACH);
        if (i == 0) copy_file(ctest_path("logged"), ctest_path("early"));
    }
    _exit(0);
}

static crash make_crash(uint32_t durability) {
    ctest_directory_in_memory();
    CHECK_EQ(ctest_child(write_and_end, &durability), 0);
    return (crash){ image_read("early"), image_read("logged"), image_read("logged-log") };
}

static void crash_free(crash *it) {
    free(it->early.bytes);
    free(it->late.bytes);
    free(it->log.bytes);
}

static image copy_of(const image *it) {
    image copy = { malloc(it->size), it->size };
    memcpy(copy.bytes, it->bytes, it->size);
    return copy;
}

static void wipe_main(const image *it) { image_wipe(it, image_file(it).main_tree.root); }

/* Salvages a file with a log beside it, or without one, and says how many items came of it. Neither is changed. */
static strata_salvage_report salvage_with(const image *file, const image *log) {
    if (log != NULL) image_write(log, "damaged-log");
    else unlink(ctest_path("damaged-log"));
    strata_salvage_report report = salvaged(file, NULL);
    image after = image_read("damaged");
    CHECK(after.size == file->size && memcmp(after.bytes, file->bytes, after.size) == 0);
    free(after.bytes);
    CHECK((access(ctest_path("damaged-log"), F_OK) == 0) == (log != NULL));
    if (log == NULL) return report;
    after = image_read("damaged-log");
    CHECK(after.size == log->size && memcmp(after.bytes, log->bytes, after.size) == 0);
    free(after.bytes);
    unlink(ctest_path("damaged-log"));
    return report;
}

/* The commits that only the log has are not lost, whatever is lost of the file. */
static void check_log_of_its_own(uint32_t durability) {
    crash it = make_crash(durability);
    for (int late = 0; late < 2; late++) {
        const image *sound = late ? &it.late : &it.early;
        image file = copy_of(sound);
        strata_salvage_report report = salvage_with(&file, &it.log);
        CHECK(report.saved == FIRST + COMMITS * EACH && report.log == STRATA_SALVAGE_LOG_USED);
        CHECK(report.log_commits >= COMMITS - 1);
        wipe_main(&file);
        report = salvage_with(&file, &it.log);
        CHECK(report.saved == FIRST + COMMITS * EACH && report.log == STRATA_SALVAGE_LOG_USED);
        image_wipe(&file, 0);
        image_wipe(&file, 1);
        report = salvage_with(&file, &it.log);
        CHECK(report.saved == FIRST + COMMITS * EACH && report.log == STRATA_SALVAGE_LOG_USED);
        free(file.bytes);
    }
    crash_free(&it);
}

void test_salvage_takes_commits_from_the_log(void) { check_log_of_its_own(STRATA_DURABILITY_LOGGED); }
void test_salvage_takes_deferred_commits_from_the_log(void) { check_log_of_its_own(STRATA_DURABILITY_DEFERRED); }

/* Pages that the system had not written yet are those of the log, also behind the end of the file. */
void test_salvage_of_a_file_shorter_than_its_log_says(void) {
    crash it = make_crash(STRATA_DURABILITY_LOGGED);
    it.early.size -= it.early.size / 4 / DAMAGE_PAGE * DAMAGE_PAGE;
    strata_salvage_report report = salvage_with(&it.early, &it.log);
    CHECK(report.log == STRATA_SALVAGE_LOG_USED && report.saved >= COMMITS * EACH);
    crash_free(&it);
}

void test_salvage_tells_of_a_log_that_is_missing(void) {
    crash it = make_crash(STRATA_DURABILITY_LOGGED);
    strata_salvage_report report = salvage_with(&it.late, NULL);
    CHECK(report.log == STRATA_SALVAGE_LOG_MISSING && report.log_commits == 0);
    CHECK_EQ(report.saved, FIRST + COMMITS * EACH); /* the system has written them */
    image noise = { calloc(3, DAMAGE_PAGE), 3 * DAMAGE_PAGE };
    report = salvage_with(&it.late, &noise);
    CHECK_EQ(report.log, STRATA_SALVAGE_LOG_MISSING);
    free(noise.bytes);
    crash_free(&it);
}

/* A log of another store must not get into the new file, nor that of a file which was replaced by an older copy. */
void test_salvage_does_not_take_the_log_of_another_file(void) {
    crash it = make_crash(STRATA_DURABILITY_LOGGED);
    ctest_directory();
    unlink(ctest_path("logged"));
    unlink(ctest_path("logged-lock"));
    unlink(ctest_path("logged-log"));
    crash other = make_crash(STRATA_DURABILITY_LOGGED);
    strata_salvage_report report = salvage_with(&it.late, &other.log);
    CHECK(report.log == STRATA_SALVAGE_LOG_FOREIGN && report.log_commits == 0);
    CHECK_EQ(report.saved, FIRST + COMMITS * EACH);
    crash_free(&other);
    crash_free(&it);
}

/* What lies behind a record that is damaged counts, and that one is missing is told. */
void test_salvage_with_a_damaged_log(void) {
    crash it = make_crash(STRATA_DURABILITY_LOGGED);
    it.log.bytes[ST_LOG_BEGIN + 300] ^= 1;
    strata_salvage_report report = salvage_with(&it.late, &it.log);
    CHECK(report.log == STRATA_SALVAGE_LOG_DAMAGED && report.log_commits > 0);
    CHECK_EQ(report.saved, FIRST + COMMITS * EACH);
    it.log.size = ST_LOG_BEGIN + 3 * DAMAGE_PAGE; /* it lacks what the file shows, and so does not count */
    report = salvage_with(&it.late, &it.log);
    CHECK(report.log == STRATA_SALVAGE_LOG_DAMAGED && report.log_commits == 0);
    CHECK_EQ(report.saved, FIRST + COMMITS * EACH);
    crash_free(&it);
}

/* Of what a gap takes away, the file counts if it has it, and not what the log had of the same pages before. */
void test_salvage_with_a_gap_anywhere_in_the_log(void) {
    enum { RECORD_SIZE = 24 };
    crash it = make_crash(STRATA_DURABILITY_LOGGED);
    uint64_t salt = strata_load64(it.log.bytes + 32), next;
    int gaps = 0, without_loss = 0;
    for (size_t at = ST_LOG_BEGIN; strata_load64(it.log.bytes + at) == salt; at = next, gaps++) {
        next = at + strata_load64(it.log.bytes + at + RECORD_SIZE);
        bool last = strata_load64(it.log.bytes + next) != salt; /* then there is no gap, and the log ends before it */
        it.log.bytes[at + 300] ^= 1;
        strata_salvage_report report = salvage_with(&it.late, &it.log), early = salvage_with(&it.early, &it.log);
        it.log.bytes[at + 300] ^= 1;
        CHECK_EQ(report.log, last ? STRATA_SALVAGE_LOG_USED : STRATA_SALVAGE_LOG_DAMAGED);
        CHECK(report.saved >= FIRST && early.saved >= FIRST);
        without_loss += report.saved == FIRST + COMMITS * EACH;
    }
    CHECK(gaps >= COMMITS && without_loss >= gaps - 3); /* pages that only the lost record has are taken as they were */
    crash_free(&it);
}

/* Whatever becomes of the log: nothing ends the work, and what comes of it is sound. */
void test_salvage_with_any_log(void) {
    enum { ROUNDS = 60 };
    crash it = make_crash(STRATA_DURABILITY_LOGGED);
    uint64_t random = ctest_seed();
    for (int round = 0; round < ROUNDS; round++) {
        image file = copy_of(round % 2 == 0 ? &it.early : &it.late), log = copy_of(&it.log);
        const char *way;
        if (log.size > ST_LOG_BEGIN + 64 * DAMAGE_PAGE) log.size = ST_LOG_BEGIN + 64 * DAMAGE_PAGE;
        log.size = damage_image(log.bytes, log.size, &random, &way);
        if (round % 3 == 0) file.size = damage_image(file.bytes, file.size, &random, &way);
        image_write(&log, "damaged-log");
        strata_salvage_report report;
        strata_error error;
        strata_status status = salvage(&file, NULL, &report, &error);
        if (status == STRATA_OK) {
            fixture *f = fixture_open("saved");
            verify(f);
            CHECK_EQ(table_size(f, ITEM), report.saved);
            fixture_close(f);
        }
        CHECK(status == STRATA_OK || round % 3 == 0);
        free(file.bytes);
        free(log.bytes);
    }
    crash_free(&it);
}

/* ---- Headers ----------------------------------------------------------- */

/* Opens a file whose log was put away and used again, and ends without closing it. */
static void go_on(void *unused) {
    (void)unused;
    strata_config config = { .size = sizeof config, .path = ctest_path("x"), .durability = STRATA_DURABILITY_LOGGED };
    strata_store *store = must_open_with(&config);
    for (int i = 0; i < 2; i++) must_write(store, "first", "1");
    copy_file(ctest_path("x"), ctest_path("y")); /* as a power cut may leave it */
    for (int i = 0; i < 50; i++) must_write(store, "last", "2");
    _exit(0);
}

/* One of both headers is damaged: the other one says the same. */
void test_salvage_log_header_that_is_damaged_changes_nothing(void) {
    crash it = make_crash(STRATA_DURABILITY_LOGGED);
    image_write(&it.late, "x");
    image_write(&it.log, "x-log");
    CHECK_EQ(ctest_child(go_on, NULL), 0);
    image log = image_read("x-log"), early = image_read("y");
    for (int slot = 0; slot < 2; slot++) {
        log.bytes[4096 * slot + 100] ^= 1;
        image_write(&log, "x-log");
        image_write(&early, "x");
        (void)unlink(ctest_path("x-lock"));
        strata_store *store = must_open(ctest_path("x"));
        must_hold(store, "last", "2");
        strata_store_close(store);
        log.bytes[4096 * slot + 100] ^= 1;
    }
    free(log.bytes);
    free(early.bytes);
    crash_free(&it);
}

static uint32_t checksum_of(const uint8_t *bytes, size_t size, size_t at) {
    static const uint8_t zero[4];
    uint32_t sum = st_crc32c(st_crc32c(0, bytes, at), zero, sizeof zero);
    return st_crc32c(sum, bytes + at + 4, size - at - 4);
}

/* Both headers as another version has them. */
static void set_version(image *log, uint32_t version) {
    for (int slot = 0; slot < 2; slot++) {
        uint8_t *header = log->bytes + 4096 * slot;
        st_store32(header + 8, version);
        st_store32(header + 12, checksum_of(header, 512, 12));
    }
}

/* A log of another version is replaced if there is nothing in it, and otherwise keeps the file from being opened. */
void test_salvage_log_of_another_version(void) {
    strata_config config = { .size = sizeof config, .path = ctest_path("x"), .durability = STRATA_DURABILITY_LOGGED };
    crash it = make_crash(STRATA_DURABILITY_LOGGED);
    strata_store *store;
    strata_error error;
    image_write(&it.late, "x");
    image_write(&it.log, "x-log");
    strata_store_close(must_open(ctest_path("x")));
    image log = image_read("x-log");
    set_version(&log, 1);
    image_write(&log, "x-log");
    store = must_open_with(&config);
    for (int i = 0; i < 3; i++) must_write(store, "a", "1");
    CHECK(store->log.in_use && !store->log.denied);
    strata_store_close(store);
    set_version(&it.log, 1);
    image_write(&it.early, "x");
    image_write(&it.log, "x-log");
    (void)unlink(ctest_path("x-lock"));
    CHECK_EQ(strata_store_open(&config, &store, &error), STRATA_CORRUPT);
    CHECK(strstr(error.message, "of another version of Strata") != NULL);
    free(log.bytes);
    crash_free(&it);
}

enum { RECORD_HEAD = 192, RUN = 16, HELD = 16 /* bytes of a page that is a hole otherwise */ };

/* Writes a record with a right checksum, whose runs are each a page that is nearly all hole. Returns its size. */
static size_t name_pages(uint8_t *record, const uint8_t *header, uint64_t commit, uint64_t first, uint32_t runs) {
    size_t size = (RECORD_HEAD + (RUN + HELD) * (size_t)runs + 4095) / 4096 * 4096;
    st_store64(record, strata_load64(header + 32));
    st_store64(record + 8, commit);
    st_store32(record + 20, runs);
    st_store64(record + 24, size);
    memcpy(record + 32, header + 64 + 152 * (commit & 1), 152);
    st_store64(record + 32 + 136, 1 << 20); /* the last page, */
    st_store64(record + 32 + 144, commit);  /* and the commit of its meta page */
    for (uint64_t i = 0; i < runs; i++) {
        uint8_t *run = record + RECORD_HEAD + RUN * i;
        st_store64(run, first + i);
        st_store32(run + 8, 1);
        st_store16(run + 12, HELD);
        st_store16(run + 14, 4096);
    }
    st_store32(record + 16, checksum_of(record, size, 16));
    return size;
}

/* Records without end would be put back for as long as somebody likes. */
void test_salvage_log_that_is_too_long_is_not_put_back(void) {
    enum { RECORDS = 5000 };
    crash it = make_crash(STRATA_DURABILITY_LOGGED);
    strata_error error;
    image log = { calloc(1, 24 << 20), 24 << 20 };
    memcpy(log.bytes, it.log.bytes, ST_LOG_BEGIN);
    uint8_t *at = log.bytes + ST_LOG_BEGIN;
    uint64_t commit = strata_load64(log.bytes + 40) + 1;
    for (uint64_t i = 0; i < RECORDS; i++) at += name_pages(at, log.bytes, commit + i, 100, 1);
    image_write(&it.early, "x");
    image_write(&log, "x-log");
    strata_config config = { .size = sizeof config, .path = ctest_path("x") };
    strata_store *store;
    CHECK_EQ(strata_store_open(&config, &store, &error), STRATA_CORRUPT);
    CHECK(strstr(error.message, "more records than any log") != NULL);
    image file = image_read("x");
    CHECK(file.size == it.early.size && memcmp(file.bytes, it.early.bytes, file.size) == 0);
    free(file.bytes);
    free(log.bytes);
    crash_free(&it);
}

/* A snapshot keeps all pages, so that each commit has others, which are much like those before. */
static void write_many_pages_and_end(void *argument) {
    enum { LEAVES = 200, IN_EACH = 4, PAGES = 70000 };
    static uint8_t value[900];
    strata_config config = { .size = sizeof config, .path = argument, .durability = STRATA_DURABILITY_LOGGED,
                             .map_size = 1 << 30 };
    strata_store *store = must_open_with(&config);
    st_txn *snapshot = NULL, *txn;
    for (uint64_t step = 0; store->log.pages.count < PAGES; step++) {
        CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
        for (int i = 0; i < LEAVES * IN_EACH; i += step == 0 ? 1 : IN_EACH) {
            char key[8];
            snprintf(key, sizeof key, "%04d", i);
            for (size_t k = 0; k < sizeof value; k++) value[k] = (uint8_t)(k * 31 + (size_t)i);
            memcpy(value + 100, &step, sizeof step);
            CHECK_EQ(st_tree_put(txn, ST_ROWS, text(key), bytes(value, sizeof value), NULL), STRATA_OK);
        }
        CHECK_EQ(st_writer_commit(txn, NULL), STRATA_OK);
        if (step == 0) CHECK_EQ(st_snapshot_begin(store, &snapshot, NULL), STRATA_OK);
    }
    _exit(0);
}

/* A log has more pages than bytes for them, and more than memory is set aside for those of a crafted one. */
void test_salvage_log_of_very_many_pages(void) {
    strata_error error;
    st_log_pages pages;
    ctest_directory_in_memory();
    const char *path = ctest_path("x");
    CHECK_EQ(ctest_child(write_many_pages_and_end, (void *)path), 0);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    CHECK_EQ(st_log_pages_read(file, path, &pages, &error), STRATA_OK);
    CHECK(pages.known && !pages.gap && pages.commits > 100 && pages.count >= 70000);
    st_log_pages_free(&pages);
    close(file);
}

/* The bytes that this process has read, as Linux counts them; 0 if it does not tell. */
static uint64_t bytes_read(void) {
    unsigned long long count = 0;
    FILE *file = fopen("/proc/self/io", "r");
    if (file == NULL) return 0;
    if (fscanf(file, "rchar: %llu", &count) != 1) count = 0;
    fclose(file);
    return count;
}

/* One record that names more pages than any commit has, or many that do together, take neither memory nor the file with
 * them; nor do beginnings of records that claim to be as long as can be. The pages of a log that is none take at most 256
 * MiB more than the file. */
void test_salvage_with_a_log_that_names_too_much(void) {
    enum { ONE = 300000, EACH_PAGES = 256, RECORDS = 2000, BEGINNINGS = 8000, PAGE = 4096 };
    crash it = make_crash(STRATA_DURABILITY_LOGGED);
    for (int way = 0; way < 3; way++) {
        image log = { calloc(1, 36 << 20), 36 << 20 };
        memcpy(log.bytes, it.log.bytes, ST_LOG_BEGIN);
        const uint8_t *header = log.bytes;
        uint64_t commit = strata_load64(header + 40) + 1;
        uint8_t *at = log.bytes + ST_LOG_BEGIN;
        if (way == 0) (void)name_pages(at, header, commit, 100, ONE);
        for (uint64_t i = 0; i < RECORDS && way == 1; i++)
            at += name_pages(at, header, commit + i, 100 + EACH_PAGES * i, EACH_PAGES);
        for (uint64_t i = 0; i < BEGINNINGS && way == 2; i++, at += PAGE) {
            (void)name_pages(at, header, commit + i, 100, EACH_PAGES);
            st_store64(at + 24, RECORD_HEAD + RUN * EACH_PAGES + PAGE * EACH_PAGES + PAGE - RECORD_HEAD);
        }
        struct rusage before, after;
        uint64_t read_before = bytes_read();
        CHECK_EQ(getrusage(RUSAGE_SELF, &before), 0);
        strata_salvage_report report = salvage_with(&it.late, &log);
        CHECK_EQ(getrusage(RUSAGE_SELF, &after), 0);
        CHECK_EQ(report.saved, FIRST + COMMITS * EACH);
        CHECK(bytes_read() - read_before < 10 * log.size);
        CHECK(report.log == STRATA_SALVAGE_LOG_DAMAGED && after.ru_maxrss - before.ru_maxrss < 300 << 10);
        free(log.bytes);
    }
    crash_free(&it);
}
