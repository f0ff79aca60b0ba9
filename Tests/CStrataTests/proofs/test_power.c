/* SPDX-License-Identifier: MIT
 *
 * test_power.c -- the power fails at any moment: what was acknowledged is there, but for the last commit if that was
 * relaxed, and for those since the last flush if they were deferred; and nothing is damaged.
 *
 * A workload runs once, and every write, sync and change of a name is recorded. Then states of the disk are made up
 * that a power cut could have left: all that happened before some moment, of which what had been synced is kept, and of
 * the rest nothing, all of it, some writes, or some sectors of 512 bytes; files of any length in between; names that
 * have changed, or not yet. Each state is opened, verified and compared with what the workload had acknowledged.
 *
 * It is assumed that the disk honours flushes and writes single sectors whole.
 *
 * CTEST_POWER is how many states there are of each workload and durability. A failure names the seed of its state, and
 * CTEST_POWER="bulk SEED relaxed" looks at that one again.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/disk_state.h"
#include "support/record.h"
#include "support/workload.h"

enum { STATES = 120, BATCH = 500 };

/* What a series shares with its parent, and what it found. */
typedef struct power_series {
    const workload *what;
    strata_durability durability;
    uint64_t first_seed, only;
    unsigned states;
    uint64_t seed; /* of the state that is looked at */
    unsigned done, lost, before, after, kinds[4];
    size_t writes, syncs;
    char text[600];
} power_series;

static void wrong(power_series *s, const char *what, const char *more) {
    snprintf(s->text, sizeof s->text, "%s (%s)", what, more);
    _exit(98);
}

/* ---- Looking at a state ----------------------------------------------- */

/* A workload's run: the states of the files before and after each step, and which steps must not get lost. */
typedef struct course {
    world states[MOST_STEPS + 1];
    bool lasting[MOST_STEPS + 1];
} course;

static void check_state(power_series *s, const record *log, const course *run, const site *at, disk *d) {
    static const survival kinds[] = { NONE, ALL, SOME_WRITES, SOME_SECTORS };
    uint64_t random = s->seed;
    char why[200];
    strata_error error = { .message = "" };
    world now;
    size_t cut = ctest_random(&random) % (log->event_count + 1);
    survival how = kinds[ctest_random(&random) % 4], names = kinds[ctest_random(&random) % 3];
    int acknowledged = (int)disk_make_up(log, cut, how, names, &random, d);
    disk_write_out(d, log, at, &random);
    /* A file whose creation nobody was told of may be missing; that it is whole follows from its being opened. */
    if (world_read(at, &now, &error) < 0) wrong(s, "it cannot be read any more", error.message);
    bool closed = acknowledged > s->what->steps;
    if (closed) acknowledged = s->what->steps;
    int first = acknowledged;
    if (!closed && s->durability == STRATA_DURABILITY_RELAXED && !run->lasting[acknowledged]) first--;
    if (!closed && s->durability == STRATA_DURABILITY_DEFERRED)
        while (!run->lasting[first]) first--;
    int last = acknowledged < s->what->steps ? acknowledged + 1 : acknowledged;
    if (!world_is_among(&now, &run->states[first], last - first + 1, why)) wrong(s, why, "");
    if (world_is_among(&now, &run->states[acknowledged], 1, why)) s->before++;
    else if (world_is_among(&now, &run->states[acknowledged], last - acknowledged + 1, why)) s->after++;
    else s->lost++;
    s->kinds[how]++;
    s->done++;
}

typedef struct batch {
    power_series *series;
    const record *log;
    const course *run;
    const site *at;
} batch;

/* Many states in one process: most of them do not end it. */
static void check_batch(void *argument) {
    const batch *b = argument;
    power_series *s = b->series;
    disk *d = calloc(1, sizeof *d);
    CHECK(d != NULL);
    for (unsigned i = 0; i < BATCH && s->done < s->states; i++) {
        s->seed = s->only != 0 ? s->only : s->first_seed + s->done;
        check_state(s, b->log, b->run, b->at, d);
    }
    disk_free(d);
    free(d);
}

static const char *const durabilities[] = { "full", "relaxed", "logged", "deferred" };
enum { DURABILITIES = 4 };

static void make_folder(site *at, const power_series *s, const char *kind) {
    char name[40];
    snprintf(name, sizeof name, "%s-%s-%s", s->what->name, durabilities[s->durability], kind);
    snprintf(at->directory, sizeof at->directory, "%s", ctest_path(name));
    CHECK_EQ(mkdir(at->directory, 0700), 0);
}

/* Runs the workload a second time, with its steps noted, and its being closed. */
static void record_steps(const workload *what, site *at, course *run, record *log) {
    bool full = at->durability == STRATA_DURABILITY_FULL || at->durability == STRATA_DURABILITY_LOGGED;
    workload_prepare(what, at);
    run->lasting[0] = true;
    if (what->open_first) CHECK_EQ(site_open(at), STRATA_OK);
    record_start(log, at->directory);
    for (int step = 0; step < what->steps; step++) {
        at->lasting = false;
        CHECK(what->step(at, step) >= 0);
        record_note(step + 1);
        run->lasting[step + 1] = full || at->lasting;
    }
    site_close(at);
    record_note(what->steps + 1);
    record_stop();
}

static void run_series(void *argument) {
    power_series *s = argument;
    site first = { .store = NULL }, recorded = { .store = NULL }, cut = { .store = NULL };
    course run;
    record log;
    recorded.durability = s->durability;
    make_folder(&first, s, "first");
    make_folder(&recorded, s, "recorded");
    make_folder(&cut, s, "cut");
    workload_run(s->what, &first, run.states);
    record_steps(s->what, &recorded, &run, &log);
    for (size_t i = 0; i < log.event_count; i++) {
        s->writes += log.events[i].kind == RECORD_WRITE;
        s->syncs += log.events[i].kind == RECORD_SYNC || log.events[i].kind == RECORD_WRITE_DURABLE ||
                    log.events[i].kind == RECORD_SYNC_DIRECTORY;
    }
    if (s->writes == 0 && s->states > STATES) s->states = STATES; /* there is little to lose */
    batch b = { s, &log, &run, &cut };
    while (s->done < s->states) {
        int result = ctest_child(check_batch, &b);
        if (result >= 1000) snprintf(s->text, sizeof s->text, "ended by signal %d", result - 1000);
        if (result != 0) _exit(98);
    }
    record_free(&log);
}

static void report(power_series *s, int result) {
    char text[900];
    if (result >= 1000) snprintf(s->text, sizeof s->text, "ended by signal %d", result - 1000);
    snprintf(text, sizeof text, "CTEST_POWER=\"%s %llu %s\": %s", s->what->name, (unsigned long long)s->seed,
             durabilities[s->durability], s->text[0] != 0 ? s->text : "see above");
    ctest_fail(__FILE__, __LINE__, text);
}

/* Returns in how many states a commit was lost. */
static unsigned run_workload(power_series *s, const workload *what, strata_durability durability, const char *given) {
    char name[20], kind[9];
    unsigned long long seed = 0;
    s->what = what;
    s->durability = durability;
    s->done = s->lost = s->before = s->after = 0;
    s->states = STATES;
    s->only = 0;
    if (given != NULL && sscanf(given, "%19[a-z] %llu %8s", name, &seed, kind) == 3) {
        if (strcmp(name, what->name) != 0 || strcmp(kind, durabilities[durability]) != 0) return 0;
        s->only = seed;
        s->states = 1;
    } else if (given != NULL) {
        s->states = (unsigned)strtoul(given, NULL, 0);
    }
    s->writes = s->syncs = 0;
    memset(s->kinds, 0, sizeof s->kinds);
    int result = ctest_child(run_series, s);
    if (result != 0) report(s, result);
    if (given != NULL)
        printf("       %s %s: %zu writes, %zu syncs; %u states, %u as acknowledged, %u a step further, %u a step "
               "back\n", durabilities[durability], what->name, s->writes, s->syncs, s->done, s->before, s->after,
               s->lost);
    if (s->states >= STATES) CHECK(s->before > 0 && s->kinds[SOME_SECTORS] > 0);
    return s->lost;
}

void test_power_fails(void) {
    void *memory = mmap(NULL, sizeof(power_series), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    power_series *s = memory;
    ctest_directory_in_memory();
    s->first_seed = ctest_seed();
    const char *given = getenv("CTEST_POWER");
    unsigned lost[DURABILITIES] = { 0 }, states = 0;
    for (int w = 0; w < workload_count; w++) {
        for (int d = 0; d < DURABILITIES; d++) {
            lost[d] += run_workload(s, &workloads[w], (strata_durability)d, given);
            states += s->done;
        }
    }
    CHECK_EQ(lost[STRATA_DURABILITY_FULL], 0);
    CHECK_EQ(lost[STRATA_DURABILITY_LOGGED], 0);
    if (s->only == 0) CHECK(lost[STRATA_DURABILITY_RELAXED] > 0); /* or nothing was tried */
    if (given != NULL) printf("       %u states in all\n", states);
    munmap(memory, sizeof *s);
}
