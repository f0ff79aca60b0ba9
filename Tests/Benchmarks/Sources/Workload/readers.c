/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE 1
#include "readers.h"

#include <pthread.h>
#include <stdatomic.h>

#include "timing.h"

enum { READERS = 2, BATCHES = 512 /* of different lookups; then they come again */ };
static const double duration = 1e9;

typedef struct reader {
    const bench_peer *peer;
    void *store;
    const uint64_t *expected; /* of each batch */
    uint64_t first;           /* batch */
    atomic_bool *stop;
    uint64_t lookups;
    double taken;
    pthread_t thread;
} reader;

static void *read_batches(void *argument) {
    reader *r = argument;
    void *handle = r->peer->reader_open(r->store);
    double start = timing_now();
    for (uint64_t batch = r->first; !atomic_load(r->stop); batch = (batch + 1) % BATCHES) {
        if (r->peer->reader_batch(handle, batch * BENCH_BATCH, BENCH_BATCH) != r->expected[batch])
            bench_fail(r->peer->name, "lookups beside a writer", "wrong answer");
        r->lookups += BENCH_BATCH;
    }
    r->taken = timing_now() - start;
    r->peer->reader_close(handle);
    return NULL;
}

double readers_run(const bench_peer *peer, void *store, const bench_model *model) {
    uint64_t expected[BATCHES], lookups = 0;
    reader all[READERS];
    atomic_bool stop = false;
    double taken = 0, start = timing_now();
    if (peer->reader_open == NULL) return BENCH_NOT_OFFERED;
    for (uint64_t b = 0; b < BATCHES; b++) expected[b] = bench_expect_batch(model, b * BENCH_BATCH, BENCH_BATCH);
    for (uint32_t i = 0; i < READERS; i++) {
        all[i] = (reader){ peer, store, expected, i * (BATCHES / READERS), &stop, 0, 0, 0 };
        if (pthread_create(&all[i].thread, NULL, read_batches, &all[i]) != 0)
            bench_fail(peer->name, "lookups beside a writer", "no thread");
    }
    while (timing_now() - start < duration) (void)peer->run(store, BENCH_COMMIT, 1);
    atomic_store(&stop, true);
    for (uint32_t i = 0; i < READERS; i++) {
        pthread_join(all[i].thread, NULL);
        lookups += all[i].lookups;
        taken += all[i].taken / (double)READERS;
    }
    return taken / (double)lookups;
}
