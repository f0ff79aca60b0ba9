/* SPDX-License-Identifier: MIT */
#include "choices.h"

#include <stdlib.h>

#include "peer.h"

typedef struct choice {
    uint32_t *order;
    uint64_t n;
} choice;

/** Room for `count` indices, or false if they were made before for the same N. */
static bool renew(choice *c, uint64_t n, uint64_t count) {
    if (c->n == n) return false;
    free(c->order);
    c->order = malloc((size_t)count * sizeof *c->order);
    if (c->order == NULL) bench_fail("model", "a random order", "no memory");
    c->n = n;
    return true;
}

/** Puts the indices below `count` into a random order. */
static void shuffle(uint32_t *order, uint64_t count, bench_stream stream) {
    for (uint64_t i = 0; i < count; i++) order[i] = (uint32_t)i;
    for (uint64_t i = count - 1; i > 0; i--) {
        uint64_t j = bench_choose(stream, i + 1, i);
        uint32_t other = order[i];
        order[i] = order[j];
        order[j] = other;
    }
}

const uint32_t *bench_deleted(uint64_t n) {
    static choice deleted;
    if (renew(&deleted, n, n)) shuffle(deleted.order, n, STREAM_SHUFFLE);
    return deleted.order;
}

const uint32_t *bench_targets(uint64_t n) {
    static choice targets;
    if (renew(&targets, n, bench_dogs(n))) shuffle(targets.order, bench_dogs(n), STREAM_TARGET);
    return targets.order;
}

const uint32_t *bench_emailed(uint64_t n) {
    static choice emailed;
    uint64_t count = bench_operations(n);
    if (!renew(&emailed, n, count)) return emailed.order;
    for (uint64_t j = 0, tried = 0; j < count; tried++) {
        uint64_t index = bench_choose(STREAM_EMAILED, n, tried);
        if (bench_has_email(index)) emailed.order[j++] = (uint32_t)index;
    }
    return emailed.order;
}

void bench_choices_make(uint64_t n) {
    (void)bench_deleted(n);
    (void)bench_targets(n);
    (void)bench_emailed(n);
}
