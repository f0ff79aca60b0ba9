/* SPDX-License-Identifier: MIT
 * test_observer_kill.c -- observers and those who write, killed and stopped. */
#define _GNU_SOURCE 1
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "strata_observer.h"
#include "strata_waiter.h"
#include "support/strata_support.h"

enum { FOREVER = 5 * 60 * 1000 /* milliseconds, as far as a test is concerned */ };

static const strata_key_paths all_paths = { NULL, 0, true };

static void make_table(fixture *f) {
    const strata_column_spec columns[] = { column("number", STRATA_INT, 0), column("text", STRATA_STRING, 0) };
    const strata_table_spec table = { "Thing", 0, 2, columns };
    MUST(apply(f, 0, &table, 1));
}

static void open_again(fixture *f, const char *path) {
    strata_config config = strata_config_blank();
    config.path = path;
    MUST(strata_store_open(&config, &f->store, &f->error));
    MUST(strata_view_open(f->store, &f->view, &f->error));
}

/* ---- Writers that are killed ------------------------------------------ */

/* Creates one object in each commit, and assigns the first one, until it is killed. */
static void write_until_killed(void *path) {
    fixture other = { 0 }, *f = &other;
    open_again(f, path);
    for (;;) {
        MUST(strata_view_begin(f->view, &f->error));
        ADD(0, strata_int((int64_t)table_size(f, 0)), value_of("new"));
        set(f, 0, 1, 0, strata_int(-1));
        MUST(strata_view_commit(f->view, &f->error));
    }
}

typedef struct listener {
    fixture *f;
    strata_feed *feed;
    strata_observers *group;
    strata_observer *observer;
    uint64_t heard;  /* objects that the feed told of */
    uint64_t shown;  /* objects that the observer told of */
    uint64_t version;
    unsigned deliveries;
} listener;

/* Each commit must be told once, in order, and nothing else: the objects have the keys 1, 2, 3, ... */
static void hear(listener *l) {
    fixture *f = l->f;
    strata_commit *record;
    strata_status status;
    while ((status = strata_feed_next(l->feed, &record, &f->error)) == STRATA_OK) {
        strata_commit_info info = strata_commit_info_blank();
        strata_delta delta;
        MUST(strata_commit_get_info(record, &info, &f->error));
        CHECK_EQ(info.version, l->version + 1);
        l->version = info.version;
        MUST(strata_commit_next(record, &delta, &f->error));
        CHECK(delta.kind == STRATA_DELTA_ASSIGN && delta.key == 1 && delta.column == 0);
        MUST(strata_commit_next(record, &delta, &f->error));
        CHECK(delta.kind == STRATA_DELTA_CREATE);
        CHECK_EQ(delta.key, ++l->heard);
        CHECK_EQ(strata_commit_next(record, &delta, &f->error), STRATA_END);
        strata_commit_free(record);
    }
    MUST(status == STRATA_END ? STRATA_OK : status);
}

static void look(listener *l) {
    fixture *f = l->f;
    strata_observer *told;
    strata_changes changes = strata_changes_blank();
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    MUST(strata_observers_advance(l->group, &f->error));
    while (strata_observers_next(l->group, &told, &changes, &f->error) == STRATA_OK) {
        CHECK(told == l->observer && changes.flags == 0 && changes.deletion_count == 0);
        CHECK(changes.modification_count == 1 && changes.modifications[0] == 0);
        for (uint64_t i = 0; i < changes.insertion_count; i++) CHECK_EQ(changes.insertions[i], l->shown++);
        l->deliveries++;
    }
    CHECK_EQ(l->shown, table_size(f, 0));
}

/* Whatever a writer does when it is killed: what is in the file is told once, what is not in it is not told. */
void test_observer_gets_each_commit_once_through_kills(void) {
    fixture *f = fixture_open("file");
    listener l = { .f = f, .heard = 1, .shown = 1 };
    strata_waiter *waiter;
    strata_token token;
    strata_store *store;
    uint64_t random = ctest_seed();
    strata_query query = strata_query_blank();
    char path[500];
    make_table(f);
    MUST(strata_view_begin(f->view, &f->error));
    ADD(0, strata_int(0), value_of("first"));
    MUST(strata_view_commit(f->view, &f->error));
    snprintf(path, sizeof path, "%s", strata_store_path(f->store));
    MUST(strata_waiter_open(&waiter, &f->error));
    MUST(strata_waiter_add(waiter, f->store, &f->error));
    MUST(strata_feed_open(f->store, &l.feed, &f->error));
    MUST(strata_observers_open(f->view, &l.group, &f->error));
    MUST(strata_observe_query(l.group, &query, &all_paths, NULL, &l.observer, &f->error));
    MUST(strata_view_token(f->view, &token, &f->error));
    l.version = strata_token_version(&token);
    for (unsigned round = ctest_rounds(40); round > 0; round--) {
        int child = ctest_child_start(write_until_killed, path);
        for (uint64_t n = ctest_random(&random) % 5; n > 0; n--) {
            MUST(strata_waiter_next(waiter, FOREVER, &store, &f->error));
            if (ctest_random(&random) % 2 == 0) hear(&l);
            look(&l);
        }
        usleep((useconds_t)(ctest_random(&random) % 3000));
        CHECK_EQ(kill(child, SIGKILL), 0);
        CHECK_EQ(ctest_child_wait(child), 1000 + SIGKILL);
        look(&l);
        hear(&l);
        CHECK_EQ(l.heard, table_size(f, 0));
    }
    CHECK(l.heard > 1 && l.deliveries > 0);
    strata_waiter_close(waiter);
    strata_observers_close(l.group);
    strata_feed_close(l.feed);
    verify(f);
    fixture_close(f);
}

/* ---- Observers that are stopped --------------------------------------- */

enum { OLD = 500, COMMITS = 2000 };

typedef struct stopped {
    char path[500];
    int to_parent[2];
} stopped;

/* Observes, stops itself while its view holds no version, and looks again when it is let go on. */
static void observe_and_stop(void *argument) {
    stopped *s = argument;
    fixture other = { 0 }, *f = &other;
    strata_observers *group;
    strata_observer *observer, *told;
    strata_changes changes = strata_changes_blank();
    strata_query query = strata_query_blank();
    uint64_t count;
    open_again(f, s->path);
    MUST(strata_observers_open(f->view, &group, &f->error));
    MUST(strata_observe_query(group, &query, &all_paths, NULL, &observer, &f->error));
    count = table_size(f, 0);
    strata_view_rest(f->view);
    CHECK_EQ(write(s->to_parent[1], "", 1), 1);
    raise(SIGSTOP);
    MUST(strata_view_adopt(f->view, &f->error));
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    MUST(strata_observers_advance(group, &f->error));
    MUST(strata_observers_next(group, &told, &changes, &f->error));
    CHECK((changes.flags & STRATA_CHANGES_ANEW) != 0); /* the records of so long ago are gone */
    CHECK_EQ(count + changes.insertion_count - changes.deletion_count, table_size(f, 0));
    CHECK_EQ(changes.insertion_count, COMMITS);
    CHECK_EQ(changes.modification_count, count);
    raise(SIGKILL);
}

/* It keeps neither versions nor records beyond their limit. */
void test_observer_that_is_stopped_holds_little(void) {
    ctest_directory_in_memory();
    fixture *f = fixture_open("file");
    stopped s;
    char text[2001], byte;
    struct stat file;
    memset(text, 'x', 2000);
    text[2000] = 0;
    make_table(f);
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < OLD; i++) ADD(0, strata_int(i), value_of("old"));
    MUST(strata_view_commit(f->view, &f->error));
    snprintf(s.path, sizeof s.path, "%s", strata_store_path(f->store));
    CHECK_EQ(pipe(s.to_parent), 0);
    int child = ctest_child_start(observe_and_stop, &s), state;
    CHECK_EQ(read(s.to_parent[0], &byte, 1), 1);
    CHECK_EQ(waitpid(child, &state, WUNTRACED), child);
    CHECK(WIFSTOPPED(state));
    for (int i = 0; i < COMMITS; i++) {
        MUST(strata_view_begin(f->view, &f->error));
        ADD(0, strata_int(i), value_of(i % 100 == 0 ? text : "short"));
        for (uint64_t old = 1; old <= OLD; old++) set(f, 0, old, 0, strata_int(i));
        MUST(strata_view_commit(f->view, &f->error));
    }
    CHECK_EQ(stat(s.path, &file), 0);
    CHECK(file.st_size < 12 << 20);
    CHECK_EQ(kill(child, SIGCONT), 0);
    CHECK_EQ(ctest_child_wait(child), 1000 + SIGKILL);
    close(s.to_parent[0]);
    close(s.to_parent[1]);
    verify(f);
    fixture_close(f);
}
