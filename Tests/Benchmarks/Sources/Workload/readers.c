/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE 1
#include "readers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "timing.h"

enum { READERS = 2 };
static const double duration = 1e9;

/** What all readers of a run share. */
typedef struct readers {
    const bench_peer *peer;
    void *store;
    bench_workload workload;
    uint64_t batches;         /* different ones; then they come again */
    uint64_t *expected;       /* of each batch */
    atomic_bool stop;
    pthread_barrier_t turn;   /* of the reader, and then of the writer */
} readers;

typedef struct reader {
    readers *all;
    uint64_t first;           /* batch */
    uint64_t reads;
    double taken, processor;
    pthread_t thread;
} reader;

static void init(readers *all, const bench_peer *peer, void *store, bench_workload workload, uint64_t batches,
                 const bench_model *model) {
    all->peer = peer;
    all->store = store;
    all->workload = workload;
    all->batches = batches;
    all->expected = malloc((size_t)batches * sizeof *all->expected);
    atomic_init(&all->stop, false);
    if (all->expected == NULL) bench_fail(peer->name, "readers", "no memory");
    for (uint64_t b = 0; b < batches; b++)
        all->expected[b] = bench_expect_batch(model, workload, b * BENCH_BATCH, BENCH_BATCH);
}

static void *open_reader(const readers *all) {
    return all->peer->reader_open(all->store, all->workload, all->batches * BENCH_BATCH);
}

static void read_batch(reader *r, void *handle, uint64_t batch) {
    const readers *all = r->all;
    if (all->peer->reader_batch(handle, batch * BENCH_BATCH, BENCH_BATCH) != all->expected[batch])
        bench_fail(all->peer->name, "reads beside a writer", "wrong answer");
    r->reads += BENCH_BATCH;
}

static void start(reader *r, void *(*body)(void *)) {
    if (pthread_create(&r->thread, NULL, body, r) != 0) bench_fail(r->all->peer->name, "readers", "no thread");
}

/* ---- At the same time ------------------------------------------------- */

static void *read_until_stopped(void *argument) {
    reader *r = argument;
    const readers *all = r->all;
    void *handle = open_reader(all);
    double begun = timing_now();
    for (uint64_t batch = r->first; !atomic_load(&all->stop); batch = (batch + 1) % all->batches)
        read_batch(r, handle, batch);
    r->taken = timing_now() - begun;
    all->peer->reader_close(handle);
    return NULL;
}

double readers_run(const bench_peer *peer, void *store, const bench_model *model) {
    readers all;
    reader each[READERS];
    uint64_t reads = 0;
    double taken = 0;
    if (peer->reader_open == NULL) return BENCH_NOT_OFFERED;
    init(&all, peer, store, BENCH_READERS, bench_operations(model->n) / BENCH_BATCH, model);
    for (uint32_t i = 0; i < READERS; i++) {
        each[i] = (reader){ .all = &all, .first = i * (all.batches / READERS) };
        start(&each[i], read_until_stopped);
    }
    for (double begun = timing_now(); timing_now() - begun < duration;) (void)peer->run(store, BENCH_COMMIT, 1);
    atomic_store(&all.stop, true);
    for (uint32_t i = 0; i < READERS; i++) {
        pthread_join(each[i].thread, NULL);
        reads += each[i].reads;
        taken += each[i].taken / (double)READERS;
    }
    free(all.expected);
    return taken / (double)reads;
}

/* ---- By turns --------------------------------------------------------- */

static void *read_by_turns(void *argument) {
    reader *r = argument;
    readers *all = r->all;
    void *handle = open_reader(all);
    for (uint64_t batch = 0; batch < all->batches; batch++) {
        pthread_barrier_wait(&all->turn);
        double begun = timing_now(), spent = timing_thread();
        read_batch(r, handle, batch);
        r->processor += timing_thread() - spent;
        r->taken += timing_now() - begun;
        pthread_barrier_wait(&all->turn);
    }
    all->peer->reader_close(handle);
    return NULL;
}

double readers_take_turns(const bench_peer *peer, void *store, const bench_model *model, double *out_processor) {
    readers all;
    reader r = { .all = &all };
    if (peer->reader_open == NULL) return BENCH_NOT_OFFERED;
    init(&all, peer, store, BENCH_FRESH_STRING, BENCH_TURNS, model);
    if (pthread_barrier_init(&all.turn, NULL, 2) != 0) bench_fail(peer->name, "readers", "no barrier");
    start(&r, read_by_turns);
    for (uint64_t batch = 0; batch < all.batches; batch++) {
        (void)peer->run(store, BENCH_COMMIT, 1);
        pthread_barrier_wait(&all.turn);
        pthread_barrier_wait(&all.turn);
    }
    pthread_join(r.thread, NULL);
    pthread_barrier_destroy(&all.turn);
    free(all.expected);
    *out_processor = r.processor / (double)r.reads;
    return r.taken / (double)r.reads;
}
