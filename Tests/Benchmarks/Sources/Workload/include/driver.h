/* SPDX-License-Identifier: MIT
 *
 * driver.h -- runs the workloads on all peers, round by round, and checks every answer.
 *
 * All peers do a round of a workload before any does the next one, so that what else the machine does meets all of
 * them. Reads are warm: the file was just written, and the first round counts like any other. Changes start from a
 * fresh copy of the file as bulk insert left it, in each round. Each peer has a folder of its own in `folder`.
 */
#ifndef DRIVER_H
#define DRIVER_H

#include "peer.h"

enum { BENCH_MAX_PEERS = 8, BENCH_MAX_ROUNDS = 25 };

typedef struct bench_plan {
    const bench_peer *const *peers;
    uint32_t peer_count;
    uint64_t n;
    uint32_t rounds;        /**< of workloads that read */
    uint32_t write_rounds;  /**< of all others */
    const char *folder;     /**< where the files lie; created if it is missing, its parent exists */
    const char *only;       /**< the names of the only workloads to run, with commas between them, or NULL */
    bool keep;              /**< leaves the filled files there, and takes those that are there from before */
    bool quiet;             /**< does not tell on stderr what is running */
} bench_plan;

/** What one workload took one peer. */
typedef struct bench_figure {
    uint32_t rounds;                     /**< 0: the peer does not offer it, or it was not to be run */
    double samples[BENCH_MAX_ROUNDS];    /**< nanoseconds per operation */
    double processor[BENCH_MAX_ROUNDS];  /**< of those, on a processor; of what is left, a disk was waited for, or a
                                              processor */
    double allocations;                  /**< per operation, in the last round, on the thread that ran it */
} bench_figure;

/** Bytes, all of one peer; 0: not measured. */
typedef struct bench_sizes {
    double inserted;   /**< of the file after bulk insert, per object */
    double changed;    /**< of the file after updates and deletes, per object there was */
    double reusable;   /**< of those, what later changes will use again; below 0: not known */
    double peak;       /**< of memory during bulk insert, mapped files included, less what the process began with */
} bench_sizes;

typedef struct bench_results {
    bench_figure figures[BENCH_WORKLOADS][BENCH_MAX_PEERS];
    bench_sizes sizes[BENCH_MAX_PEERS];
} bench_results;

/** Fills in `results`; a wrong answer ends the program. */
void bench_run(const bench_plan *plan, bench_results *results);

/** If the program was started as a child to measure something in a process of its own, does that and returns true. */
bool bench_child(const bench_peer *const *peers, uint32_t peer_count, int argc, char **argv);

/** Whether a name is one of several, with commas between them. */
bool bench_names(const char *names, const char *name);

/** Reads the options of options.c into a plan that holds the values for what is not given; false, and says why, if
 * they make no sense. */
bool bench_options(const bench_peer *const *peers, uint32_t peer_count, int argc, char **argv, bench_plan *plan);

/* Elements of `results`, for Swift. */
const bench_figure *bench_figure_of(const bench_results *results, bench_workload workload, uint32_t peer);
const bench_sizes *bench_sizes_of(const bench_results *results, uint32_t peer);

/** The samples a workload is judged by, one for each round: of reads, which wait for nothing but memory, the time on a
 * processor, so that other programs on the machine count less; of all others the time that passed. */
const double *bench_judged(bench_workload workload, const bench_figure *figure);
double bench_median(const double *samples, uint32_t rounds);
double bench_least(const double *samples, uint32_t rounds);

/** What a workload is called, and what is wanted of it; see workloads.def. */
typedef struct bench_description {
    const char *symbol, *phase, *name, *title, *operation;
    double unit;
    double c_target, swift_target;
    double raw;  /**< raw LMDB's figure where the targets were set; 0: none */
} bench_description;

const bench_description *bench_describe(bench_workload workload);

#endif
