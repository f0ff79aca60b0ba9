/* SPDX-License-Identifier: MIT
 *
 * test_power_flush.c -- flushes fail; the program closes the file and opens it again, as it is told to, or is killed, and
 * goes on; then the power fails at any moment. What was acknowledged is there, as in test_power.c, and so is what was
 * read after the file was opened again; and nothing is damaged. Flushes also fail while a file is opened, put back from
 * its log, and closed.
 *
 * The system is the worst there is: what a flush that failed should have written counts as written from then on, and is
 * on the disk only in part, or not at all, until something writes it anew.
 *
 * CTEST_POWER_FLUSH is how many courses there are. A failure names the seed of its course, and CTEST_POWER_FLUSH="seed
 * SEED" looks at that one again.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/deferral.h"
#include "store/snapshot.h"
#include "store/tree.h"
#include "store/writer.h"
#include "support/disk_state.h"
#include "support/faults.h"
#include "support/store_support.h"

enum { COURSES = 60, STATES = 12, STEPS = 40, KEYS = 12, MOST_SIZE = 3000 };

/* What a child tells its parent. */
typedef struct course {
    uint64_t seed;
    strata_durability durability;
    unsigned states, failures;
    char text[400];
} course;

static void wrong(course *c, const char *what, long long number) {
    snprintf(c->text, sizeof c->text, "%s: %lld", what, number);
    _exit(98);
}

/* ---- Steps ---------------------------------------------------------------- *
 * Step n writes two of the keys, and its number. So the number tells what all of them hold.
 */

static bool writes(int step, int key) { return key == step % KEYS || key == step * 5 % KEYS; }

static strata_bytes value_of(int step, int key, char room[MOST_SIZE]) {
    size_t size = (size_t)(100 + (step * 977 + key * 131) % (MOST_SIZE - 100));
    memset(room, 'a' + (step + key) % 26, size);
    return bytes(room, size);
}

static strata_bytes name_of(int key, char room[8]) {
    snprintf(room, 8, "k%d", key);
    return text(room);
}

static strata_status take_step(strata_store *store, int step) {
    char name[8], room[MOST_SIZE];
    st_txn *txn;
    strata_status status = st_writer_begin(store, &txn, NULL);
    if (status != STRATA_OK) return status;
    for (int key = 0; key < KEYS && status == STRATA_OK; key++)
        if (writes(step, key)) status = st_tree_put(txn, ST_ROWS, name_of(key, name), value_of(step, key, room), NULL);
    if (status == STRATA_OK) status = st_tree_put(txn, ST_ROWS, text("step"), bytes(&step, sizeof step), NULL);
    if (status == STRATA_OK) return st_writer_commit(txn, NULL);
    st_writer_abort(txn);
    return status;
}

/* The number of the last step, all of which is there. */
static int last_step(course *c, strata_store *store) {
    char name[8], room[MOST_SIZE];
    strata_bytes out;
    st_txn *txn;
    int step = 0;
    if (st_snapshot_begin(store, &txn, NULL) != STRATA_OK) wrong(c, "it cannot be read", 0);
    if (st_tree_get(txn, ST_ROWS, text("step"), &out, NULL) == STRATA_OK) memcpy(&step, out.data, sizeof step);
    for (int key = 0; key < KEYS; key++) {
        int writer = step;
        while (writer > 0 && !writes(writer, key)) writer--;
        strata_status status = st_tree_get(txn, ST_ROWS, name_of(key, name), &out, NULL);
        if (writer == 0 && status == STRATA_NOT_FOUND) continue;
        strata_bytes expected = value_of(writer, key, room);
        if (status != STRATA_OK || out.size != expected.size || memcmp(out.data, expected.data, out.size) != 0)
            wrong(c, "a value is not that of the step", step);
    }
    st_snapshot_end(txn);
    return step;
}

/* ---- A course ------------------------------------------------------------- */

static strata_status try_to_open(const course *c, const site *at, uint32_t flags, strata_store **out,
                                 strata_error *error) {
    char path[500];
    strata_config config = { .size = sizeof config, .path = site_path(at, "store", path), .map_size = 1 << 28,
                             .durability = c->durability, .flags = flags };
    return strata_store_open(&config, out, error);
}

static strata_store *open_site(course *c, const site *at, uint32_t flags) {
    strata_error error;
    strata_store *store = NULL;
    if (try_to_open(c, at, flags, &store, &error) == STRATA_OK) return store;
    snprintf(c->text, sizeof c->text, "it cannot be opened: %s", error.message);
    _exit(98);
}

/* Of the flushes from here on, one of the next `most` fails. */
static void arm(uint64_t *random, unsigned most) {
    static const int codes[] = { EIO, ENOSPC, EDQUOT };
    fault_set_everywhere(FAULT_FDATASYNC, 1 + (unsigned)(ctest_random(random) % most), 1, codes[ctest_random(random) % 3]);
}

static void disarm(course *c) {
    if (fault_clear()) c->failures++;
}

/* Whoever is killed flushes nothing any more, and tells nobody. */
static void end_it(strata_store *store) {
    store->told = true;
    atomic_store(&store->poisoned, true);
    atomic_store(&store->distrusted, true);
}

/* Closes the file, or ends as a process that is killed; then opens it. Flushes may fail meanwhile. */
static strata_store *open_again(course *c, const site *at, strata_store *store, uint64_t *random) {
    enum { TRIES = 4 };
    strata_error error;
    disarm(c);
    switch (ctest_random(random) % 3) {
    case 0: break;
    case 1: arm(random, 3); break;
    default: end_it(store); break;
    }
    strata_store_close(store);
    store = NULL;
    disarm(c);
    for (int i = 0; i < TRIES && store == NULL; i++) {
        if (ctest_random(random) % 3 == 0) arm(random, 3);
        (void)try_to_open(c, at, 0, &store, &error);
        disarm(c);
    }
    return store != NULL ? store : open_site(c, at, 0);
}

/* Notes the last step that was acknowledged, and the last one that must not get lost. */
static void note(int acknowledged, int lasting) { record_note((off_t)lasting << 20 | acknowledged); }

static strata_status go_on(strata_store *store, int step, bool *flushed, uint64_t *random) {
    strata_error error;
    *flushed = false;
    if (ctest_random(random) % 6 == 0) store->full = true; /* as if there had been no room for the write before */
    if (ctest_random(random) % 8 == 0 && strata_store_flush(store, &error) != STRATA_OK) return STRATA_IO;
    strata_status status = take_step(store, step);
    if (status == STRATA_OK && ctest_random(random) % 8 == 0)
        *flushed = strata_store_flush(store, &error) == STRATA_OK;
    return status;
}

static void run(course *c, const site *at, uint64_t *random) {
    strata_store *store = open_site(c, at, 0);
    int done = 0, lasting = 0;
    bool waits = c->durability == STRATA_DURABILITY_FULL || c->durability == STRATA_DURABILITY_LOGGED;
    arm(random, 50);
    while (done < STEPS) {
        bool flushed, failed = go_on(store, done + 1, &flushed, random) != STRATA_OK;
        if (!failed) done++;
        if (flushed || (waits && !failed)) lasting = done;
        if (failed || ctest_random(random) % 10 == 0) {
            store = open_again(c, at, store, random);
            int now = last_step(c, store);
            if (now != done && !(failed && now == done + 1)) wrong(c, "there is another step than before", now);
            done = lasting = now;
            arm(random, 30);
        }
        note(done, lasting);
    }
    disarm(c);
    strata_store_close(store);
}

static void check_states(course *c, const record *log, const site *at, uint64_t *random) {
    static const survival kinds[] = { NONE, ALL, SOME_WRITES, SOME_SECTORS };
    disk *d = calloc(1, sizeof *d);
    CHECK(d != NULL);
    for (int i = 0; i < STATES; i++) {
        size_t cut = ctest_random(random) % (log->event_count + 1);
        off_t noted = disk_make_up(log, cut, kinds[ctest_random(random) % 4], ALL, random, d);
        int acknowledged = (int)(noted & 0xFFFFF), lasting = (int)(noted >> 20);
        int first = c->durability == STRATA_DURABILITY_DEFERRED ? lasting : acknowledged - (acknowledged > lasting);
        if (noted == 0) continue; /* perhaps there is no file yet */
        disk_write_out(d, log, at, random);
        strata_store *store = open_site(c, at, STRATA_OPEN_CHECK_PAGES);
        int step = last_step(c, store);
        strata_store_close(store);
        c->states++;
        if (step < first) wrong(c, "a step is lost that was acknowledged; the last one there", step);
        if (step > acknowledged + 1) wrong(c, "there is a step that nobody made", step);
    }
    disk_free(d);
    free(d);
}

static void run_course(void *argument) {
    course *c = argument;
    uint64_t random = c->seed;
    site recorded = { .store = NULL }, cut = { .store = NULL };
    record log;
    snprintf(recorded.directory, sizeof recorded.directory, "%s", ctest_path("recorded"));
    snprintf(cut.directory, sizeof cut.directory, "%s", ctest_path("cut"));
    (void)mkdir(recorded.directory, 0700);
    (void)mkdir(cut.directory, 0700);
    c->durability = (strata_durability)(ctest_random(&random) % 4);
    if (ctest_random(&random) % 2 == 0) st_deferral_window = ST_MILLISECOND;
    record_start(&log, recorded.directory);
    run(c, &recorded, &random);
    record_stop();
    check_states(c, &log, &cut, &random);
    record_free(&log);
}

static void empty_folder(const char *name) {
    static const char *const files[] = { "store", "store-log", "store-lock" };
    char path[500];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", ctest_path(name), files[i]);
        (void)unlink(path);
    }
}

void test_power_fails_after_a_flush_has_failed(void) {
    course *c = mmap(NULL, sizeof *c, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(c != MAP_FAILED);
    ctest_directory_in_memory();
    const char *given = getenv("CTEST_POWER_FLUSH");
    bool one = given != NULL && strncmp(given, "seed ", 5) == 0;
    unsigned courses = one ? 1 : given != NULL ? (unsigned)strtoul(given, NULL, 0) : COURSES;
    uint64_t first = one ? strtoull(given + 5, NULL, 0) : ctest_seed();
    for (unsigned i = 0; i < courses; i++) {
        char text[600];
        empty_folder("recorded");
        empty_folder("cut");
        c->seed = first + i;
        c->text[0] = 0;
        int result = ctest_child(run_course, c);
        snprintf(text, sizeof text, "CTEST_POWER_FLUSH=\"seed %llu\" (durability %d): %s", (unsigned long long)c->seed,
                 (int)c->durability, c->text[0] != 0 ? c->text : "see above");
        if (result != 0) ctest_fail(__FILE__, __LINE__, text);
    }
    if (given != NULL) printf("       %u courses, %u failed flushes, %u states\n", courses, c->failures, c->states);
    if (courses >= COURSES) CHECK(c->failures > courses / 2 && c->states > courses);
}
