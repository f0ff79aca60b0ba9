/* SPDX-License-Identifier: MIT
 *
 * choices.h -- random choices that need memory: which objects a workload uses, in which order.
 *
 * Each is made when it is first asked for, which the driver does before a clock runs.
 * Lifetime: until another N is asked for.
 */
#ifndef CHOICES_H
#define CHOICES_H

#include "workload.h"

/** The first bench_changes(n) of a random order of all persons: those that are deleted. */
const uint32_t *bench_deleted(uint64_t n);

/** All dogs in a random order: the one in which their backlinks are counted. */
const uint32_t *bench_targets(uint64_t n);

/** Random persons with an email, bench_operations(n) of them, some more than once. */
const uint32_t *bench_emailed(uint64_t n);

/** Makes all of them. */
void bench_choices_make(uint64_t n);

#endif
