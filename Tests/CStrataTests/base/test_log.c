/* SPDX-License-Identifier: MIT
 * test_log.c -- what a program is told. */
#define _GNU_SOURCE 1
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "store/handle.h"
#include "support/strata_support.h"

typedef struct told {
    pthread_mutex_t lock;
    uint32_t count;
    strata_log_level levels[32];
    char messages[32][300];
} told;

static void note(void *context, strata_log_level level, strata_log_subject subject, const char *message) {
    (void)subject;
    told *t = context;
    pthread_mutex_lock(&t->lock);
    if (t->count < 32) {
        t->levels[t->count] = level;
        snprintf(t->messages[t->count++], sizeof t->messages[0], "%s", message);
    }
    pthread_mutex_unlock(&t->lock);
}

static bool was_told(const told *t, strata_log_level level, const char *words) {
    for (uint32_t i = 0; i < t->count; i++)
        if (t->levels[i] == level && strstr(t->messages[i], words) != NULL) return true;
    return false;
}

static void *write_slowly(void *argument) {
    fixture *f = argument;
    strata_view *view;
    CHECK_EQ(strata_view_open(f->store, &view, NULL), STRATA_OK);
    CHECK_EQ(strata_view_begin(view, NULL), STRATA_OK);
    f->error.system_code = 1; /* it holds the writer: the other thread is started after this one */
    nanosleep(&(struct timespec){ 1, 200 * 1000 * 1000 }, NULL);
    strata_view_cancel(view);
    strata_view_close(view);
    return NULL;
}

static void wait_for_a_writer(fixture *f) {
    fixture other = { .store = f->store };
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, write_slowly, &other), 0);
    nanosleep(&(struct timespec){ 0, 50 * 1000 * 1000 }, NULL);
    MUST(strata_view_begin(f->view, &f->error));
    strata_view_cancel(f->view);
    CHECK_EQ(pthread_join(thread, NULL), 0);
}

static void hold_a_snapshot(void *argument) {
    (void)argument;
    fixture *f = fixture_open("file");
    CHECK(f->view != NULL);
    kill(getpid(), SIGKILL);
}

void test_log_tells_what_happens(void) {
    told t = { .lock = PTHREAD_MUTEX_INITIALIZER };
    strata_log_set(note, &t, STRATA_LOG_INFO);
    fixture *f = fixture_open("file");
    CHECK(was_told(&t, STRATA_LOG_INFO, "/file' was created"));
    fixture_close(f);
    CHECK_EQ(ctest_child(hold_a_snapshot, NULL), 1000 + SIGKILL);
    f = fixture_open("file");
    CHECK(was_told(&t, STRATA_LOG_INFO, "1 snapshots of processes that ended were cleared") ||
          was_told(&t, STRATA_LOG_INFO, "was flushed when it was opened"));
    wait_for_a_writer(f);
    CHECK(was_told(&t, STRATA_LOG_WARNING, "/file': a write waited 1."));
    st_store_poison(f->store, "a test says so");
    st_store_poison(f->store, "it is said a second time");
    CHECK(was_told(&t, STRATA_LOG_ERROR, "/file' is poisoned: a test says so; close every handle"));
    CHECK(!was_told(&t, STRATA_LOG_ERROR, "second time"));
    REFUSED(strata_view_begin(f->view, &f->error), STRATA_POISONED, "open it again");
    fixture_close(f);
    strata_config config = strata_config_blank();
    config.path = ctest_path("file");
    CHECK_EQ(strata_compact(&config, NULL, NULL), STRATA_OK);
    CHECK(was_told(&t, STRATA_LOG_INFO, "/file' was compacted from "));

    uint32_t before = t.count; /* of a lower level only, and then nothing */
    strata_log_set(note, &t, STRATA_LOG_WARNING);
    CHECK_EQ(strata_compact(&config, NULL, NULL), STRATA_OK);
    strata_log_set(NULL, NULL, STRATA_LOG_INFO);
    CHECK_EQ(strata_compact(&config, NULL, NULL), STRATA_OK);
    CHECK_EQ(t.count, before);
}

/* Logs come and go while events happen: none is called with the context of another one. */
static void *compact_often(void *argument) {
    strata_config config = strata_config_blank();
    config.path = argument;
    for (int i = 0; i < 20; i++) (void)!strata_compact(&config, NULL, NULL);
    return NULL;
}

static void note_one(void *context, strata_log_level level, strata_log_subject subject, const char *message) {
    (void)level, (void)subject, (void)message;
    CHECK(*(const int *)context == 1);
}

static void note_two(void *context, strata_log_level level, strata_log_subject subject, const char *message) {
    (void)level, (void)subject, (void)message;
    CHECK(*(const int *)context == 2);
}

void test_log_can_be_replaced_any_time(void) {
    int one = 1, two = 2;
    fixture_close(fixture_open("file"));
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, compact_often, (void *)(uintptr_t)ctest_path("file")), 0);
    for (int i = 0; i < 20000; i++) strata_log_set(i % 2 == 0 ? note_one : note_two, i % 2 == 0 ? &one : &two, 2);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    strata_log_set(NULL, NULL, STRATA_LOG_ERROR);
}
