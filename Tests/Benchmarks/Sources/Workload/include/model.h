/* SPDX-License-Identifier: MIT
 *
 * model.h -- the answers of all workloads, from plain arrays.
 */
#ifndef MODEL_H
#define MODEL_H

#include "peer.h"

/** The persons as the workloads have left them. */
typedef struct bench_model {
    uint64_t n;
    uint64_t count;      /**< n, and those that were committed one by one */
    uint8_t *ages;       /**< 255: deleted */
    double *scores;
    uint32_t *dogs;
} bench_model;

void bench_model_init(bench_model *model, uint64_t n);
void bench_model_free(bench_model *model);

/** What a change does to the persons, or nothing for a workload that only reads. */
void bench_model_change(bench_model *model, bench_workload workload);

/** The answer of a workload of `count` operations. Whole numbers are exact, sums of doubles nearly. */
double bench_expect(const bench_model *model, bench_workload workload, uint64_t count);

/** What a reader's `count` reads from number `from` on add up to; see bench_peer. */
uint64_t bench_expect_batch(const bench_model *model, bench_workload workload, uint64_t from, uint64_t count);

#endif
