/* SPDX-License-Identifier: MIT
 *
 * options.c -- what a benchmark is told on its command line.
 *
 *   N=1000000      persons
 *   W=workload     runs only that one, with what it needs; or several, with commas between them
 *   P=peer         runs only that one; or several likewise
 *   ROUNDS=5       of every workload
 *   FOLDER=path    where the files lie; its parent exists
 *   KEEP=1         leaves the filled files and takes them the next time, so that a profile shows the workload alone
 */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"

/** The text behind NAME= if the argument is of that form. */
static const char *option(const char *argument, const char *name) {
    size_t size = strlen(name);
    return strncmp(argument, name, size) == 0 && argument[size] == '=' ? argument + size + 1 : NULL;
}

bool bench_names(const char *names, const char *name) {
    size_t size = strlen(name);
    for (const char *at = names; at != NULL; at = strchr(at, ',')) {
        if (*at == ',') at++;
        if (strncmp(at, name, size) == 0 && (at[size] == ',' || at[size] == '\0')) return true;
    }
    return false;
}

/** How many names there are, empty ones counted too. */
static uint32_t name_count(const char *names) {
    uint32_t count = 1;
    while ((names = strchr(names, ',')) != NULL) count++, names++;
    return count;
}

/** Whether all are names of workloads, and none is there twice. */
static bool known(const char *workloads) {
    uint32_t found = 0;
    for (int w = 0; w < BENCH_WORKLOADS; w++)
        found += bench_names(workloads, bench_describe((bench_workload)w)->name);
    return found == name_count(workloads);
}

static bool refuse(const bench_peer *const *peers, uint32_t count, const char *why, const char *what) {
    fprintf(stderr, "bench: %s%s\noptions: N=1000000 W=workload P=peer ROUNDS=5 FOLDER=path KEEP=1\n", why, what);
    fprintf(stderr, "workloads:");
    for (int w = 0; w < BENCH_WORKLOADS; w++) fprintf(stderr, " %s", bench_describe((bench_workload)w)->name);
    fprintf(stderr, "\npeers:");
    for (uint32_t p = 0; p < count; p++) fprintf(stderr, " %s", peers[p]->name);
    fprintf(stderr, "\n");
    return false;
}

bool bench_options(const bench_peer *const *peers, uint32_t peer_count, int argc, char **argv, bench_plan *plan) {
    static const bench_peer *chosen[BENCH_MAX_PEERS];
    const char *peer = NULL, *value;
    plan->folder = "build/bench.files";
    plan->quiet = !isatty(STDERR_FILENO);
    plan->peers = chosen;
    for (int i = 1; i < argc; i++) {
        if ((value = option(argv[i], "N")) != NULL) plan->n = strtoull(value, NULL, 10);
        else if ((value = option(argv[i], "W")) != NULL) plan->only = value;
        else if ((value = option(argv[i], "P")) != NULL) peer = value;
        else if ((value = option(argv[i], "ROUNDS")) != NULL) plan->rounds = plan->write_rounds = (uint32_t)atoi(value);
        else if ((value = option(argv[i], "FOLDER")) != NULL) plan->folder = value;
        else if ((value = option(argv[i], "KEEP")) != NULL) plan->keep = atoi(value) != 0;
        else return refuse(peers, peer_count, "no such option: ", argv[i]);
    }
    for (uint32_t p = 0; p < peer_count; p++)
        if (peer == NULL || bench_names(peer, peers[p]->name)) chosen[plan->peer_count++] = peers[p];
    if (peer != NULL && plan->peer_count != name_count(peer)) return refuse(peers, peer_count, "no such peer: ", peer);
    if (plan->only != NULL && !known(plan->only)) return refuse(peers, peer_count, "no such workload: ", plan->only);
    if (plan->n < 1000 || plan->n > 10000000) return refuse(peers, peer_count, "N is from 1000 to 10000000", "");
    if (plan->rounds < 1 || plan->rounds > BENCH_MAX_ROUNDS) return refuse(peers, peer_count, "ROUNDS is up to 25", "");
    return true;
}
