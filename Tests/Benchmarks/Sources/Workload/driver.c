/* SPDX-License-Identifier: MIT
 *
 * driver.c -- see driver.h.
 */
#define _GNU_SOURCE 1
#include "driver.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "allocation_count.h"
#include "files.h"
#include "model.h"
#include "process.h"
#include "readers.h"
#include "timing.h"

typedef enum phase { INSERT, READ, CHANGE, BESIDE, TURNS, OBSERVED, LIST, PROCESS } phase;

static const phase phases[BENCH_WORKLOADS] = {
#define WORKLOAD(symbol, phase, ...) [BENCH_##symbol] = phase,
#include "workloads.def"
#undef WORKLOAD
};

static const bench_description descriptions[BENCH_WORKLOADS] = {
#define WORKLOAD(symbol, phase, ...) [BENCH_##symbol] = { #symbol, #phase, __VA_ARGS__ },
#include "workloads.def"
#undef WORKLOAD
};

const bench_description *bench_describe(bench_workload workload) { return &descriptions[workload]; }

void bench_fail(const char *peer, const char *what, const char *why) {
    fprintf(stderr, "bench: %s: %s: %s\n", peer, what, why);
    exit(1);
}

/** A run in progress. */
typedef struct run {
    const bench_plan *plan;
    bench_results *results;
    bench_model model;
    void *stores[BENCH_MAX_PEERS];
    struct {
        bench_workload workload;  /* BENCH_WORKLOADS: none, or the model has changed since */
        uint64_t count;
        double answer;
    } expected;                   /* the last one: all peers are asked the same */
} run;

/* ---- Folders ---------------------------------------------------------- */

/** The folder a peer works in, or the one its filled file is kept in. */
static void folder_of(const run *r, uint32_t p, const char *suffix, char out[4096]) {
    snprintf(out, 4096, "%s/%s-%" PRIu64 "%s", r->plan->folder, r->plan->peers[p]->name, r->plan->n, suffix);
}

static void open_peer(run *r, uint32_t p) {
    char folder[4096];
    folder_of(r, p, "", folder);
    r->stores[p] = r->plan->peers[p]->open(folder, r->plan->n);
}
static void close_peer(run *r, uint32_t p) { r->plan->peers[p]->close(r->stores[p]); }

static void open_fresh(run *r, uint32_t p) {
    char folder[4096];
    folder_of(r, p, "", folder);
    files_clear(folder);
    open_peer(r, p);
}

static void open_filled(run *r, uint32_t p) {
    char folder[4096], filled[4096];
    folder_of(r, p, "", folder);
    folder_of(r, p, ".filled", filled);
    files_copy(filled, folder);
    open_peer(r, p);
}

static uint64_t objects(const run *r) { return r->plan->n + bench_dogs(r->plan->n); }

/** Bytes of the peer's files per object there was after bulk insert. */
static double size_of(run *r, uint32_t p) {
    char folder[4096];
    const bench_peer *peer = r->plan->peers[p];
    folder_of(r, p, "", folder);
    if (peer->settle != NULL) peer->settle(r->stores[p]);
    return files_size(folder) / (double)objects(r);
}

/* ---- One workload ----------------------------------------------------- */

static bool wanted(const run *r, bench_workload workload) {
    return r->plan->only == NULL || bench_names(r->plan->only, descriptions[workload].name);
}
static bool any_wanted(const run *r, phase of) {
    for (int w = 0; w < BENCH_WORKLOADS; w++)
        if (phases[w] == of && wanted(r, (bench_workload)w)) return true;
    return false;
}

static uint64_t operations(const run *r, bench_workload workload, const bench_peer *peer) {
    uint64_t n = r->plan->n;
    switch (workload) {
    case BENCH_BULK_INSERT: return objects(r);
    case BENCH_LOOKUP:
    case BENCH_OWN_STRING:
    case BENCH_LONG_STRING:
    case BENCH_LINK_STRING:
    case BENCH_LIST_GET: return bench_operations(n);
    case BENCH_FRESH_STRING: return BENCH_TURNS * BENCH_BATCH;
    case BENCH_BACKLINKS: return bench_dogs(n);
    case BENCH_PROPERTY:
    case BENCH_PLAIN: return BENCH_READS;
    case BENCH_INDEX_COUNT: return BENCH_QUERIES;
    case BENCH_INDEX_RANGE: return BENCH_RANGE_QUERIES;
    case BENCH_INDEX_VISIT: return (uint64_t)bench_expect(&r->model, BENCH_INDEX_COUNT, 1);
    case BENCH_UPDATE_SCORES:
    case BENCH_UPDATE_AGES:
    case BENCH_DELETE:
    case BENCH_LIST_INSERT: return bench_changes(n);
    case BENCH_COMMIT: return BENCH_COMMITS;
    case BENCH_LOGGED_COMMIT:
    case BENCH_WRITERS_COMMIT:
    case BENCH_RELAXED_COMMIT: return BENCH_LOGGED;
    case BENCH_OBSERVE: return 1;
    case BENCH_OBSERVE_CHANGE: return BENCH_COMMITS / peer->share;
    default: return n;
    }
}

static void add_sample(run *r, bench_workload workload, uint32_t p, double sample, double processor) {
    bench_figure *figure = &r->results->figures[workload][p];
    if (isnan(sample) || figure->rounds == BENCH_MAX_ROUNDS) return;
    figure->samples[figure->rounds] = sample;
    figure->processor[figure->rounds++] = processor;
}

static double expect(run *r, bench_workload workload, uint64_t count) {
    if (r->expected.workload != workload || r->expected.count != count) {
        r->expected.answer = bench_expect(&r->model, workload, count);
        r->expected.workload = workload;
        r->expected.count = count;
    }
    return r->expected.answer;
}

static void check(run *r, bench_workload workload, uint32_t p, double answer, uint64_t count) {
    double expected = expect(r, workload, count);
    /* Sums of doubles depend on the order in which they are added up; all other answers are whole numbers. */
    double tolerance = workload == BENCH_SUM || workload == BENCH_INDEX_VISIT ? 1e-9 * fabs(expected) : 0;
    if (fabs(answer - expected) <= tolerance) return;
    char why[128];
    snprintf(why, sizeof why, "the answer is %.17g, not %.17g", answer, expected);
    bench_fail(r->plan->peers[p]->name, descriptions[workload].title, why);
}

/** All that a clock runs for; a function of its own, for profilers to start and stop at. */
__attribute__((noinline)) static double bench_timed(const bench_peer *peer, void *store, bench_workload workload,
                                                    uint64_t count, double *out_passed, double *out_processor) {
    double start = timing_now(), spent = timing_processor();
    double answer = peer->run(store, workload, count);
    *out_processor = timing_processor() - spent;
    *out_passed = timing_now() - start;
    return answer;
}

static void prepare(const run *r, bench_workload workload, uint32_t p) {
    const bench_peer *peer = r->plan->peers[p];
    if (peer->prepare != NULL) peer->prepare(r->stores[p], workload, operations(r, workload, peer));
}

static void measure(run *r, bench_workload workload, uint32_t p) {
    const bench_peer *peer = r->plan->peers[p];
    uint64_t count = operations(r, workload, peer);
    double passed, processor;
    prepare(r, workload, p);
    uint64_t before = allocation_count();
    double answer = bench_timed(peer, r->stores[p], workload, count, &passed, &processor);
    if (isnan(answer)) return;
    uint64_t allocations = allocation_count() - before;
    r->results->figures[workload][p].allocations = (double)allocations / (double)count;
    check(r, workload, p, answer, count);
    add_sample(r, workload, p, passed / (double)count, processor / (double)count);
}

/** Asks after a change, without a clock, for what must show it. */
static void check_change(run *r, uint32_t p) {
    static const bench_workload questions[] = { BENCH_SUM, BENCH_INDEX_COUNT, BENCH_ITERATE, BENCH_BACKLINKS };
    const bench_peer *peer = r->plan->peers[p];
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        double answer = peer->run(r->stores[p], questions[i], 1);
        if (!isnan(answer)) check(r, questions[i], p, answer, 1);
    }
}

static void tell(const run *r, bench_workload workload, uint32_t round, uint32_t rounds) {
    if (!r->plan->quiet) fprintf(stderr, "\r\033[K%s, round %u of %u", descriptions[workload].title, round + 1, rounds);
}

/* ---- Phases ----------------------------------------------------------- */

static bool is_kept(const run *r, uint32_t p) {
    char filled[4096];
    folder_of(r, p, ".filled", filled);
    return r->plan->keep && files_exist(filled);
}

/** Leaves a filled file of each peer. */
static void run_inserts(run *r) {
    char folder[4096], filled[4096];
    uint32_t rounds = wanted(r, BENCH_BULK_INSERT) ? r->plan->write_rounds : 1;
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t p = 0; p < r->plan->peer_count; p++) {
            if (is_kept(r, p) && !wanted(r, BENCH_BULK_INSERT)) continue;
            tell(r, BENCH_BULK_INSERT, round, rounds);
            open_fresh(r, p);
            measure(r, BENCH_BULK_INSERT, p);
            r->results->sizes[p].inserted = size_of(r, p);
            close_peer(r, p);
            folder_of(r, p, "", folder);
            folder_of(r, p, ".filled", filled);
            if (round + 1 == rounds) files_copy(folder, filled);
        }
    }
}

static void run_phase(run *r, phase of, uint32_t rounds) {
    for (int i = 0; i < BENCH_WORKLOADS; i++) {
        bench_workload workload = (bench_workload)i;
        if (phases[workload] != of || !wanted(r, workload)) continue;
        for (uint32_t round = 0; round < rounds; round++) {
            tell(r, workload, round, rounds);
            for (uint32_t p = 0; p < r->plan->peer_count; p++) measure(r, workload, p);
        }
    }
}

static void run_reads(run *r) {
    for (uint32_t p = 0; p < r->plan->peer_count; p++) open_filled(r, p);
    run_phase(r, READ, r->plan->rounds);
    for (uint32_t p = 0; p < r->plan->peer_count; p++) close_peer(r, p);
}

static void run_change(run *r, bench_workload workload, uint32_t round) {
    tell(r, workload, round, r->plan->write_rounds);
    bench_model_change(&r->model, workload);
    r->expected.workload = BENCH_WORKLOADS;
    for (uint32_t p = 0; p < r->plan->peer_count; p++) {
        measure(r, workload, p);
        check_change(r, p);
        if (workload != BENCH_DELETE) continue;
        const bench_peer *peer = r->plan->peers[p];
        r->results->sizes[p].changed = size_of(r, p);
        double reusable = peer->reusable == NULL ? -1 : peer->reusable(r->stores[p]);
        r->results->sizes[p].reusable = reusable < 0 ? reusable : reusable / (double)objects(r);
    }
}

static void run_beside(run *r, uint32_t round) {
    tell(r, BENCH_READERS, round, r->plan->write_rounds);
    for (uint32_t p = 0; p < r->plan->peer_count; p++) {
        prepare(r, BENCH_READERS, p);
        add_sample(r, BENCH_READERS, p, readers_run(r->plan->peers[p], r->stores[p], &r->model), NAN);
    }
}

/** Changes, and then reads beside a writer, in a copy of the filled file for each round. */
static void run_changes(run *r) {
    for (uint32_t round = 0; round < r->plan->write_rounds; round++) {
        bench_model_free(&r->model);
        bench_model_init(&r->model, r->plan->n);
        r->expected.workload = BENCH_WORKLOADS;
        for (uint32_t p = 0; p < r->plan->peer_count; p++) open_filled(r, p);
        for (int w = 0; w < BENCH_WORKLOADS; w++)
            if (phases[w] == CHANGE && wanted(r, (bench_workload)w)) run_change(r, (bench_workload)w, round);
        if (wanted(r, BENCH_READERS)) run_beside(r, round);
        for (uint32_t p = 0; p < r->plan->peer_count; p++) close_peer(r, p);
    }
}

/** Commits and reads by turns, in a copy of the filled file. */
static void run_turns(run *r) {
    for (uint32_t p = 0; p < r->plan->peer_count; p++) open_filled(r, p);
    for (uint32_t round = 0; round < r->plan->write_rounds; round++) {
        tell(r, BENCH_FRESH_STRING, round, r->plan->write_rounds);
        for (uint32_t p = 0; p < r->plan->peer_count; p++) {
            double processor;
            prepare(r, BENCH_FRESH_STRING, p);
            double passed = readers_take_turns(r->plan->peers[p], r->stores[p], &r->model, &processor);
            add_sample(r, BENCH_FRESH_STRING, p, passed, processor);
        }
    }
    for (uint32_t p = 0; p < r->plan->peer_count; p++) close_peer(r, p);
}

static void run_observers(run *r) {
    for (uint32_t p = 0; p < r->plan->peer_count; p++) open_filled(r, p);
    run_phase(r, OBSERVED, r->plan->write_rounds);
    for (uint32_t p = 0; p < r->plan->peer_count; p++) close_peer(r, p);
}

static void run_lists(run *r) {
    for (uint32_t p = 0; p < r->plan->peer_count; p++) open_fresh(r, p);
    for (uint32_t round = 0; round < r->plan->write_rounds; round++) {
        for (int w = 0; w < BENCH_WORKLOADS; w++) {
            if (phases[w] != LIST || (!wanted(r, (bench_workload)w) && w != BENCH_LIST_APPEND)) continue;
            tell(r, (bench_workload)w, round, r->plan->write_rounds);
            for (uint32_t p = 0; p < r->plan->peer_count; p++) measure(r, (bench_workload)w, p);
        }
    }
    for (uint32_t p = 0; p < r->plan->peer_count; p++) close_peer(r, p);
}

static void run_processes(run *r) {
    char folder[4096];
    for (uint32_t p = 0; p < r->plan->peer_count; p++) {
        open_filled(r, p);
        close_peer(r, p);
    }
    for (uint32_t round = 0; round < r->plan->rounds; round++) {
        tell(r, BENCH_REOPEN, round, r->plan->rounds);
        for (uint32_t p = 0; p < r->plan->peer_count; p++) {
            folder_of(r, p, "", folder);
            add_sample(r, BENCH_REOPEN, p, process_reopen(r->plan->peers[p], folder, r->plan->n), NAN);
        }
    }
}

static void measure_peaks(run *r) {
    char folder[4096];
    for (uint32_t p = 0; p < r->plan->peer_count; p++) {
        folder_of(r, p, "", folder);
        files_clear(folder);
        r->results->sizes[p].peak = process_peak(r->plan->peers[p], folder, r->plan->n);
    }
}

static void remove_files(const run *r) {
    char folder[4096];
    for (uint32_t p = 0; p < r->plan->peer_count; p++) {
        folder_of(r, p, "", folder);
        files_remove(folder);
        folder_of(r, p, ".filled", folder);
        if (!r->plan->keep) files_remove(folder);
    }
    if (!r->plan->keep) (void)remove(r->plan->folder);
}

void bench_run(const bench_plan *plan, bench_results *results) {
    run r = { .plan = plan, .results = results, .expected.workload = BENCH_WORKLOADS };
    memset(results, 0, sizeof *results);
    bench_model_init(&r.model, plan->n);
    (void)mkdir(plan->folder, 0700);
    run_inserts(&r);
    if (any_wanted(&r, READ)) run_reads(&r);
    if (any_wanted(&r, PROCESS)) run_processes(&r);
    if (any_wanted(&r, TURNS)) run_turns(&r);
    if (any_wanted(&r, OBSERVED)) run_observers(&r);
    if (any_wanted(&r, LIST)) run_lists(&r);
    if (wanted(&r, BENCH_BULK_INSERT)) measure_peaks(&r);
    if (any_wanted(&r, CHANGE) || any_wanted(&r, BESIDE)) run_changes(&r);
    remove_files(&r);
    bench_model_free(&r.model);
    if (!plan->quiet) fprintf(stderr, "\r\033[K");
}

/* ---- Figures ---------------------------------------------------------- */

const bench_figure *bench_figure_of(const bench_results *results, bench_workload workload, uint32_t peer) {
    return &results->figures[workload][peer];
}

const bench_sizes *bench_sizes_of(const bench_results *results, uint32_t peer) { return &results->sizes[peer]; }

static int compare_samples(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

const double *bench_judged(bench_workload workload, const bench_figure *figure) {
    bool reads = phases[workload] == READ || phases[workload] == TURNS || workload == BENCH_LIST_GET;
    return reads ? figure->processor : figure->samples;
}

double bench_median(const double *samples, uint32_t rounds) {
    double sorted[BENCH_MAX_ROUNDS];
    if (rounds == 0) return BENCH_NOT_OFFERED;
    memcpy(sorted, samples, rounds * sizeof *sorted);
    qsort(sorted, rounds, sizeof *sorted, compare_samples);
    return (sorted[(rounds - 1) / 2] + sorted[rounds / 2]) / 2;
}

double bench_least(const double *samples, uint32_t rounds) {
    double least = BENCH_NOT_OFFERED;
    for (uint32_t i = 0; i < rounds; i++) least = fmin(least, samples[i]);
    return least;
}
