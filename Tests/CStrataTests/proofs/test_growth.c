/* SPDX-License-Identifier: MIT
 *
 * test_growth.c -- how much a file grows while it is changed, and what becomes of the pages that snapshots hold.
 *
 * CTEST_GROWTH is how many commits the reader that advances sees. */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/lag.h"
#include "store/state.h"
#include "store/tree.h"
#include "store/turn.h"
#include "store/writer.h"
#include "support/record.h"
#include "support/store_support.h"
#include "support/strata_support.h"

enum { COMMITS = 3000, ROWS = 2000, NUMBER = 0, NAME = 1 };

static uint64_t file_size(const char *path) {
    struct stat info;
    CHECK_EQ(stat(path, &info), 0);
    return (uint64_t)info.st_size;
}

static strata_store_stats stats_of(fixture *f) {
    strata_store_stats stats = { .size = sizeof stats };
    MUST(strata_store_get_stats(f->store, &stats, &f->error));
    return stats;
}

static fixture *open_filled(const char *name) {
    strata_column_spec columns[] = { column("number", STRATA_INT, STRATA_COLUMN_INDEXED),
                                     column("name", STRATA_STRING, 0) };
    strata_table_spec table = { "Thing", 0, 2, columns };
    fixture *f = fixture_open(name);
    MUST(apply(f, 0, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    for (int64_t i = 0; i < ROWS; i++) ADD(0, strata_int(i), value_of("a name that takes some room on its page"));
    MUST(strata_view_commit(f->view, &f->error));
    return f;
}

/* Commits that change one row each, anywhere. */
static void commit_some(fixture *f, uint64_t count, uint64_t *random) {
    for (uint64_t i = 0; i < count; i++) {
        MUST(strata_view_begin(f->view, &f->error));
        set(f, 0, 1 + ctest_random(random) % ROWS, NUMBER, strata_int((int64_t)(ctest_random(random) % 100000)));
        MUST(strata_view_commit(f->view, &f->error));
    }
}

static strata_view *hold(fixture *f, const char *label) {
    strata_view *view;
    MUST(strata_view_open(f->store, &view, &f->error));
    strata_view_set_label(view, label);
    return view;
}

void test_growth_with_a_reader_that_advances(void) {
    enum { BETWEEN = 100 };
    const char *given = getenv("CTEST_GROWTH");
    ctest_directory_in_memory();
    uint64_t random = ctest_seed(), commits = given != NULL ? strtoull(given, NULL, 0) : COMMITS, largest = 0;
    fixture *f = open_filled("advance");
    const char *path = ctest_path("advance");
    strata_view *reader = hold(f, "advances");
    for (int i = 0; i < 5; i++) {
        commit_some(f, BETWEEN, &random);
        MUST(strata_view_refresh(reader, NULL, &f->error));
    }
    uint64_t steady = file_size(path);
    for (uint64_t done = 0; done < commits; done += BETWEEN) {
        commit_some(f, BETWEEN, &random);
        MUST(strata_view_refresh(reader, NULL, &f->error));
        if (file_size(path) > largest) largest = file_size(path);
    }
    if (given != NULL)
        printf("       %llu commits: %llu KiB at first, %llu KiB at most\n", (unsigned long long)commits,
               (unsigned long long)steady / 1024, (unsigned long long)largest / 1024);
    CHECK(largest * 2 <= steady * 3);
    strata_view_close(reader);
    fixture_close(f);
}

/* A snapshot that somebody forgot is named, and gives its pages back when it goes. */
void test_growth_by_a_leaked_snapshot(void) {
    uint64_t random = ctest_seed();
    ctest_directory_in_memory();
    fixture *f = open_filled("leak");
    const char *path = ctest_path("leak");
    commit_some(f, 100, &random);
    uint64_t steady = file_size(path);
    strata_view *leaked = hold(f, "a report nobody closed");
    commit_some(f, 600, &random);
    uint64_t grown = file_size(path);
    CHECK(grown > 2 * steady);

    strata_snapshot oldest[2];
    uint32_t count;
    MUST(strata_store_get_snapshots(f->store, oldest, 2, &count, &f->error));
    CHECK_EQ(count, 2);
    CHECK_TEXT(oldest[0].label, "a report nobody closed");
    CHECK_EQ(oldest[0].process, getpid());
    CHECK_EQ(oldest[0].behind, 600);
    CHECK(oldest[0].age >= 0);
    uint64_t held = stats_of(f).held_size;
    CHECK(held > (grown - steady) / 2);

    strata_view_close(leaked);
    CHECK(stats_of(f).held_size < held / 20);
    commit_some(f, 1500, &random); /* more than made it grow */
    CHECK_EQ(file_size(path), grown);
    verify(f);
    fixture_close(f);
}

/* ---- Warnings --------------------------------------------------------- */

typedef struct warnings {
    uint32_t count;
    char last[1000];
} warnings;

static void note_warning(void *context, strata_log_level level, strata_log_subject subject, const char *message) {
    warnings *w = context;
    if (subject != STRATA_LOG_PIN) return;
    CHECK_EQ(level, STRATA_LOG_WARNING);
    w->count++;
    snprintf(w->last, sizeof w->last, "%s", message);
}

/* Lets the snapshots of this process, and the suspect of its writer, be of an age. */
static void grow_old(fixture *f, double seconds) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    double begun = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec - seconds;
    for (st_txn *txn = f->store->open; txn != NULL; txn = txn->next) txn->begun = begun;
    f->store->growth.since = begun;
}

/* Commits until the file has grown so far, with whatever holds it being of an age. */
static void grow_to(fixture *f, const char *path, uint64_t size, double age, uint64_t *random) {
    while (file_size(path) < size) {
        grow_old(f, age);
        commit_some(f, 20, random);
    }
}

static void hold_until_killed(void *argument);

/* Who writes is told of the snapshot that makes the file grow: once for each, with its name, and not of young ones. */
void test_growth_is_warned_about_once(void) {
    enum { MIB = 1024 * 1024, LONG = 60 };
    warnings w = { 0 };
    uint64_t random = ctest_seed();
    ctest_directory_in_memory();
    fixture *f = open_filled("killed");
    const char *path = ctest_path("killed");
    strata_view *first = hold(f, "a forgotten report");
    grow_to(f, path, 20 * MIB, LONG, &random); /* nobody wants to know */
    strata_log_set(note_warning, &w, STRATA_LOG_WARNING);
    grow_to(f, path, 30 * MIB, 0, &random);
    CHECK_EQ(w.count, 0);
    grow_to(f, path, 34 * MIB, LONG, &random);
    CHECK_EQ(w.count, 1);
    char words[100];
    snprintf(words, sizeof words, "is kept by \"a forgotten report\" of this process %d for 60.", getpid());
    CHECK(strstr(w.last, words) != NULL);
    CHECK(strstr(w.last, "killed' has grown to 3") != NULL);
    CHECK(strstr(w.last, " MiB of it cannot be used again, because version ") != NULL);
    CHECK(strstr(w.last, "let that refresh, or let go of what it reads") != NULL);
    grow_to(f, path, 60 * MIB, LONG, &random);
    CHECK_EQ(w.count, 1);

    strata_view *second = hold(f, ""), *third = hold(f, "third");
    strata_view_close(first);
    grow_to(f, path, 80 * MIB, LONG, &random);
    CHECK_EQ(w.count, 2);
    snprintf(words, sizeof words, " is kept by this process %d for 60.", getpid());
    CHECK(strstr(w.last, words) != NULL || strstr(w.last, " is kept by \"third\" of this process") != NULL);
    CHECK(strstr(w.last, ", and by 1 more;") != NULL);

    int ready[2];
    char byte;
    CHECK_EQ(pipe(ready), 0);
    int pid = ctest_child_start(hold_until_killed, &ready[1]);
    CHECK_EQ(read(ready[0], &byte, 1), 1);
    strata_view_close(second);
    strata_view_close(third);
    grow_to(f, path, 130 * MIB, LONG, &random);
    CHECK_EQ(w.count, 3);
    snprintf(words, sizeof words, " is kept by process %d;", pid);
    CHECK(strstr(w.last, words) != NULL);
    kill(pid, SIGKILL);
    CHECK_EQ(ctest_child_wait(pid), 1000 + SIGKILL);
    close(ready[0]), close(ready[1]);
    strata_log_set(NULL, NULL, STRATA_LOG_ERROR);
    fixture_close(f);
}

/* Readers that move on, and a file that grows because more is stored, are no reason for a warning. */
void test_growth_without_a_reason_to_warn(void) {
    enum { COMMITS_OF_DATA = 40, BYTES = 512 * 1024 };
    warnings w = { 0 };
    uint64_t random = ctest_seed();
    ctest_directory_in_memory();
    fixture *f = open_filled("data");
    strata_view *reader = hold(f, "moves on");
    char *name = calloc(1, BYTES);
    memset(name, 'x', BYTES);
    strata_log_set(note_warning, &w, STRATA_LOG_WARNING);
    for (int i = 0; i < COMMITS_OF_DATA; i++) {
        grow_old(f, 60);
        commit_some(f, 10, &random);
        MUST(strata_view_begin(f->view, &f->error));
        ADD(0, strata_int(i), strata_string(name, BYTES));
        MUST(strata_view_commit(f->view, &f->error));
        MUST(strata_view_refresh(reader, NULL, &f->error));
    }
    CHECK(file_size(ctest_path("data")) > COMMITS_OF_DATA * (uint64_t)BYTES);
    CHECK_EQ(w.count, 0);
    strata_log_set(NULL, NULL, STRATA_LOG_ERROR);
    free(name);
    strata_view_close(reader);
    fixture_close(f);
}

/* ---- Readers that die ------------------------------------------------- */

static void hold_until_killed(void *argument) {
    int ready = *(int *)argument;
    fixture *f = fixture_open("killed");
    if (write(ready, "r", 1) != 1) return;
    for (;;) pause();
    fixture_close(f);
}

/* The slot of a dead reader is noticed after some commits; then its pages are used again. */
void test_growth_by_a_killed_reader(void) {
    enum { UNTIL_NOTICED = 1100 };
    uint64_t random = ctest_seed();
    int ready[2];
    char byte;
    ctest_directory_in_memory();
    CHECK_EQ(pipe(ready), 0);
    fixture_close(open_filled("killed"));
    fixture *f = fixture_open("killed");
    commit_some(f, 100, &random);
    uint64_t steady = file_size(ctest_path("killed"));
    int pid = ctest_child_start(hold_until_killed, &ready[1]);
    CHECK_EQ(read(ready[0], &byte, 1), 1);
    commit_some(f, 300, &random);
    CHECK(file_size(ctest_path("killed")) > steady);
    kill(pid, SIGKILL);
    CHECK_EQ(ctest_child_wait(pid), 1000 + SIGKILL);
    commit_some(f, UNTIL_NOTICED, &random);
    CHECK_EQ(stats_of(f).snapshots, 1); /* our own */
    CHECK(stats_of(f).held_size <= 100 * (uint64_t)stats_of(f).page_size);
    uint64_t grown = file_size(ctest_path("killed"));
    commit_some(f, 2000, &random);
    CHECK_EQ(file_size(ctest_path("killed")), grown);
    verify(f);
    close(ready[0]);
    close(ready[1]);
    fixture_close(f);
}

/* ---- Large changes ---------------------------------------------------- */

enum { BLOCKS = 2000, BLOCK = 4080 };

/* Writes all of a tree anew, and returns the version that this makes. */
static uint64_t rewrite(strata_store *store) {
    static const char block[BLOCK];
    strata_error error;
    st_txn *writer;
    CHECK_EQ(st_writer_begin(store, &writer, &error), STRATA_OK);
    uint64_t version = st_txn_header(writer)->version;
    for (uint64_t i = 0; i < BLOCKS; i++) {
        uint8_t key[8];
        for (int at = 0; at < 8; at++) key[at] = (uint8_t)(i >> 8 * (7 - at));
        CHECK_EQ(st_tree_put(writer, ST_BLOBS, bytes(key, sizeof key), bytes(block, BLOCK), &error), STRATA_OK);
    }
    CHECK_EQ(st_writer_commit(writer, &error), STRATA_OK);
    return version;
}

static uint64_t size_of_copies(uint64_t copies) { return copies * BLOCKS * 4096; }

static int commits_of_rewrite(strata_store *store) {
    record log;
    int commits = 0;
    record_start(&log, ctest_directory());
    (void)rewrite(store);
    record_stop();
    for (size_t i = 0; i < log.event_count; i++) commits += log.events[i].kind == RECORD_WRITE_DURABLE;
    record_free(&log);
    return commits;
}

/* In a child: what is recorded is that of all threads. */
static void rewrite_in_child(void *path) {
    int ready[2];
    char byte;
    CHECK_EQ(pipe(ready), 0);
    strata_store *store = must_open(path);
    uint64_t version = rewrite(store);
    for (int i = 0; i < 5; i++) CHECK_EQ(rewrite(store), ++version);
    CHECK(file_size(path) > size_of_copies(2) && file_size(path) < size_of_copies(2) * 11 / 10);
    CHECK_EQ(commits_of_rewrite(store), 2);

    int pid = ctest_child_start(hold_until_killed, &ready[1]);
    CHECK_EQ(read(ready[0], &byte, 1), 1);
    CHECK_EQ(commits_of_rewrite(store), 1);
    kill(pid, SIGKILL);
    CHECK_EQ(ctest_child_wait(pid), 1000 + SIGKILL);
    CHECK_EQ(commits_of_rewrite(store), 2);
    strata_store_close(store);
}

/* Room for what is there and for what is being written is enough. */
void test_growth_by_large_changes(void) {
    char path[600];
    ctest_directory_in_memory();
    snprintf(path, sizeof path, "%s", ctest_path("killed"));
    CHECK_EQ(ctest_child(rewrite_in_child, path), 0);
}

/* ---- One write -------------------------------------------------------- */

/* What one write wrote and replaced again does not stay behind as free space, in files and stores that are new: the
 * first write of a file, with what is pending stored again and again. */
static void fill_new_store(fixture *f) {
    enum { OBJECTS = 20000, BETWEEN = 200 };
    strata_column_spec columns[] = { column("number", STRATA_INT, STRATA_COLUMN_INDEXED),
                                     column("random", STRATA_INT, STRATA_COLUMN_PRIMARY),
                                     column("name", STRATA_STRING, STRATA_COLUMN_INDEXED) };
    strata_table_spec table = { "Thing", 0, 3, columns };
    uint64_t random = ctest_seed();
    MUST(apply(f, 0, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    for (int64_t i = 1; i <= OBJECTS; i++) {
        char name[40];
        int size = snprintf(name, sizeof name, "name %llu", (unsigned long long)ctest_random(&random));
        ADD(0, strata_int(i), strata_int((int64_t)ctest_random(&random)), strata_string(name, (size_t)size));
        if (i % BETWEEN == 0) (void)index_count(f, 0, 0, NULL);
    }
    MUST(strata_view_commit(f->view, &f->error));
    strata_store_stats stats = stats_of(f);
    CHECK(stats.free_size < stats.used_size / 10);
    verify(f);
}

void test_growth_by_the_first_write(void) {
    ctest_directory_in_memory();
    fixture *f = fixture_open("first");
    fill_new_store(f);
    fixture_close(f);
    f = fixture_open_memory();
    fill_new_store(f);
    fixture_close(f);
    fixture_close(fixture_open("compacted"));
    f = calloc(1, sizeof *f);
    strata_config config = { .size = sizeof config, .path = ctest_path("compacted") };
    MUST(strata_compact(&config, NULL, &f->error));
    free(f);
    f = fixture_open("compacted");
    fill_new_store(f);
    fixture_close(f);
}

/* ---- No room ---------------------------------------------------------- */

enum { FULL_SIZE = 8 * 1024 * 1024, FULL_VALUE = 3000 };

typedef enum full_disk { FULL_MAP, FULL_LIMIT } full_disk;

typedef struct full_case {
    full_disk disk;
    bool small;   /* many small writes fill the file, not a large one */
    bool reopen;  /* another opening of the file makes room */
    bool clear;   /* all objects at once */
    bool beside;  /* another process has the file open */
} full_case;

static fixture *open_full(const full_case *c) {
    fixture *f = calloc(1, sizeof *f);
    strata_config config = { .size = sizeof config, .path = ctest_path("full"),
                             .map_size = c->disk == FULL_MAP ? FULL_SIZE : 0 };
    MUST(strata_store_open(&config, &f->store, &f->error));
    MUST(strata_view_open(f->store, &f->view, &f->error));
    return f;
}

static void hold_full(void *argument) {
    int ready = *(int *)argument;
    const full_case c = { .disk = FULL_MAP };
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    fixture *f = open_full(&c);
    strata_view_close(f->view); /* it holds no snapshot */
    if (write(ready, "r", 1) != 1) return;
    for (;;) pause();
}

/* A new file with a table. */
static fixture *make_full(const full_case *c) {
    strata_column_spec columns[] = { column("number", STRATA_INT, STRATA_COLUMN_INDEXED),
                                     column("bytes", STRATA_DATA, 0) };
    strata_table_spec table = { "Thing", 0, 2, columns };
    unlink(ctest_path("full"));
    unlink(ctest_path("full-lock"));
    fixture *f = open_full(c);
    MUST(apply(f, 0, &table, 1));
    return f;
}

/* Another process has the file open from now on. */
static int start_beside(void) {
    int ready[2];
    char byte;
    CHECK_EQ(pipe(ready), 0);
    int other = ctest_child_start(hold_full, &ready[1]);
    CHECK_EQ(read(ready[0], &byte, 1), 1);
    return other;
}

static void end_beside(int other) {
    kill(other, SIGKILL);
    (void)ctest_child_wait(other);
}

/* Adds objects of `bytes` bytes in all, in one write. */
static strata_status add_bytes(fixture *f, uint64_t bytes) {
    static const char value[FULL_VALUE];
    strata_value values[] = { strata_int(1), strata_data(value, FULL_VALUE) };
    uint64_t key;
    strata_status status = strata_view_begin(f->view, &f->error);
    for (uint64_t done = 0; done < bytes && status == STRATA_OK; done += FULL_VALUE)
        status = strata_object_create(f->view, 0, values, 2, &key, &f->error);
    if (status == STRATA_OK) return strata_view_commit(f->view, &f->error);
    strata_view_cancel(f->view);
    return status;
}

static strata_status delete_everything(fixture *f, bool clear) {
    const uint32_t table = 0;
    strata_status status = strata_view_begin(f->view, &f->error);
    if (status == STRATA_OK && clear) status = strata_tables_clear(f->view, &table, 1, &f->error);
    for (uint64_t key = 1; key < 20000 && !clear && status == STRATA_OK; key++) {
        status = strata_object_delete(f->view, 0, key, &f->error);
        if (status == STRATA_NOT_FOUND) status = STRATA_OK;
    }
    if (status == STRATA_OK) return strata_view_commit(f->view, &f->error);
    strata_view_cancel(f->view);
    return status;
}

/* In a child, whose limits they are: after "full", everything is deleted, and the room is there for the next write. */
static void fill_and_empty(void *argument) {
    const full_case *c = argument;
    struct rlimit limit = { FULL_SIZE, FULL_SIZE };
    signal(SIGXFSZ, SIG_IGN);
    fixture *f = make_full(c);
    if (c->disk == FULL_LIMIT) CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    strata_status status = STRATA_OK;
    for (int i = 0; i < 20000 && status == STRATA_OK; i++)
        status = add_bytes(f, c->small ? 10 * FULL_VALUE : FULL_SIZE / 3);
    CHECK_EQ(status, c->disk == FULL_MAP ? STRATA_SIZE_LIMIT : STRATA_DISK_FULL);
    CHECK(strstr(f->error.message, "delete") != NULL);
    if (c->reopen) {
        fixture_close(f);
        f = open_full(c);
    }
    int other = c->beside ? start_beside() : 0;
    MUST(delete_everything(f, c->clear));
    MUST(add_bytes(f, FULL_SIZE / 2));
    verify(f);
    if (other != 0) end_beside(other);
    fixture_close(f);
}

void test_growth_after_there_was_no_room(void) {
    ctest_directory_in_memory();
    for (int i = 0; i < 32; i++) {
        full_case c = { i % 2 == 0 ? FULL_MAP : FULL_LIMIT, i / 2 % 2, i / 4 % 2, i / 8 % 2, i / 16 % 2 };
        if (ctest_child(fill_and_empty, &c) == 0) continue;
        char text[80];
        snprintf(text, sizeof text, "limit %d, small %d, reopen %d, clear %d, beside %d", c.disk, c.small, c.reopen,
                 c.clear, c.beside);
        ctest_fail(__FILE__, __LINE__, text);
    }
}

/* In a child: beside another process no commit of a few deletions looks for room. What they freed is there all the same
 * for the second write that asks for it. */
static void empty_and_fill(void *argument) {
    const uint64_t parts = *(uint64_t *)argument, bytes = FULL_SIZE * parts / 16;
    const full_case c = { .disk = FULL_MAP };
    fixture *f = make_full(&c);
    int other = start_beside();
    MUST(add_bytes(f, bytes));
    MUST(delete_everything(f, true));
    if (add_bytes(f, bytes) != STRATA_OK) MUST(add_bytes(f, bytes));
    verify(f);
    end_beside(other);
    fixture_close(f);
}

void test_growth_finds_all_room_where_there_was_none(void) {
    ctest_directory_in_memory();
    for (uint64_t parts = 4; parts < 12; parts++) {
        char text[80];
        snprintf(text, sizeof text, "%" PRIu64 "/16 of the file", parts);
        if (ctest_child(empty_and_fill, &parts) != 0) ctest_fail(__FILE__, __LINE__, text);
    }
}

/* A file of a table with `indexes` indexed columns, and bytes. */
static fixture *open_small(uint64_t size, uint32_t indexes) {
    static const char *const names[] = { "a", "b", "c", "d", "e" };
    strata_column_spec columns[6];
    fixture *f = calloc(1, sizeof *f);
    strata_config config = { .size = sizeof config, .memory_name = "small", .map_size = size };
    for (uint32_t i = 0; i < indexes; i++) columns[i] = column(names[i], STRATA_INT, STRATA_COLUMN_INDEXED);
    columns[indexes] = column("bytes", STRATA_DATA, 0);
    strata_table_spec table = { "Thing", 0, indexes + 1, columns };
    MUST(strata_store_open(&config, &f->store, &f->error));
    MUST(strata_view_open(f->store, &f->view, &f->error));
    MUST(apply(f, 0, &table, 1));
    return f;
}

/* Adds some objects in one write. */
static strata_status add_things(fixture *f, uint32_t indexes, uint64_t most, uint64_t count, uint64_t *random) {
    static const char bytes[40000];
    strata_value values[6];
    uint64_t key;
    MUST(strata_view_begin(f->view, &f->error));
    strata_status status = STRATA_OK;
    for (uint64_t i = 0; i < count && status == STRATA_OK; i++) {
        for (uint32_t k = 0; k < indexes; k++) values[k] = strata_int((int64_t)(ctest_random(random) >> 1));
        values[indexes] = strata_data(bytes, ctest_random(random) % most);
        status = strata_object_create(f->view, 0, values, indexes + 1, &key, &f->error);
    }
    if (status == STRATA_OK) return strata_view_commit(f->view, &f->error);
    strata_view_cancel(f->view);
    return status;
}

/* The keys of all objects. Ownership: freed by the caller. */
static uint64_t *keys_of(fixture *f, uint64_t *out_count) {
    strata_cursor *cursor;
    strata_row row;
    MUST(strata_table_size(f->view, 0, out_count, &f->error));
    uint64_t *keys = malloc((*out_count + 1) * sizeof *keys);
    CHECK(keys != NULL);
    MUST(strata_scan(f->view, 0, false, &cursor, &f->error));
    for (uint64_t i = 0; i < *out_count; i++) {
        MUST(strata_cursor_next(cursor, &row, &f->error));
        keys[i] = row.key;
    }
    strata_cursor_close(cursor);
    return keys;
}

/* Deletes all objects, in the order of their keys or in a random one, each in a write of its own. */
static void delete_one_by_one(fixture *f, bool in_order, uint64_t *random) {
    uint64_t count, *keys = keys_of(f, &count);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = in_order ? i : i + ctest_random(random) % (count - i), key = keys[at];
        keys[at] = keys[i];
        MUST(strata_view_begin(f->view, &f->error));
        MUST(strata_object_delete(f->view, 0, key, &f->error));
        MUST(strata_view_commit(f->view, &f->error));
    }
    free(keys);
}

/* A file that is full of small or large objects, and of entries of indexes, is emptied by any small writes. Very small
 * objects are deleted in order: where some are missing, the others take so much more that it may be more than is
 * kept. */
void test_growth_full_file_is_emptied_one_by_one(void) {
    static const uint64_t most[] = { 20, 400, 1000, 3000, 40000 };
    uint64_t random = ctest_seed();
    for (int i = 0; i < 5; i++) {
        uint32_t indexes = (uint32_t)(ctest_random(&random) % 6);
        uint64_t size = UINT64_C(1) << (20 + ctest_random(&random) % 2), left;
        fixture *f = open_small(size, indexes);
        for (uint64_t count = 256; count > 0; count /= 4)
            while (add_things(f, indexes, most[i], count, &random) == STRATA_OK) continue;
        CHECK(strstr(f->error.message, "delete") != NULL);
        delete_one_by_one(f, i == 0, &random);
        MUST(strata_table_size(f->view, 0, &left, &f->error));
        CHECK_EQ(left, 0);
        verify(f);
        fixture_close(f);
    }
}

/* ---- Many short snapshots --------------------------------------------- */

enum { READERS = 50 };

/* Looks at a few objects through a snapshot, and at the newest state again, until the pipe is closed. */
static void read_shortly(void *argument) {
    const int *pipes = argument;
    char byte;
    uint64_t random = (uint64_t)getpid(), sum = 0;
    close(pipes[3]);
    CHECK_EQ(fcntl(pipes[2], F_SETFL, O_NONBLOCK), 0);
    fixture *f = fixture_open("crowd");
    CHECK_EQ(write(pipes[1], "r", 1), 1);
    while (read(pipes[2], &byte, 1) != 0) {
        MUST(strata_view_refresh(f->view, NULL, &f->error));
        for (int i = 0; i < 100; i++) {
            strata_row row = row_of(f, 0, 1 + ctest_random(&random) % ROWS);
            sum += (uint64_t)strata_row_int(&row, NUMBER);
        }
    }
    CHECK(sum != 0);
    fixture_close(f);
}

/* Processes that hold snapshots only for a moment, but do not get a processor all the time, do not make a file grow
 * without bound. */
void test_growth_beside_many_short_snapshots(void) {
    enum { STEADY = 100, AT_MOST = 64 }; /* how much depends on how the system shares the processors out */
    ctest_directory_in_memory();
    uint64_t random = ctest_seed(), largest = 0;
    int ready[2], stop[2], pids[READERS];
    char byte;
    CHECK(pipe(ready) == 0 && pipe(stop) == 0);
    fixture_close(open_filled("crowd"));
    int pipes[] = { ready[0], ready[1], stop[0], stop[1] };
    for (int i = 0; i < READERS; i++) pids[i] = ctest_child_start(read_shortly, pipes);
    for (int i = 0; i < READERS; i++) CHECK_EQ(read(ready[0], &byte, 1), 1);
    fixture *f = fixture_open("crowd");
    commit_some(f, STEADY, &random);
    uint64_t steady = stats_of(f).used_size;
    for (int i = 0; i < COMMITS / 5; i += STEADY) {
        commit_some(f, STEADY, &random);
        if (file_size(ctest_path("crowd")) > largest) largest = file_size(ctest_path("crowd"));
    }
    close(stop[1]);
    for (int i = 0; i < READERS; i++) CHECK_EQ(ctest_child_wait(pids[i]), 0);
    printf("       %d readers: %llu KiB of data, %llu KiB of file at most\n", READERS,
           (unsigned long long)steady / 1024, (unsigned long long)largest / 1024);
    CHECK(largest <= AT_MOST * steady);
    close(ready[0]), close(ready[1]), close(stop[0]);
    verify(f);
    fixture_close(f);
}

static void *wait_for_turn(void *store) {
    const st_deadline deadline = st_deadline_in(60000);
    CHECK_EQ(st_turn_take(store, &deadline, NULL), STRATA_OK);
    st_turn_end(store);
    return NULL;
}

/* Who wants to write may be the one whose snapshot lags behind: waiting for it would be in vain. */
void test_growth_does_not_make_writers_wait_for_each_other(void) {
    enum { PAUSES = 200, BEHIND = 40 };
    const struct timespec pause = { 0, ST_MILLISECOND };
    const st_deadline deadline = st_deadline_in(60000);
    uint64_t random = 1;
    pthread_t other;
    fixture *f = open_filled("crowd");
    int count = 2 + (int)sysconf(_SC_NPROCESSORS_ONLN);
    strata_view **views = calloc((size_t)count, sizeof(strata_view *));
    CHECK(views != NULL);
    for (int i = 0; i < count; i++) MUST(strata_view_open(f->store, &views[i], &f->error));
    commit_some(f, BEHIND, &random);
    MUST(st_turn_take(f->store, &deadline, &f->error));
    CHECK_EQ(pthread_create(&other, NULL, wait_for_turn, f->store), 0);
    while (!st_turn_is_wanted(f->store)) nanosleep(&pause, NULL);
    f->store->commits_to_lag_check = 0;
    f->store->held_on_purpose = 0;
    CHECK_EQ(st_lag_wait(f->store), 1);
    st_turn_end(f->store);
    CHECK_EQ(pthread_join(other, NULL), 0);
    f->store->commits_to_lag_check = 0;
    CHECK_EQ(st_lag_wait(f->store), PAUSES); /* nobody else writes */
    f->store->commits_to_lag_check = 0;
    CHECK_EQ(st_lag_wait(f->store), 0); /* held on purpose */
    for (int i = 0; i < count; i++) strata_view_close(views[i]);
    free(views);
    fixture_close(f);
}
