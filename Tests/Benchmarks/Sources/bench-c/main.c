/* SPDX-License-Identifier: MIT
 *
 * main.c -- the C interface of Strata beside raw LMDB, without Swift: for perf and callgrind, and for quick looks.
 *
 *   bench-c [N=100000] [W=workload] [P=peer] [ROUNDS=5] [FOLDER=build/bench.files] [KEEP=1]
 *
 * The median and the least of the rounds are printed, with the median as so many times that of raw LMDB.
 * KEEP=1 leaves the filled files and takes them the next time, so that a profile shows the workload alone.
 */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"
#include "lmdb_peer.h"
#include "strata_peer.h"

static const bench_peer *const all_peers[] = { &strata_peer, &lmdb_peer };
enum { PEERS = sizeof all_peers / sizeof *all_peers };

static void print_figure(const bench_results *results, bench_workload workload, const bench_peer *const *peers,
                         uint32_t count) {
    double raw = NAN;
    const bench_description *about = bench_describe(workload);
    for (uint32_t p = 0; p < count; p++)
        if (peers[p]->raw) raw = bench_median(&results->figures[workload][p]);
    for (uint32_t p = 0; p < count; p++) {
        const bench_figure *figure = &results->figures[workload][p];
        if (figure->rounds == 0) continue;
        printf("%-15s %-9s %12.1f ns/%-8s least %12.1f", about->name, peers[p]->name, bench_median(figure),
               about->operation, bench_least(figure));
        if (!isnan(raw) && !peers[p]->raw) printf("  %6.2f x raw", bench_median(figure) / raw);
        else printf("  %12s", "");
        printf("  %.3g allocations\n", figure->allocations);
    }
}

static void print_sizes(const bench_results *results, const bench_peer *const *peers, uint32_t count) {
    for (uint32_t p = 0; p < count; p++) {
        const bench_sizes *sizes = &results->sizes[p];
        if (sizes->inserted > 0) printf("%-15s %-9s %12.1f bytes/object\n", "size", peers[p]->name, sizes->inserted);
        if (sizes->changed > 0) {
            printf("%-15s %-9s %12.1f bytes/object after changes", "size", peers[p]->name, sizes->changed);
            if (sizes->reusable >= 0) printf(", %.1f of them reusable", sizes->reusable);
            printf("\n");
        }
        if (sizes->peak > 0) printf("%-15s %-9s %12.1f MiB\n", "peak memory", peers[p]->name, sizes->peak / 1048576);
    }
}

/** The text behind NAME= if the argument is of that form. */
static const char *option(const char *argument, const char *name) {
    size_t size = strlen(name);
    return strncmp(argument, name, size) == 0 && argument[size] == '=' ? argument + size + 1 : NULL;
}

static bool known(const char *workload) {
    for (int w = 0; w < BENCH_WORKLOADS; w++)
        if (strcmp(bench_describe((bench_workload)w)->name, workload) == 0) return true;
    return false;
}

static int usage(const char *why, const char *what) {
    fprintf(stderr, "bench-c: %s%s\n"
                    "usage: bench-c [N=100000] [W=workload] [P=peer] [ROUNDS=5] [FOLDER=build/bench.files] [KEEP=1]\n"
                    "workloads:", why, what);
    for (int w = 0; w < BENCH_WORKLOADS; w++) fprintf(stderr, " %s", bench_describe((bench_workload)w)->name);
    fprintf(stderr, "\npeers: %s %s\n", strata_peer.name, lmdb_peer.name);
    return EXIT_FAILURE;
}

int main(int argc, char **argv) {
    static bench_results results;
    const bench_peer *peers[PEERS];
    bench_plan plan = { .peers = peers, .n = 100000, .rounds = 5, .write_rounds = 5, .folder = "build/bench.files" };
    const char *peer = NULL, *value;
    if (bench_child(all_peers, PEERS, argc, argv)) return EXIT_SUCCESS;
    for (int i = 1; i < argc; i++) {
        if ((value = option(argv[i], "N")) != NULL) plan.n = strtoull(value, NULL, 10);
        else if ((value = option(argv[i], "W")) != NULL) plan.only = value;
        else if ((value = option(argv[i], "P")) != NULL) peer = value;
        else if ((value = option(argv[i], "ROUNDS")) != NULL) plan.rounds = plan.write_rounds = (uint32_t)atoi(value);
        else if ((value = option(argv[i], "FOLDER")) != NULL) plan.folder = value;
        else if ((value = option(argv[i], "KEEP")) != NULL) plan.keep = atoi(value) != 0;
        else return usage("no such option: ", argv[i]);
    }
    for (uint32_t p = 0; p < PEERS; p++)
        if (peer == NULL || strcmp(all_peers[p]->name, peer) == 0) peers[plan.peer_count++] = all_peers[p];
    if (plan.peer_count == 0) return usage("no such peer: ", peer);
    if (plan.only != NULL && !known(plan.only)) return usage("no such workload: ", plan.only);
    if (plan.n < 1000 || plan.n > 10000000) return usage("N is from 1000 to 10000000", "");
    if (plan.rounds < 1 || plan.rounds > BENCH_MAX_ROUNDS) return usage("ROUNDS is from 1 to 25", "");
    plan.quiet = !isatty(STDERR_FILENO);
    bench_run(&plan, &results);
    for (int w = 0; w < BENCH_WORKLOADS; w++) print_figure(&results, (bench_workload)w, peers, plan.peer_count);
    print_sizes(&results, peers, plan.peer_count);
    return EXIT_SUCCESS;
}
