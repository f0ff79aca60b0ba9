/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE 1
#include "process.h"

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver.h"
#include "timing.h"

/* A child is started as: PROGRAM --child JOB PEER N FOLDER. It prints one number. */
enum { JOB = 2, PEER = 3, NUMBER = 4, FOLDER = 5, ARGUMENTS = 6 };

static double ask_child(const char *job, const bench_peer *peer, uint64_t n, const char *folder) {
    extern char **environ;
    char number[24], text[64] = { 0 };
    snprintf(number, sizeof number, "%" PRIu64, n);
    const char *arguments[] = { "/proc/self/exe", "--child", job, peer->name, number, folder, NULL };
    posix_spawn_file_actions_t actions;
    int ends[2], status = 0;
    pid_t child;
    if (pipe(ends) != 0 || posix_spawn_file_actions_init(&actions) != 0 ||
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) != 0 ||
        posix_spawn_file_actions_addclose(&actions, ends[0]) != 0 ||
        posix_spawn(&child, arguments[0], &actions, NULL, (char **)(uintptr_t)arguments, environ) != 0)
        bench_fail(peer->name, job, strerror(errno));
    (void)posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    ssize_t size = read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    if (waitpid(child, &status, 0) != child || status != 0 || size <= 0)
        bench_fail(peer->name, job, "the child failed");
    return strtod(text, NULL);
}

double process_reopen(const bench_peer *peer, const char *folder, uint64_t n) {
    return ask_child("reopen", peer, n, folder);
}
double process_peak(const bench_peer *peer, const char *folder, uint64_t n) {
    return ask_child("peak", peer, n, folder);
}

/** A size from /proc/self/status, in bytes. */
static double memory(const char *key) {
    char line[256];
    double size = 0;
    FILE *file = fopen("/proc/self/status", "re");
    if (file == NULL) bench_fail("memory", key, strerror(errno));
    while (fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, key, strlen(key)) == 0) size = 1024 * strtod(line + strlen(key), NULL);
    fclose(file);
    return size;
}

static double reopen(const bench_peer *peer, const char *folder, uint64_t n) {
    double start = timing_now();
    void *store = peer->open(folder, n);
    double answer = peer->run(store, BENCH_LOOKUP, 1);
    double taken = timing_now() - start;
    peer->close(store);
    return answer < (double)BENCH_NAME_SIZE ? 0 : taken;
}

static double peak(const bench_peer *peer, const char *folder, uint64_t n) {
    double before = memory("VmRSS:");
    void *store = peer->open(folder, n);
    double answer = peer->run(store, BENCH_BULK_INSERT, n + bench_dogs(n));
    double most = memory("VmHWM:");
    peer->close(store);
    return isnan(answer) ? 0 : most - before;
}

bool bench_child(const bench_peer *const *peers, uint32_t peer_count, int argc, char **argv) {
    if (argc != ARGUMENTS || strcmp(argv[1], "--child") != 0) return false;
    uint64_t n = strtoull(argv[NUMBER], NULL, 10);
    for (uint32_t p = 0; p < peer_count; p++) {
        if (strcmp(peers[p]->name, argv[PEER]) != 0) continue;
        bool opens = strcmp(argv[JOB], "reopen") == 0;
        printf("%.0f\n", opens ? reopen(peers[p], argv[FOLDER], n) : peak(peers[p], argv[FOLDER], n));
    }
    return true;
}
