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

#endif
