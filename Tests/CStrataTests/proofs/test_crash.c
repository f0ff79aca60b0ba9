/* SPDX-License-Identifier: MIT
 *
 * test_crash.c -- processes that open, write, read, copy and compact are killed at any moment, many of them in the same
 * instant: no commit that was acknowledged is lost, no reader sees half of one, nothing is damaged, and whoever was not
 * killed goes on.
 *
 * Writers, with full, relaxed, logged and deferred durability, raise counters of their own and a common one, each commit with an
 * event; readers hold snapshots and look twice at everything. Whoever was killed starts again.
 * CTEST_CRASH is how many times somebody is killed.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "support/strata_support.h"

enum { CYCLES = 50, WRITERS = 4, READERS = 2, ROLES = WRITERS + READERS, KEPT = 40 };
enum { PATIENCE = 120 /* seconds after which a process counts as waiting for ever */ };
enum { COUNTER, EVENT };                    /* tables */
enum { ID, COUNT, LAST };                   /* of a counter; the one with id WRITERS counts the commits of all */
enum { SERIAL, TEXT, OF };                  /* of an event */

typedef struct role {
    int number, pid;
    int acknowledge[2];
    uint64_t seed;
    int64_t acknowledged;
} role;

static char store_path[600], copy_path[600];

static fixture *open_store(const char *path, strata_durability durability) {
    strata_column_spec counter[] = { column("id", STRATA_INT, STRATA_COLUMN_PRIMARY), column("count", STRATA_INT, 0),
                                     link_to("last", "Event") };
    strata_column_spec event[] = { column("serial", STRATA_INT, STRATA_COLUMN_INDEXED),
                                   column("text", STRATA_STRING, 0), link_to("of", "Counter") };
    strata_table_spec tables[] = { { "Counter", 0, 3, counter }, { "Event", 0, 3, event } };
    strata_config config = { .size = sizeof config, .path = path, .durability = durability };
    fixture *f = calloc(1, sizeof *f);
    CHECK(f != NULL);
    MUST(strata_store_open(&config, &f->store, &f->error));
    MUST(strata_view_open(f->store, &f->view, &f->error));
    MUST(apply(f, 0, tables, 2));
    return f;
}

static void rest(uint64_t microseconds) {
    struct timespec time = { (time_t)(microseconds / 1000000), (long)(microseconds % 1000000) * 1000 };
    nanosleep(&time, NULL);
}

static strata_row counter_row(fixture *f, int64_t id) {
    strata_value value = strata_int(id);
    uint64_t key;
    MUST(strata_object_find(f->view, COUNTER, &value, &key, &f->error));
    return row_of(f, COUNTER, key);
}

static int64_t serial_of(int writer, int64_t commit) { return (int64_t)writer << 40 | commit; }

/* ---- Writers ---------------------------------------------------------- */

static uint64_t find_event(fixture *f, int64_t serial) {
    strata_value value = strata_int(serial);
    strata_range range = { &value, &value, false, false };
    strata_cursor *cursor;
    strata_row row;
    MUST(strata_index_scan(f->view, EVENT, SERIAL, &range, false, &cursor, &f->error));
    MUST(strata_cursor_next(cursor, &row, &f->error));
    strata_cursor_close(cursor);
    return row.key;
}

static int64_t write_once(fixture *f, int writer, uint64_t *random) {
    static char text[5000];
    MUST(strata_view_begin(f->view, &f->error));
    strata_row own = counter_row(f, writer), common = counter_row(f, WRITERS);
    int64_t commit = strata_row_int(&own, COUNT) + 1, all = strata_row_int(&common, COUNT) + 1;
    memset(text, 'a' + (int)(commit % 26), sizeof text);
    size_t size = ctest_random(random) % 7 == 0 ? sizeof text : ctest_random(random) % 100;
    uint64_t key = ADD(EVENT, strata_int(serial_of(writer, commit)), strata_string(text, size), strata_link(own.key));
    strata_value count = strata_int(commit), sum = strata_int(all), last = strata_link(key);
    MUST(strata_row_set(&own, COUNT, &count, &f->error));
    MUST(strata_row_set(&own, LAST, &last, &f->error));
    MUST(strata_row_set(&common, COUNT, &sum, &f->error));
    if (commit > KEPT) {
        key = find_event(f, serial_of(writer, commit - KEPT));
        MUST(strata_object_delete(f->view, EVENT, key, &f->error));
    }
    MUST(strata_view_commit(f->view, &f->error));
    return commit;
}

/* When the killer fails, everybody ends. */
static void end_with_parent(void) { CHECK_EQ(prctl(PR_SET_PDEATHSIG, SIGKILL), 0); }

static void write_for_ever(void *argument) {
    role *r = argument;
    end_with_parent();
    uint64_t random = r->seed;
    fixture *f = open_store(store_path, (strata_durability)(r->number % 4));
    for (;;) {
        int64_t commit = write_once(f, r->number, &random);
        if (write(r->acknowledge[1], &commit, sizeof commit) != (ssize_t)sizeof commit) return;
    }
}

/* ---- What every snapshot must show ------------------------------------ */

static void check_events(fixture *f, int writer, int64_t commits) {
    strata_value low = strata_int(serial_of(writer, 0)), high = strata_int(serial_of(writer + 1, 0));
    strata_range range = { &low, &high, false, true };
    strata_cursor *cursor;
    strata_row row;
    int64_t next = commits > KEPT ? commits - KEPT + 1 : 1;
    MUST(strata_index_scan(f->view, EVENT, SERIAL, &range, false, &cursor, &f->error));
    for (; strata_cursor_next(cursor, &row, &f->error) == STRATA_OK; next++)
        CHECK_EQ(strata_row_int(&row, SERIAL), serial_of(writer, next));
    strata_cursor_close(cursor);
    CHECK_EQ(next, commits + 1);
}

static void check_snapshot(fixture *f, int64_t commits[WRITERS]) {
    strata_row common = counter_row(f, WRITERS);
    int64_t sum = 0;
    for (int w = 0; w < WRITERS; w++) {
        strata_row own = counter_row(f, w);
        commits[w] = strata_row_int(&own, COUNT);
        check_events(f, w, commits[w]);
        CHECK_EQ(backlinks(f, COUNTER, own.key, EVENT, OF), commits[w] > KEPT ? KEPT : commits[w]);
        sum += commits[w];
    }
    CHECK_EQ(strata_row_int(&common, COUNT), sum);
}

static void read_for_ever(void *argument) {
    role *r = argument;
    end_with_parent();
    uint64_t random = r->seed;
    int64_t first[WRITERS], again[WRITERS];
    fixture *f = open_store(store_path, STRATA_DURABILITY_FULL);
    for (;;) {
        MUST(strata_view_refresh(f->view, NULL, &f->error));
        check_snapshot(f, first);
        rest(ctest_random(&random) % 3000);
        check_snapshot(f, again);
        for (int w = 0; w < WRITERS; w++) CHECK_EQ(again[w], first[w]);
    }
}

/* ---- Copies ----------------------------------------------------------- */

static void copy_for_ever(void *argument) {
    end_with_parent();
    fixture *f = open_store(store_path, STRATA_DURABILITY_FULL);
    for (uint32_t i = *(uint32_t *)argument; ; i++) {
        (void)unlink(copy_path);
        MUST(strata_store_backup(f->store, copy_path, i % 2 == 0 ? 0 : STRATA_BACKUP_COMPACT, &f->error));
    }
}

static void compact_for_ever(void *unused) {
    strata_config config = { .size = sizeof config, .path = store_path };
    strata_error error;
    (void)unused;
    end_with_parent();
    for (;;) CHECK_EQ(strata_compact(&config, NULL, &error), STRATA_OK);
}

static void check_copy(void) {
    int64_t commits[WRITERS];
    if (access(copy_path, F_OK) != 0) return;
    fixture *f = open_store(copy_path, STRATA_DURABILITY_FULL);
    verify(f);
    check_snapshot(f, commits);
    fixture_close(f);
}

/* ---- The killer ------------------------------------------------------- */

static void start(role *r, uint64_t *random) {
    r->seed = ctest_random(random);
    r->pid = ctest_child_start(r->number < WRITERS ? write_for_ever : read_for_ever, r);
    CHECK(r->pid > 0);
}

static void hear(role *r) {
    int64_t commit;
    while (read(r->acknowledge[0], &commit, sizeof commit) == (ssize_t)sizeof commit) {
        CHECK(commit > r->acknowledged);
        r->acknowledged = commit;
    }
}

/* Kills processes in the same instant, as the end of their control group would. */
static void end_together(const int *pids, int count) {
    for (int i = 0; i < count; i++) CHECK_EQ(setpgid(pids[i], pids[0]), 0);
    if (count > 0) kill(-pids[0], SIGKILL);
    for (int i = 0; i < count; i++) CHECK_EQ(ctest_child_wait(pids[i]), 1000 + SIGKILL); /* none ended by itself */
}

static void end(int pid) { end_together(&pid, 1); }

/* Whoever was not killed goes on: each of these writers makes another commit. */
static void must_go_on(role *roles, const bool *dead) {
    for (int i = 0; i < WRITERS; i++) {
        if (dead[i]) continue;
        hear(&roles[i]);
        int64_t before = roles[i].acknowledged;
        for (int naps = 0; roles[i].acknowledged == before; naps++) {
            CHECK(naps < PATIENCE * 1000);
            rest(1000);
            hear(&roles[i]);
        }
    }
}

/* The file holds every commit that was acknowledged until now. */
static void check_store(role *roles) {
    int64_t commits[WRITERS];
    for (int i = 0; i < WRITERS; i++) hear(&roles[i]);
    fixture *f = open_store(store_path, STRATA_DURABILITY_FULL);
    verify(f);
    check_snapshot(f, commits);
    fixture_close(f);
    for (int i = 0; i < WRITERS; i++) CHECK(commits[i] >= roles[i].acknowledged);
}

static void kill_while(void (*body)(void *), void *argument, uint64_t *random) {
    int pid = ctest_child_start(body, argument);
    rest(ctest_random(random) % 15000);
    end(pid);
}

/* Kills one of them, some in the same instant, the writers, or all, and sometimes also who copies or compacts. */
static void one_cycle(role *roles, uint64_t cycle, uint64_t *random) {
    uint64_t choice = ctest_random(random) % 10, some = ctest_random(random);
    bool dead[ROLES] = { false };
    int pids[ROLES], count = 0;
    rest(500 + ctest_random(random) % 12000);
    for (int i = 0; i < ROLES; i++) {
        dead[i] = choice == 9 || cycle % 10 == 9 || (choice == 8 && i < WRITERS) || choice % ROLES == (uint64_t)i ||
                  (choice >= 4 && (some >> i & 1) != 0);
        if (dead[i]) pids[count++] = roles[i].pid;
    }
    end_together(pids, count);
    must_go_on(roles, dead);
    if (cycle % 10 == 4) {
        uint32_t kind = (uint32_t)(cycle / 10);
        kill_while(copy_for_ever, &kind, random);
        check_copy();
    }
    if (cycle % 10 == 9) kill_while(compact_for_ever, NULL, random);
    check_store(roles);
    for (int i = 0; i < ROLES; i++)
        if (dead[i]) start(&roles[i], random);
}

static void make_store(void) {
    fixture *f = open_store(store_path, STRATA_DURABILITY_FULL);
    MUST(strata_view_begin(f->view, &f->error));
    for (int64_t id = 0; id <= WRITERS; id++) ADD(COUNTER, strata_int(id), strata_int(0));
    MUST(strata_view_commit(f->view, &f->error));
    fixture_close(f);
}

static int64_t acknowledged(const role *roles) {
    int64_t sum = 0;
    for (int i = 0; i < WRITERS; i++) sum += roles[i].acknowledged;
    return sum;
}

static void kill_many(void *seed) {
    const char *given = getenv("CTEST_CRASH");
    uint64_t random = *(uint64_t *)seed, cycles = given != NULL ? strtoull(given, NULL, 0) : CYCLES, cycle = 0;
    role roles[ROLES] = { { 0 } };
    make_store();
    for (int i = 0; i < ROLES; i++) {
        roles[i].number = i;
        CHECK_EQ(pipe2(roles[i].acknowledge, O_CLOEXEC), 0);
        CHECK_EQ(fcntl(roles[i].acknowledge[0], F_SETFL, O_NONBLOCK), 0);
        start(&roles[i], &random);
    }
    /* On a busy machine, until it means something. */
    while (cycle < cycles || (acknowledged(roles) < (int64_t)cycles && cycle < 20 * cycles))
        one_cycle(roles, cycle++, &random);
    for (int i = 0; i < ROLES; i++) end(roles[i].pid);
    check_store(roles);
    if (given != NULL)
        printf("       %llu cycles, %lld commits acknowledged\n", (unsigned long long)cycle,
               (long long)acknowledged(roles));
}

void test_crash_of_many(void) {
    uint64_t seed = ctest_seed();
    snprintf(store_path, sizeof store_path, "%s", ctest_path("crash.strata"));
    snprintf(copy_path, sizeof copy_path, "%s", ctest_path("copy.strata"));
    CHECK_EQ(ctest_child(kill_many, &seed), 0);
}

/* ---- Those who open --------------------------------------------------- */

enum { OPENERS = 4 };

/* Nobody ever replaces the file but those who compact it, so every opening succeeds. */
static void open_for_ever(void *argument) {
    uint64_t random = *(uint64_t *)argument;
    end_with_parent();
    for (;;) {
        fixture *f = open_store(store_path, (strata_durability)(ctest_random(&random) % 4));
        if (ctest_random(&random) % 2 == 0) (void)write_once(f, 0, &random);
        fixture_close(f);
        rest(ctest_random(&random) % 2000);
    }
}

static void compact_when_closed(void *unused) {
    strata_config config = { .size = sizeof config, .path = store_path };
    strata_error error;
    (void)unused;
    end_with_parent();
    for (;;) {
        strata_status status = strata_compact(&config, NULL, &error);
        CHECK(status == STRATA_OK || status == STRATA_IN_USE);
        if (status == STRATA_IN_USE) rest(100);
    }
}

static void kill_openers(void *seed) {
    const char *given = getenv("CTEST_CRASH");
    uint64_t random = *(uint64_t *)seed, cycles = given != NULL ? strtoull(given, NULL, 0) : CYCLES, killed = 0;
    make_store();
    for (uint64_t cycle = 0; cycle < cycles; cycle++) {
        int pids[OPENERS + 1], count = 1 + (int)(ctest_random(&random) % OPENERS);
        for (int i = 0; i <= OPENERS; i++) {
            uint64_t own = ctest_random(&random);
            pids[i] = ctest_child_start(i == 2 ? compact_when_closed : open_for_ever, &own);
        }
        rest(ctest_random(&random) % 15000);
        end_together(pids, count);
        rest(ctest_random(&random) % 5000);
        end_together(pids + count, OPENERS + 1 - count);
        fixture *f = open_store(store_path, STRATA_DURABILITY_FULL);
        verify(f);
        fixture_close(f);
        killed += OPENERS + 1;
    }
    if (given != NULL) printf("       %llu of those who opened or compacted killed\n", (unsigned long long)killed);
}

void test_crash_of_openers(void) {
    uint64_t seed = ctest_seed();
    snprintf(store_path, sizeof store_path, "%s", ctest_path("crash.strata"));
    CHECK_EQ(ctest_child(kill_openers, &seed), 0);
}
