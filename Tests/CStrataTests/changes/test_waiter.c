/* SPDX-License-Identifier: MIT
 * test_waiter.c -- waiting for the commits of several stores at once. */
#define _GNU_SOURCE 1
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "strata_waiter.h"
#include "support/strata_support.h"

enum { FOREVER = 5 * 60 * 1000 /* milliseconds, as far as a test is concerned */ };

static void make_table(fixture *f) {
    const strata_column_spec number = column("number", STRATA_INT, 0);
    const strata_table_spec table = { "Thing", 0, 1, &number };
    MUST(apply(f, 0, &table, 1));
}

static fixture *make(const char *file) {
    fixture *f = file != NULL ? fixture_open(file) : fixture_open_memory();
    make_table(f);
    return f;
}

static void commit(fixture *f) {
    MUST(strata_view_begin(f->view, &f->error));
    ADD(0, strata_int(1));
    MUST(strata_view_commit(f->view, &f->error));
}

static strata_waiter *waiter_of(fixture *f) {
    strata_waiter *waiter;
    MUST(strata_waiter_open(&waiter, &f->error));
    MUST(strata_waiter_add(waiter, f->store, &f->error));
    return waiter;
}

/* The next store that the waiter tells of; NULL if there is none in time. */
static strata_store *next(fixture *f, strata_waiter *waiter, uint32_t milliseconds) {
    strata_store *store;
    strata_status status = strata_waiter_next(waiter, milliseconds, &store, &f->error);
    if (status == STRATA_NOT_FOUND) return NULL;
    MUST(status);
    return store;
}

/* ---- Commits of others ------------------------------------------------ */

typedef struct writer {
    char path[500];
    unsigned commits;
} writer;

static void commit_in_a_child(void *argument) {
    const writer *w = argument;
    fixture other = { 0 }, *f = &other;
    strata_config config = strata_config_blank();
    config.path = w->path;
    MUST(strata_store_open(&config, &f->store, &f->error));
    MUST(strata_view_open(f->store, &f->view, &f->error));
    for (unsigned i = 0; i < w->commits; i++) commit(f);
    raise(SIGKILL); /* nothing is closed */
}

static writer writer_of(fixture *f, unsigned commits) {
    writer w = { .commits = commits };
    snprintf(w.path, sizeof w.path, "%s", strata_store_path(f->store));
    return w;
}

void test_waiter_tells_of_every_store(void) {
    fixture *files[3] = { make("a"), make("b"), make(NULL) }, *f = files[0];
    strata_waiter *waiter = waiter_of(f);
    MUST(strata_waiter_add(waiter, files[1]->store, &f->error));
    MUST(strata_waiter_add(waiter, files[2]->store, &f->error));
    CHECK(next(f, waiter, 0) == NULL && next(f, waiter, 30) == NULL);
    for (unsigned i = 0; i < 30; i++) {
        fixture *one = files[i % 3];
        commit(one);
        CHECK(next(f, waiter, FOREVER) == one->store);
        CHECK(next(f, waiter, 0) == NULL);
    }
    commit(files[2]); /* several at once, each told of once */
    commit(files[1]);
    commit(files[1]);
    commit(files[0]);
    bool told[3] = { false };
    for (int i = 0; i < 3; i++) {
        strata_store *store = next(f, waiter, 0);
        for (int k = 0; k < 3; k++)
            if (store == files[k]->store) told[k] = !told[k];
    }
    CHECK(told[0] && told[1] && told[2] && next(f, waiter, 0) == NULL);
    strata_waiter_close(waiter);
    for (int i = 0; i < 3; i++) fixture_close(files[i]);
}

void test_waiter_tells_of_commits_of_others(void) {
    fixture *f = make("file"), *quiet = make("quiet");
    strata_waiter *waiter = waiter_of(f);
    MUST(strata_waiter_add(waiter, quiet->store, &f->error));
    writer w = writer_of(f, 1);
    for (uint64_t i = 1; i <= 5; i++) {
        int child = ctest_child_start(commit_in_a_child, &w);
        CHECK(next(f, waiter, FOREVER) == f->store);
        bool moved;
        MUST(strata_view_refresh(f->view, &moved, &f->error));
        CHECK(moved && table_size(f, 0) == i); /* who was told finds it */
        CHECK_EQ(ctest_child_wait(child), 1000 + SIGKILL);
        CHECK(next(f, waiter, 0) == NULL);
    }
    strata_waiter_close(waiter);
    fixture_close(quiet);
    fixture_close(f);
}

typedef struct quiet_writer {
    char path[500];
    int begun[2], go_on[2];
} quiet_writer;

static void commit_when_told(void *argument) {
    quiet_writer *w = argument;
    fixture other = { 0 }, *f = &other;
    char byte;
    strata_config config = strata_config_blank();
    config.path = w->path;
    MUST(strata_store_open(&config, &f->store, &f->error));
    MUST(strata_view_open(f->store, &f->view, &f->error));
    MUST(strata_view_begin(f->view, &f->error));
    ADD(0, strata_int(1));
    CHECK_EQ(write(w->begun[1], "", 1), 1);
    CHECK_EQ(read(w->go_on[0], &byte, 1), 1);
    MUST(strata_view_commit(f->view, &f->error));
    raise(SIGKILL);
}

/* The write began before anybody waited, so that it wakes nobody; as one that is killed before it does. */
void test_waiter_notices_who_does_not_wake(void) {
    fixture *f = make("file");
    quiet_writer w;
    char byte;
    snprintf(w.path, sizeof w.path, "%s", strata_store_path(f->store));
    CHECK(pipe(w.begun) == 0 && pipe(w.go_on) == 0);
    int child = ctest_child_start(commit_when_told, &w);
    CHECK_EQ(read(w.begun[0], &byte, 1), 1);
    strata_waiter *waiter = waiter_of(f);
    CHECK(next(f, waiter, 50) == NULL);
    CHECK_EQ(write(w.go_on[1], "", 1), 1);
    CHECK(next(f, waiter, FOREVER) == f->store);
    CHECK_EQ(ctest_child_wait(child), 1000 + SIGKILL);
    for (int i = 0; i < 2; i++) {
        close(w.begun[i]);
        close(w.go_on[i]);
    }
    strata_waiter_close(waiter);
    fixture_close(f);
}

/* ---- The descriptor --------------------------------------------------- */

static bool can_be_read(int descriptor, int milliseconds) {
    struct pollfd one = { .fd = descriptor, .events = POLLIN };
    return poll(&one, 1, milliseconds) == 1 && one.revents == POLLIN;
}

void test_waiter_has_a_descriptor(void) {
    fixture *f = make("a"), *other = make("b");
    strata_waiter *waiter = waiter_of(f);
    int descriptor, again;
    MUST(strata_waiter_descriptor(waiter, &descriptor, &f->error));
    MUST(strata_waiter_descriptor(waiter, &again, &f->error));
    CHECK(descriptor >= 0 && descriptor == again);
    MUST(strata_waiter_add(waiter, other->store, &f->error)); /* it need not be there before */
    CHECK(!can_be_read(descriptor, 50));
    for (int i = 0; i < 20; i++) {
        fixture *one = i % 2 == 0 ? f : other;
        commit(one);
        CHECK(can_be_read(descriptor, FOREVER) && can_be_read(descriptor, FOREVER));
        CHECK(next(f, waiter, 0) == one->store);
        CHECK(next(f, waiter, 0) == NULL && !can_be_read(descriptor, 0));
    }
    writer w = writer_of(other, 3);
    int child = ctest_child_start(commit_in_a_child, &w);
    for (uint64_t size = 0; size != 13;) { /* until all are seen, each time that it can be read */
        CHECK(can_be_read(descriptor, FOREVER));
        while (next(f, waiter, 0) != NULL) continue;
        bool moved;
        MUST(strata_view_refresh(other->view, &moved, &f->error));
        size = table_size(other, 0);
    }
    CHECK_EQ(ctest_child_wait(child), 1000 + SIGKILL);
    strata_waiter_close(waiter);
    fixture_close(other);
    fixture_close(f);
}

/* ---- What is followed ------------------------------------------------- */

void test_waiter_follows_more_stores_than_the_system_sleeps_on(void) {
    enum { STORES = 140 };
    fixture *all[STORES], *f;
    for (int i = 0; i < STORES; i++) all[i] = make(NULL);
    f = all[0];
    strata_waiter *waiter = waiter_of(f);
    for (int i = 1; i < STORES; i++) MUST(strata_waiter_add(waiter, all[i]->store, &f->error));
    for (int i = 0; i < STORES; i += 23) {
        commit(all[i]);
        CHECK(next(f, waiter, FOREVER) == all[i]->store);
    }
    commit(all[STORES - 1]); /* beyond them */
    CHECK(next(f, waiter, FOREVER) == all[STORES - 1]->store);
    CHECK(next(f, waiter, 0) == NULL);
    strata_waiter_close(waiter);
    for (int i = 0; i < STORES; i++) fixture_close(all[i]);
}

void test_waiter_keeps_stores_open(void) {
    fixture *f = make("file");
    strata_waiter *waiter = waiter_of(f);
    MUST(strata_waiter_add(waiter, f->store, &f->error)); /* removed as often */
    strata_waiter_remove(waiter, f->store);
    commit(f);
    CHECK(next(f, waiter, FOREVER) == f->store);
    writer w = writer_of(f, 1);
    strata_store *store = f->store;
    fixture_close(f);
    fixture plain = { 0 };
    f = &plain;
    int child = ctest_child_start(commit_in_a_child, &w);
    CHECK(next(f, waiter, FOREVER) == store);
    CHECK_EQ(ctest_child_wait(child), 1000 + SIGKILL);
    strata_waiter_remove(waiter, store);
    strata_waiter_remove(waiter, store); /* by mistake */
    CHECK(next(f, waiter, 0) == NULL);
    strata_waiter_close(waiter);
    strata_waiter_close(NULL);
}

static void *wake(void *waiter) {
    strata_waiter_wake(waiter);
    return NULL;
}

static void in_a_child(void *argument) {
    strata_waiter *waiter = argument;
    fixture plain = { 0 }, *f = &plain;
    strata_store *store;
    int descriptor;
    REFUSED(strata_waiter_next(waiter, FOREVER, &store, &f->error), STRATA_AFTER_FORK, "open another one");
    REFUSED(strata_waiter_add(waiter, NULL, &f->error), STRATA_AFTER_FORK, "forked");
    REFUSED(strata_waiter_descriptor(waiter, &descriptor, &f->error), STRATA_AFTER_FORK, "forked");
    strata_waiter_wake(waiter);
    strata_waiter_close(waiter);
}

void test_waiter_waits_until_it_is_told_otherwise(void) {
    fixture *f = make("file");
    strata_waiter *waiter;
    strata_store *store;
    pthread_t thread;
    int descriptor;
    MUST(strata_waiter_open(&waiter, &f->error));
    for (int i = 0; i < 20; i++) {
        if (i == 10) MUST(strata_waiter_add(waiter, f->store, &f->error)); /* without a store it sleeps, too */
        if (i == 15) MUST(strata_waiter_descriptor(waiter, &descriptor, &f->error));
        CHECK_EQ(pthread_create(&thread, NULL, wake, waiter), 0);
        REFUSED(strata_waiter_next(waiter, UINT32_MAX, &store, &f->error), STRATA_INTERRUPTED, "another thread");
        CHECK_EQ(pthread_join(thread, NULL), 0);
        CHECK(store == NULL && next(f, waiter, 1) == NULL);
    }
    REFUSED(strata_waiter_next(NULL, 0, &store, &f->error), STRATA_MISUSE, "there is no waiter");
    REFUSED(strata_waiter_add(waiter, NULL, &f->error), STRATA_MISUSE, "");
    CHECK_EQ(ctest_child(in_a_child, waiter), 0);
    commit(f);
    CHECK(next(f, waiter, FOREVER) == f->store); /* the child has spoilt nothing */
    strata_waiter_close(waiter);
    fixture_close(f);
}

/* ---- Everything at once ----------------------------------------------- */

enum { FILES = 3, COMMITS = 300 };

typedef struct crowd {
    strata_waiter *waiter;
    fixture *files[FILES];
    atomic_uint wakes;       /* after which callers came back */
    atomic_bool done;
    atomic_ullong told[FILES]; /* the version that a view showed after it was told of last */
} crowd;

static void *write_all(void *argument) {
    crowd *c = argument;
    uint64_t random = 1;
    for (int i = 0; i < FILES; i++) {
        fixture *f = c->files[i];
        MUST(strata_view_adopt(f->view, &f->error));
    }
    for (int i = 0; i < COMMITS; i++) commit(c->files[ctest_random(&random) % FILES]);
    return NULL;
}

static void *come_and_go(void *argument) {
    crowd *c = argument;
    fixture plain = { 0 }, *f = &plain;
    uint64_t random = 2;
    while (!c->done) {
        strata_store *store = c->files[ctest_random(&random) % FILES]->store;
        MUST(strata_waiter_add(c->waiter, store, &f->error));
        if (ctest_random(&random) % 8 == 0) strata_waiter_wake(c->waiter);
        strata_waiter_remove(c->waiter, store);
    }
    return NULL;
}

/* Notes how new what it finds is. */
static void look(crowd *c, const strata_store *store, fixture *f) {
    for (int i = 0; i < FILES; i++) {
        strata_view *view;
        strata_token token;
        if (c->files[i]->store != store) continue;
        MUST(strata_view_open(c->files[i]->store, &view, &f->error));
        MUST(strata_view_token(view, &token, &f->error));
        unsigned long long version = strata_token_version(&token), before = c->told[i];
        while (before < version && !atomic_compare_exchange_weak(&c->told[i], &before, version)) continue;
        strata_view_close(view);
    }
}

static void *wait_for_any(void *argument) {
    crowd *c = argument;
    fixture plain = { 0 }, *f = &plain;
    while (!c->done) {
        strata_store *store;
        strata_status status = strata_waiter_next(c->waiter, 1, &store, &f->error);
        if (status == STRATA_INTERRUPTED) c->wakes++;
        else if (status != STRATA_NOT_FOUND) MUST(status);
        if (store != NULL) look(c, store, f);
    }
    return NULL;
}

/* The store stays followed, so the last commit of each must be told of, to whomever. */
void test_waiter_is_used_by_all_threads_at_once(void) {
    crowd c = { .files = { make("a"), make("b"), make(NULL) } };
    fixture *f = c.files[0];
    pthread_t threads[4];
    int descriptor;
    c.waiter = waiter_of(f);
    for (int i = 1; i < FILES; i++) MUST(strata_waiter_add(c.waiter, c.files[i]->store, &f->error));
    MUST(strata_waiter_descriptor(c.waiter, &descriptor, &f->error));
    CHECK_EQ(pthread_create(&threads[0], NULL, come_and_go, &c), 0);
    CHECK_EQ(pthread_create(&threads[1], NULL, wait_for_any, &c), 0);
    CHECK_EQ(pthread_create(&threads[2], NULL, wait_for_any, &c), 0);
    CHECK_EQ(pthread_create(&threads[3], NULL, write_all, &c), 0);
    CHECK_EQ(pthread_join(threads[3], NULL), 0);
    for (int i = 0; i < FILES; i++) {
        strata_token token;
        MUST(strata_view_adopt(c.files[i]->view, &f->error));
        MUST(strata_view_token(c.files[i]->view, &token, &f->error));
        while (c.told[i] != strata_token_version(&token)) usleep(1000);
    }
    c.done = true;
    for (int i = 0; i < 3; i++) CHECK_EQ(pthread_join(threads[i], NULL), 0);
    strata_waiter_close(c.waiter);
    for (int i = 0; i < FILES; i++) fixture_close(c.files[i]);
}

/* ---- What others see of looking ---------------------------------------- */

typedef struct onlooker {
    fixture *f;
    strata_waiter *waiter;
    strata_token token;
    atomic_bool done;
} onlooker;

static void *look_on(void *argument) {
    onlooker *o = argument;
    strata_error error;
    strata_store *store;
    strata_store_stats stats = { .size = sizeof stats };
    while (!o->done) {
        (void)!strata_waiter_next(o->waiter, 0, &store, &error);
        CHECK_EQ(strata_store_wait(o->f->store, &o->token, 0, NULL, &error), STRATA_OK);
        CHECK_EQ(strata_store_get_stats(o->f->store, &stats, &error), STRATA_OK);
    }
    return NULL;
}

/* Looking for newer commits takes snapshots. They keep nothing that anybody has to know of. */
void test_waiter_holds_no_snapshot_that_is_listed(void) {
    enum { LOOKS = 20 };
    fixture *f = make("file");
    onlooker o = { .f = f, .waiter = waiter_of(f) };
    pthread_t thread;
    uint32_t count;
    MUST(strata_view_token(f->view, &o.token, &f->error));
    commit(f);
    CHECK_EQ(pthread_create(&thread, NULL, look_on, &o), 0);
    for (int i = 0; i < COMMITS; i++) {
        commit(f);
        for (int n = 0; n < LOOKS; n++) {
            MUST(strata_store_get_snapshots(f->store, NULL, 0, &count, &f->error));
            CHECK_EQ(count, 1);
        }
    }
    o.done = true;
    CHECK_EQ(pthread_join(thread, NULL), 0);
    strata_waiter_close(o.waiter);
    fixture_close(f);
}
