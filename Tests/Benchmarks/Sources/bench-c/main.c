/* SPDX-License-Identifier: MIT
 *
 * main.c -- the C interface of Strata beside raw LMDB, without Swift: for perf and callgrind, and for quick looks.
 *
 * Takes the options of options.c, N being 100,000 if it is not given. The median and the least of the rounds are
 * printed, with the median as so many times that of raw LMDB, and the median of the time on a processor.
 */
#include <stdio.h>
#include <stdlib.h>

#include "driver.h"
#include "lmdb_peer.h"
#include "strata_peer.h"

static const bench_peer *const all_peers[] = { &strata_peer, &lmdb_peer };
enum { PEERS = sizeof all_peers / sizeof *all_peers };

static double median(const bench_results *results, bench_workload workload, uint32_t peer) {
    const bench_figure *figure = &results->figures[workload][peer];
    return bench_median(bench_judged(workload, figure), figure->rounds);
}

static void print_figure(const bench_results *results, bench_workload workload, const bench_peer *const *peers,
                         uint32_t count) {
    double raw = NAN;
    const bench_description *about = bench_describe(workload);
    for (uint32_t p = 0; p < count; p++)
        if (peers[p]->raw) raw = median(results, workload, p);
    for (uint32_t p = 0; p < count; p++) {
        const bench_figure *figure = &results->figures[workload][p];
        if (figure->rounds == 0) continue;
        double ratio = median(results, workload, p) / raw;
        printf("%-15s %-9s %12.1f ns/%-8s least %12.1f", about->name, peers[p]->name, median(results, workload, p),
               about->operation, bench_least(bench_judged(workload, figure), figure->rounds));
        if (!isnan(ratio) && !peers[p]->raw) printf("  %6.2f x raw", ratio);
        else printf("  %12s", "");
        printf("  processor %10.1f  %.3g allocations\n", bench_median(figure->processor, figure->rounds),
               figure->allocations);
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

int main(int argc, char **argv) {
    static bench_results results;
    bench_plan plan = { .n = 100000, .rounds = 5, .write_rounds = 5 };
    if (bench_child(all_peers, PEERS, argc, argv)) return EXIT_SUCCESS;
    if (!bench_options(all_peers, PEERS, argc, argv, &plan)) return EXIT_FAILURE;
    bench_run(&plan, &results);
    for (int w = 0; w < BENCH_WORKLOADS; w++)
        print_figure(&results, (bench_workload)w, plan.peers, plan.peer_count);
    print_sizes(&results, plan.peers, plan.peer_count);
    return EXIT_SUCCESS;
}
