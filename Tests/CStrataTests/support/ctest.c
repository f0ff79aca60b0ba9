/* SPDX-License-Identifier: MIT
 * ctest.c -- runs one test and reports where it failed. */
#define _GNU_SOURCE 1
#include "tests.h"

#include <errno.h>
#include <ftw.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct {
    const char *name;
    void (*body)(void);
} tests[] = {
#define CTEST(name) { #name, name },
#include "list.def"
#undef CTEST
};

enum { CHILD_FAILED = 99, CHILD_SIGNAL = 1000 };

static pthread_mutex_t running_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t failure_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t running_thread;
static pid_t running_process;
static jmp_buf running_end;
static char failure[1200];
static const char *skipped;
static char directory[200];
typedef struct named_path {
    struct named_path *next;
    char text[];
} named_path;
static named_path *paths;
static uint64_t seed;
static bool seed_used;

int ctest_count(void) { return (int)(sizeof tests / sizeof tests[0]); }

const char *ctest_name(int index) {
    return index >= 0 && index < ctest_count() ? tests[index].name + strlen("test_") : "";
}

const char *ctest_skipped(void) { return skipped; }

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *walk) {
    (void)info, (void)kind, (void)walk;
    return remove(path);
}

static void remove_directory(void) {
    if (directory[0] != 0) nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    directory[0] = 0;
    for (named_path *next; paths != NULL; paths = next) {
        next = paths->next;
        free(paths);
    }
}

static void note_failure(const char *text) {
    pthread_mutex_lock(&failure_lock);
    if (failure[0] == 0) {
        snprintf(failure, sizeof failure, "%s", text);
        if (seed_used) {
            size_t used = strlen(failure);
            snprintf(failure + used, sizeof failure - used, " (CTEST_SEED=%llu)", (unsigned long long)seed);
        }
    }
    pthread_mutex_unlock(&failure_lock);
}

const char *ctest_run(int index) {
    if (index < 0 || index >= ctest_count()) return "no such test";
    pthread_mutex_lock(&running_lock);
    running_thread = pthread_self();
    running_process = getpid();
    failure[0] = 0;
    skipped = NULL;
    seed_used = false;
    if (setjmp(running_end) == 0) tests[index].body();
    remove_directory();
    pthread_mutex_unlock(&running_lock);
    return failure[0] != 0 ? failure : NULL;
}

/* A child must never return into the runner: it would run the remaining tests a second time. */
static void end_here(const char *text) {
    if (getpid() != running_process) {
        fprintf(stderr, "child process: %s\n", text);
        _exit(CHILD_FAILED);
    }
    note_failure(text);
    if (pthread_equal(pthread_self(), running_thread)) longjmp(running_end, 1);
    fprintf(stderr, "on another thread: %s\n", text); /* in case that what follows does not survive it */
}

static const char *short_name(const char *file) {
    const char *slash = strrchr(file, '/');
    return slash != NULL ? slash + 1 : file;
}

void ctest_fail(const char *file, int line, const char *what) {
    char text[600];
    snprintf(text, sizeof text, "%s:%d: %s", short_name(file), line, what);
    end_here(text);
}

void ctest_equal(const char *file, int line, const char *what, long long actual, long long expected) {
    if (actual == expected) return;
    char text[600];
    snprintf(text, sizeof text, "%s:%d: %s is %lld, not %lld", short_name(file), line, what, actual, expected);
    end_here(text);
}

void ctest_equal_text(const char *file, int line, const char *what, const char *actual, const char *expected) {
    if (actual != NULL && expected != NULL && strcmp(actual, expected) == 0) return;
    char text[1000];
    snprintf(text, sizeof text, "%s:%d: %s is \"%s\", not \"%s\"", short_name(file), line, what,
             actual != NULL ? actual : "(null)", expected != NULL ? expected : "(null)");
    end_here(text);
}

void ctest_skip(const char *why) {
    if (getpid() != running_process) _exit(0);
    skipped = why;
    if (pthread_equal(pthread_self(), running_thread)) longjmp(running_end, 1);
}

static bool make_directory(const char *base) {
    snprintf(directory, sizeof directory, "%s/strata-test-XXXXXX", base);
    if (mkdtemp(directory) != NULL) return true;
    directory[0] = 0;
    return false;
}

const char *ctest_directory(void) {
    const char *base = getenv("TMPDIR");
    if (directory[0] == 0 && !make_directory(base != NULL && base[0] != 0 ? base : "/tmp"))
        ctest_fail(__FILE__, __LINE__, "no temporary directory can be made");
    return directory;
}

void ctest_directory_in_memory(void) {
    if (directory[0] == 0 && !make_directory("/dev/shm")) (void)ctest_directory();
}

const char *ctest_path(const char *name) {
    const char *base = ctest_directory();
    size_t length = strlen(base) + 1;
    for (named_path *known = paths; known != NULL; known = known->next)
        if (strcmp(known->text + length, name) == 0) return known->text;
    named_path *path = malloc(sizeof *path + length + strlen(name) + 1);
    if (path == NULL) abort();
    sprintf(path->text, "%s/%s", base, name);
    path->next = paths;
    paths = path;
    return path->text;
}

uint64_t ctest_seed(void) {
    if (seed_used) return seed;
    const char *given = getenv("CTEST_SEED");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    seed = given != NULL ? strtoull(given, NULL, 0) : (uint64_t)now.tv_sec * 1000003u ^ (uint64_t)now.tv_nsec;
    seed_used = true;
    return seed;
}

/* splitmix64: every seed is a good one. */
uint64_t ctest_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static unsigned part(void) {
    const char *given = getenv("CTEST_PART");
    unsigned number = given != NULL ? (unsigned)strtoul(given, NULL, 0) : 1;
    return number > 0 ? number : 1;
}

unsigned ctest_rounds(unsigned rounds) { return (rounds + part() - 1) / part(); }

bool ctest_tries(uint64_t i) { return ctest_tries_all() || (i + ctest_seed()) % part() == 0; }

bool ctest_tries_all(void) { return part() == 1; }

int ctest_child_start(void (*body)(void *), void *argument) {
    fflush(NULL);
    pid_t pid = fork();
    if (pid != 0) return pid;
    body(argument);
    _exit(0);
}

int ctest_child_wait(int pid) {
    int status = 0;
    if (pid < 0) return -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : CHILD_SIGNAL + WTERMSIG(status);
}

int ctest_child(void (*body)(void *), void *argument) { return ctest_child_wait(ctest_child_start(body, argument)); }
