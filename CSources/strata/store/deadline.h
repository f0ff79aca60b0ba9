/* SPDX-License-Identifier: MIT
 * deadline.h -- how long something may wait, and the naps in between. */
#ifndef ST_STORE_DEADLINE_H
#define ST_STORE_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum {
    ST_MICROSECOND = 1000, /* nanoseconds */
    ST_MILLISECOND = 1000 * 1000
};

/** A time in nanoseconds of the monotonic clock, which all processes share. */
typedef int64_t st_time;
st_time st_time_now(void);

typedef struct st_deadline {
    st_time begun, end;
    bool (*is_over)(void *context); /* asked every few milliseconds: nothing is worth waiting for any more; or NULL */
    void *context;
} st_deadline;

/** The deadline that ends so many milliseconds from now. */
st_deadline st_deadline_in(uint32_t milliseconds);
/** Nanoseconds since the waiting began. */
st_time st_deadline_waited(const st_deadline *deadline);
/** Has it passed, or is nothing worth waiting for any more? */
bool st_deadline_is_over(const st_deadline *deadline);
/** The time until which a waiter may sleep before it asks whether the deadline is over. */
st_time st_deadline_next_look(const st_deadline *deadline);
/** Sleeps for so many nanoseconds, but not beyond the deadline. False, without sleeping, if it is over. */
bool st_deadline_nap(const st_deadline *deadline, st_time nanoseconds);
/** As the system takes it, for waits by CLOCK_MONOTONIC. */
struct timespec st_deadline_spec(const st_deadline *deadline);

#endif
