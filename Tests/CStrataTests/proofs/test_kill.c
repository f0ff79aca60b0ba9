/* SPDX-License-Identifier: MIT
 *
 * test_kill.c -- a writer killed at any moment loses no commit it acknowledged, and leaves no damage.
 *
 * Each commit of the writer adds events, links them into a list and raises the counter of the log; the sum of what
 * the events hold must always be what the counter says.
 */
#define _GNU_SOURCE 1
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "strata.h"
#include "support/strata_support.h"
#include "tests.h"

enum { CYCLES = 100, LOG = 0, EVENT = 1 };

typedef struct file {
    strata_store *store;
    strata_view *view;
    strata_error error;
} file;

static void expect(file *f, strata_status status, const char *call) {
    char text[700];
    if (status == STRATA_OK) return;
    snprintf(text, sizeof text, "%s: %s (%s)", call, strata_status_name(status), f->error.message);
    ctest_fail(__FILE__, __LINE__, text);
}
#define EXPECT(call) expect(&f, (call), #call)

static file open_file(const char *path) {
    static const strata_column_spec log[] = {
        { "id", STRATA_INT, STRATA_SINGLE, STRATA_COLUMN_PRIMARY, NULL },
        { "commits", STRATA_INT, STRATA_SINGLE, 0, NULL },
        { "last", STRATA_LINK, STRATA_SINGLE, 0, "Event" },
        { "recent", STRATA_LINK, STRATA_LIST, 0, "Event" },
    };
    static const strata_column_spec event[] = {
        { "commit", STRATA_INT, STRATA_SINGLE, STRATA_COLUMN_INDEXED, NULL },
        { "text", STRATA_STRING, STRATA_SINGLE, STRATA_COLUMN_NULLABLE, NULL },
    };
    static const strata_table_spec tables[] = { { "Log", 0, 4, log }, { "Event", 0, 2, event } };
    file f = { 0 };
    strata_config config = { .size = sizeof config, .path = path };
    EXPECT(strata_store_open(&config, &f.store, &f.error));
    EXPECT(strata_view_open(f.store, &f.view, &f.error));
    EXPECT(strata_schema_apply(f.view, tables, 2, 0, &f.error));
    return f;
}

static void close_file(file *f) {
    strata_view_close(f->view);
    strata_store_close(f->store);
}

/* The log object, made if it is missing. */
static strata_row log_row(file *at) {
    file f = *at;
    strata_value id = strata_int(1);
    strata_row row;
    uint64_t key;
    strata_status status = strata_object_find(f.view, LOG, &id, &key, &f.error);
    if (status == STRATA_NOT_FOUND) status = strata_object_create(f.view, LOG, &id, 1, &key, &f.error);
    EXPECT(status);
    EXPECT(strata_row_bind(f.view, LOG, key, &row, &f.error));
    return row;
}

static void write_event(file *at, strata_row *log, int64_t commit, uint64_t *random) {
    static char text[3000];
    file f = *at;
    uint64_t key, size;
    memset(text, 'x', sizeof text);
    size_t length = ctest_random(random) % 9 == 0 ? sizeof text : ctest_random(random) % 60;
    strata_value values[] = { strata_int(commit), strata_string(text, length) };
    EXPECT(strata_object_create(f.view, EVENT, values, 2, &key, &f.error));
    strata_value link = strata_link(key);
    EXPECT(strata_row_set(log, 2, &link, &f.error));
    EXPECT(strata_collection_size(log, 3, &size, &f.error));
    EXPECT(insert_keys(log, 3, ctest_random(random) % (size + 1), &key, 1, &f.error));
    if (size > 200) EXPECT(strata_collection_remove(log, 3, 0, size / 2, &f.error));
}

typedef struct writer {
    const char *path;
    int acknowledge;
    uint64_t seed;
} writer;

/* Commits for ever; after each commit its number goes into the pipe. */
static void write_for_ever(void *argument) {
    writer *w = argument;
    file f = open_file(w->path);
    uint64_t random = w->seed;
    for (;;) {
        EXPECT(strata_view_begin(f.view, &f.error));
        strata_row log = log_row(&f);
        int64_t commit = strata_row_int(&log, 1) + 1;
        uint64_t events = ctest_random(&random) % 30;
        for (uint64_t i = 0; i < events; i++) write_event(&f, &log, commit, &random);
        strata_value number = strata_int(commit);
        EXPECT(strata_row_set(&log, 1, &number, &f.error));
        EXPECT(strata_view_commit(f.view, &f.error));
        if (write(w->acknowledge, &commit, sizeof commit) != (ssize_t)sizeof commit) return;
    }
}

static void rest(uint64_t microseconds) {
    struct timespec time = { (time_t)(microseconds / 1000000), (long)(microseconds % 1000000) * 1000 };
    nanosleep(&time, NULL);
}

static int64_t last_acknowledged(int pipe_end, int64_t last) {
    int64_t commit;
    while (read(pipe_end, &commit, sizeof commit) == (ssize_t)sizeof commit) last = commit;
    return last;
}

static void check_file(const char *path, int64_t acknowledged) {
    file f = open_file(path);
    strata_verify_report report;
    EXPECT(strata_verify(f.view, &report, &f.error));
    strata_value id = strata_int(1);
    uint64_t key;
    if (strata_object_find(f.view, LOG, &id, &key, &f.error) == STRATA_OK) {
        strata_row log;
        EXPECT(strata_row_bind(f.view, LOG, key, &log, &f.error));
        CHECK(strata_row_int(&log, 1) >= acknowledged);
    } else {
        CHECK_EQ(acknowledged, 0);
    }
    close_file(&f);
}

void test_kill_loses_no_commit(void) {
    uint64_t random = ctest_seed();
    const char *path = ctest_path("killed.strata");
    int64_t acknowledged = 0, cycles = ctest_rounds(CYCLES);
    /* Until the writer was alive often enough for it to mean something; on a busy machine that takes longer. */
    for (int64_t cycle = 0; cycle < cycles || acknowledged <= cycles; cycle++) {
        int ends[2];
        CHECK_EQ(pipe(ends), 0);
        writer w = { path, ends[1], ctest_random(&random) };
        int pid = ctest_child_start(write_for_ever, &w);
        close(ends[1]);
        rest(1000 + ctest_random(&random) % (uint64_t)(20000 * (1 + cycle / cycles)));
        kill(pid, SIGKILL);
        CHECK_EQ(ctest_child_wait(pid), 1000 + SIGKILL);
        acknowledged = last_acknowledged(ends[0], acknowledged);
        close(ends[0]);
        check_file(path, acknowledged);
    }
}
