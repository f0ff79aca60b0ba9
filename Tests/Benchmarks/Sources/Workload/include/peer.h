/* SPDX-License-Identifier: MIT
 *
 * peer.h -- what a peer is: a way to store the objects of workload.h and to run the workloads on them.
 *
 * A peer that cannot go on ends the program: see bench_fail(). A result is worth nothing after a failure.
 */
#ifndef PEER_H
#define PEER_H

#include "choices.h"

#include <math.h>
#include <stddef.h>

typedef enum bench_workload {
#define WORKLOAD(symbol, ...) BENCH_##symbol,
#include "workloads.def"
#undef WORKLOAD
    BENCH_WORKLOADS
} bench_workload;

/** What a peer returns for a workload that it has no equivalent of. */
#define BENCH_NOT_OFFERED NAN

typedef struct bench_peer {
    const char *name;  /**< selects it: P=name */
    const char *title;
    uint32_t share;    /**< makes only one of so many observed changes, because they take long; otherwise 1 */
    bool raw;          /**< the one that targets are ratios to */

    /** Opens the store of N persons in a folder that exists, creates it if it is not there, and checks its schema. */
    void *(*open)(const char *folder, uint64_t n);
    void (*close)(void *store);
    /** What a workload of `count` operations may have at hand before the clock runs, such as known objects in the
     * order in which they are used. NULL: nothing. */
    void (*prepare)(void *store, bench_workload workload, uint64_t count);
    /** Runs a workload of `count` operations and returns its answer; see bench_expect(). */
    double (*run)(void *store, bench_workload workload, uint64_t count);

    /** Writes out what still lies beside the file. NULL: nothing does. */
    void (*settle)(void *store);
    /** Bytes of the file that later changes will use again; below 0: not known. */
    double (*reusable)(void *store);

    /* Reading on a thread of its own, beside a writer, for BENCH_READERS or BENCH_FRESH_STRING. The one looks up
     * persons by primary key and adds up their ages; the other one reads the names of known persons, up to `count`,
     * to the last byte. */
    void *(*reader_open)(void *store, bench_workload workload, uint64_t count);
    /** `count` reads from number `from` on, in one read transaction that sees the newest commit: their sum. */
    uint64_t (*reader_batch)(void *reader, uint64_t from, uint64_t count);
    void (*reader_close)(void *reader);
} bench_peer;

/** Ends the program. */
_Noreturn void bench_fail(const char *peer, const char *what, const char *why);

enum { BENCH_PATH_SIZE = 4096 };

/** PATH of a file in a folder. Lifetime: until the next call on this thread. */
const char *bench_path(const char *folder, const char *name);

#endif
