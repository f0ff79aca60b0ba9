/* SPDX-License-Identifier: MIT
 * main.c -- the C tests without Swift: for sanitizers, valgrind and debuggers.
 *
 * runner [-j N] [part of a name]...   runs the tests whose name contains one of the arguments, or all of them; with -j
 * in so many processes, each of which takes the next test when it is done with one. */
#define _GNU_SOURCE 1
#include "ctest.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_JOBS = 64, NO_TEST = -1 };

/** What the processes share. */
typedef struct progress {
    atomic_int next;               /* the first test that nobody has taken */
    atomic_int passed, failed;
    atomic_int running[MOST_JOBS]; /* the test of each process, or NO_TEST */
} progress;

static bool wanted(const char *name, int count, char **parts) {
    for (int i = 0; i < count; i++)
        if (strstr(name, parts[i]) != NULL) return true;
    return count == 0;
}

static void run(int test, progress *all) {
    const char *failure = ctest_run(test);
    atomic_fetch_add(failure == NULL ? &all->passed : &all->failed, 1);
    if (failure != NULL) printf("FAILED %s: %s\n", ctest_name(test), failure);
    else if (ctest_skipped() == NULL) printf("ok     %s\n", ctest_name(test));
    else printf("ok     %s (not on this machine: %s)\n", ctest_name(test), ctest_skipped());
}

static void run_the_rest(int job, progress *all, int count, char **parts) {
    for (int test; (test = atomic_fetch_add(&all->next, 1)) < ctest_count();) {
        if (!wanted(ctest_name(test), count, parts)) continue;
        atomic_store(&all->running[job], test);
        run(test, all);
        atomic_store(&all->running[job], NO_TEST);
    }
}

/* A process that ends within a test takes none of the other tests with it: another one runs them. */
static void end_of(int job, int status, progress *all) {
    int test = atomic_load(&all->running[job]);
    if (test == NO_TEST && status == 0) return;
    atomic_fetch_add(&all->failed, 1);
    printf("FAILED %s: its process ended with %s %d\n", test == NO_TEST ? "(no test)" : ctest_name(test),
           WIFSIGNALED(status) ? "signal" : "status", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static pid_t start(int job, progress *all, int count, char **parts) {
    fflush(stdout);
    atomic_store(&all->running[job], NO_TEST);
    pid_t process = fork();
    if (process != 0) return process;
    run_the_rest(job, all, count, parts);
    exit(0); /* not _exit: what looks for leaks does so here */
}

static bool run_in_processes(int jobs, progress *all, int count, char **parts) {
    pid_t processes[MOST_JOBS];
    for (int job = 0; job < jobs; job++)
        if ((processes[job] = start(job, all, count, parts)) < 0) return false;
    for (int left = jobs, status; left > 0;) {
        pid_t process = wait(&status);
        if (process < 0) return false;
        for (int job = 0; job < jobs; job++) {
            if (processes[job] != process) continue;
            end_of(job, status, all);
            bool more = status != 0 && atomic_load(&all->next) < ctest_count();
            if (more && (processes[job] = start(job, all, count, parts)) < 0) return false;
            if (!more) left--;
        }
    }
    return true;
}

int main(int argc, char **argv) {
    int jobs = 0, skip = 1;
    if (argc > 2 && strcmp(argv[1], "-j") == 0) {
        jobs = atoi(argv[2]);
        skip = 3;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    progress *all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || jobs < 0 || jobs > MOST_JOBS) {
        fprintf(stderr, "runner [-j N] [part of a name]..., N at most %d\n", MOST_JOBS);
        return 2;
    }
    if (jobs == 0) run_the_rest(0, all, argc - skip, argv + skip);
    else if (!run_in_processes(jobs, all, argc - skip, argv + skip)) atomic_fetch_add(&all->failed, 1);
    int passed = atomic_load(&all->passed), failed = atomic_load(&all->failed);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0 || passed == 0;
}
