/* SPDX-License-Identifier: MIT */
#ifndef TIMING_H
#define TIMING_H

#include <time.h>

/** Nanoseconds of a clock that only goes forward. */
static inline double timing_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/** Nanoseconds that the threads of this process have spent on processors. */
static inline double timing_processor(void) {
    struct timespec spent;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    return (double)spent.tv_sec * 1e9 + (double)spent.tv_nsec;
}
/** Nanoseconds that this thread has spent on processors. */
static inline double timing_thread(void) {
    struct timespec spent;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return (double)spent.tv_sec * 1e9 + (double)spent.tv_nsec;
}

#endif
