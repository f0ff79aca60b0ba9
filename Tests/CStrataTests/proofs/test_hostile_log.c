/* SPDX-License-Identifier: MIT
 * test_hostile_log.c -- logs whose checksums are right, and which lie: whatever they say, a file is opened or refused.
 *
 * What is refused because of its log is left as it was, unless a delta takes more of its base than that has. What a log
 * is believed may be anything, as what stands in a file may; but nobody crashes on it, and nobody waits. A tenth of
 * STRATA_HOSTILE_FILES are tried. */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/crc32c.h"
#include "store/deferral.h"
#include "store/log_pages.h"
#include "store/log_record.h"
#include "store/snapshot.h"
#include "support/salvage_support.h"
#include "support/store_support.h"

enum { COMMITS = 7, SECONDS = 30, OPENED = 0, REFUSED = 7 };
enum { RECORD_CHECKSUM = 16, RECORD_RUNS = 20, RECORD_SIZE = 24, RECORD_META = 32, RECORD_HEAD = 192 };
enum { RUN = 16, RUN_COUNT = 8, RUN_HOLE = 12 };

/* ---- A sound pair of files ----------------------------------------------- */

static void write_and_end(void *argument) {
    const log_paths *at = argument;
    static const char value[3000];
    strata_error error;
    strata_config config = { .size = sizeof config, .path = at->file, .durability = STRATA_DURABILITY_DEFERRED };
    st_deferral_window = 3600 * (st_time)1000 * ST_MILLISECOND;
    strata_store *store = must_open_with(&config);
    for (int i = 0; i < COMMITS; i++) {
        char key[8];
        snprintf(key, sizeof key, "%d", i);
        add_to_counter(store);
        CHECK_EQ(try_write(store, key, bytes(value, sizeof value), &error), STRATA_OK);
    }
    _exit(0);
}

/* ---- Lies ------------------------------------------------------------------ */

/* A number that could be meant, one beside it, or any. */
static uint64_t lie_about(uint64_t *random, uint64_t truth) {
    static const uint64_t edges[] = { 0, 1, 2, 3, 4095, 4096, 8192, UINT32_MAX, (uint64_t)1 << 47, UINT64_MAX };
    switch (ctest_random(random) % 6) {
    case 0: return truth + 1;
    case 1: return truth - 1;
    case 2: return truth * 2;
    case 3: return edges[ctest_random(random) % (sizeof edges / sizeof *edges)];
    case 4: return ctest_random(random) % 64;
    default: return ctest_random(random);
    }
}

static void lie_in_bytes(uint64_t *random, uint8_t *bytes, size_t size) {
    size_t at = ctest_random(random) % (size / 8) * 8;
    st_store64(bytes + at, lie_about(random, strata_load64(bytes + at)));
}

/* Both headers of the log become newer ones. */
static void lie_in_header(uint64_t *random, int file, st_log_header *header) {
    switch (ctest_random(random) % 8) {
    case 0: header->number = lie_about(random, header->number); break;
    case 1: header->in_use = !header->in_use; break;
    case 2: header->deferred = !header->deferred; break;
    case 3: header->page_size = (uint32_t)lie_about(random, header->page_size); break;
    case 4: header->salt = lie_about(random, header->salt); break;
    case 5: header->commit = lie_about(random, header->commit); break;
    case 6: header->uuid[ctest_random(random) % 16] ^= 1; break;
    default: lie_in_bytes(random, header->metas[0], sizeof header->metas);
    }
    for (int slot = 0; slot < 2; slot++, header->number++) CHECK_EQ(st_log_header_write(file, header, NULL), 0);
}

/* Where record `number` begins; the end of the log if there is none. */
static size_t record_at(const image *log, uint64_t number) {
    size_t at = ST_LOG_BEGIN;
    for (uint64_t i = 0; i < number && at + RECORD_HEAD < log->size; i++) {
        uint64_t size = strata_load64(log->bytes + at + RECORD_SIZE);
        if (size == 0 || size > log->size - at) return log->size;
        at += size;
    }
    return at;
}

/* Another hole, of the same size or not, or of pages that have none. */
static void lie_in_run(uint64_t *random, uint8_t *run) {
    uint16_t hole = strata_load16(run + RUN_HOLE), end = strata_load16(run + RUN_HOLE + 2);
    uint16_t by = (uint16_t)lie_about(random, 0);
    switch (ctest_random(random) % 5) {
    case 0: hole += by, end += by; break;
    case 1: hole += by; break;
    case 2: end += by; break;
    case 3: hole = (uint16_t)lie_about(random, hole), end = (uint16_t)lie_about(random, end); break;
    default: st_store32(run + RUN_COUNT, (uint32_t)lie_about(random, strata_load32(run + RUN_COUNT)));
    }
    st_store16(run + RUN_HOLE, hole);
    st_store16(run + RUN_HOLE + 2, end);
}

/* Another base of a delta, or other pieces. */
static void lie_in_delta(uint64_t *random, uint8_t *record, const uint8_t *end) {
    const st_log_record it = { .bytes = record, .runs = strata_load32(record + RECORD_RUNS) };
    if (it.runs > COMMITS * 16 || RECORD_HEAD + RUN * (size_t)it.runs > (size_t)(end - record)) return;
    uint8_t *bytes = record + RECORD_HEAD + RUN * (size_t)it.runs;
    for (uint32_t i = 0; i < it.runs && end - bytes > 4096; i++) {
        const st_log_run run = st_log_record_run(&it, i);
        if (run.delta != 0 && ctest_random(random) % 3 == 0) {
            uint8_t *piece = bytes + 8;
            while (run.delta < 4096 && piece + 6 + strata_load16(piece + 4) < bytes + run.delta &&
                   ctest_random(random) % 3 != 0)
                piece += 6 + strata_load16(piece + 4);
            uint8_t *field = piece + 2 * (ctest_random(random) % 3);
            if (ctest_random(random) % 4 == 0) st_store64(bytes, lie_about(random, strata_load64(bytes)));
            else st_store16(field, (uint16_t)lie_about(random, strata_load16(field)));
                    return;
        }
        if (st_log_run_size(&run, 4096) > (size_t)(end - bytes)) return; /* it lies already */
        bytes += st_log_run_size(&run, 4096);
    }
}

/* One record says something else, and has the checksum of that. */
static void lie_in_record(uint64_t *random, image *log) {
    size_t at = record_at(log, ctest_random(random) % (2 * COMMITS));
    if (at + RECORD_HEAD >= log->size) return;
    uint8_t *record = log->bytes + at;
    uint64_t size = strata_load64(record + RECORD_SIZE);
    switch (ctest_random(random) % 8) {
    case 0: lie_in_bytes(random, record, 16); break;
    case 6:
    case 7: lie_in_delta(random, record, log->bytes + log->size); break;
    case 1: st_store32(record + RECORD_RUNS, (uint32_t)lie_about(random, strata_load32(record + RECORD_RUNS))); break;
    case 2: st_store64(record + RECORD_SIZE, lie_about(random, size)); break;
    case 3: lie_in_bytes(random, record + RECORD_META, ST_META_SIZE); break;
    case 4: lie_in_bytes(random, record + RECORD_HEAD, 64); break;
    default: lie_in_run(random, record + RECORD_HEAD + RUN * (ctest_random(random) % 4));
    }
    uint64_t said = strata_load64(record + RECORD_SIZE);
    if (said > log->size - at || said < RECORD_HEAD) said = size > log->size - at ? RECORD_HEAD : size;
    st_store32(record + RECORD_CHECKSUM, 0);
    st_store32(record + RECORD_CHECKSUM, st_crc32c(0, record, said));
}

/* ---- Using them --------------------------------------------------------------- */

/* Who can read the file can also write it, unless it is damaged. */
static void use(strata_store *store) {
    strata_error error;
    st_txn *txn;
    if (st_snapshot_begin(store, &txn, &error) == STRATA_OK) st_snapshot_end(txn);
    for (int i = 0; i < 3; i++) {
        strata_status status = try_write(store, "after", text("it"), &error);
        CHECK(status == STRATA_OK || error.message[0] != 0);
    }
    (void)strata_store_flush(store, &error);
}

typedef struct attempt {
    log_paths at;
    image file, log;
    uint64_t seed, number;
} attempt;

static void try_log(void *argument) {
    attempt *it = argument;
    uint64_t random = it->seed + it->number * UINT64_C(0x9E3779B97F4A7C15);
    strata_durability durability =
        ctest_random(&random) % 2 == 0 ? STRATA_DURABILITY_FULL : STRATA_DURABILITY_DEFERRED;
    strata_config config = { .size = sizeof config, .path = it->at.file, .durability = durability };
    strata_error error;
    strata_store *store;
    alarm(SECONDS);
    image_write(&it->file, "a.strata");
    for (uint64_t lies = 1 + ctest_random(&random) % 3, i = 0; i < lies; i++) lie_in_record(&random, &it->log);
    image_write(&it->log, "a.strata-log");
    if (ctest_random(&random) % 2 == 0) {
        st_log_header header;
        int log = open(it->at.log, O_RDWR | O_CLOEXEC);
        CHECK_EQ(st_log_header_read(log, &header), 0);
        lie_in_header(&random, log, &header);
        if (ctest_random(&random) % 8 == 0) CHECK_EQ(ftruncate(log, (off_t)(ctest_random(&random) % it->log.size)), 0);
        close(log);
    }
    int file = open(it->at.file, O_RDONLY | O_CLOEXEC);
    st_log_pages pages;
    (void)st_log_pages_read(file, it->at.file, &pages, &error);
    st_log_pages_free(&pages);
    close(file);
    strata_status status = strata_store_open(&config, &store, &error);
    if (status == STRATA_OK) {
        use(store);
        strata_store_close(store);
    } else {
        image after = image_read("a.strata");
        CHECK(error.message[0] != 0);
        if (status == STRATA_REPLACED_FILE)
            CHECK(after.size == it->file.size && memcmp(after.bytes, it->file.bytes, after.size) == 0);
        free(after.bytes);
    }
    if (status != STRATA_OK) _exit(REFUSED);
    status = strata_store_open(&config, &store, &error); /* what was made of it can be used again, or is refused */
    if (status != STRATA_OK) return;
    use(store);
    strata_store_close(store);
}

void test_hostile_logs_do_no_harm(void) {
    const char *wish = getenv("STRATA_HOSTILE_FILES");
    uint64_t opened = 0, refused = 0, logs = wish != NULL ? strtoull(wish, NULL, 10) / 10 : ctest_rounds(200);
    ctest_directory_in_memory();
    attempt it = { .at = log_paths_make(), .seed = ctest_seed() };
    CHECK_EQ(ctest_child(write_and_end, &it.at), 0);
    it.file = image_read("a.strata");
    it.log = image_read("a.strata-log");
    for (it.number = 0; it.number < logs; it.number++) {
        char text[80];
        int end = ctest_child(try_log, &it);
        snprintf(text, sizeof text, "seed %llu, log %llu: it ended with %d", (unsigned long long)it.seed,
                 (unsigned long long)it.number, end);
        if (end == REFUSED) refused++;
        else if (end == OPENED) opened++;
        else ctest_fail(__FILE__, __LINE__, text);
    }
    CHECK(logs < 100 || (opened > logs / 8 && refused > logs / 8));
    if (wish != NULL)
        fprintf(stderr, "hostile: %llu logs that lie: %llu files opened, %llu refused\n", (unsigned long long)logs,
                (unsigned long long)opened, (unsigned long long)refused);
    free(it.file.bytes);
    free(it.log.bytes);
}
