/* SPDX-License-Identifier: MIT
 * deadline.c -- how long something may wait, and the naps in between. */
#define _GNU_SOURCE 1
#include "store/deadline.h"

static const st_time second = 1000 * 1000 * 1000;

static struct timespec spec(st_time time) {
    return (struct timespec){ (time_t)(time / second), (long)(time % second) };
}

st_time st_time_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * second + now.tv_nsec;
}

st_deadline st_deadline_in(uint32_t milliseconds) {
    st_time now = st_time_now();
    return (st_deadline){ .begun = now, .end = now + (st_time)milliseconds * ST_MILLISECOND };
}

st_time st_deadline_waited(const st_deadline *deadline) { return st_time_now() - deadline->begun; }

bool st_deadline_is_over(const st_deadline *deadline) {
    return st_time_now() >= deadline->end || (deadline->is_over != NULL && deadline->is_over(deadline->context));
}

st_time st_deadline_next_look(const st_deadline *deadline) {
    const st_time interval = 5 * ST_MILLISECOND;
    st_time now = st_time_now();
    return deadline->is_over == NULL || deadline->end - now < interval ? deadline->end : now + interval;
}

bool st_deadline_nap(const st_deadline *deadline, st_time nanoseconds) {
    if (deadline->is_over != NULL && deadline->is_over(deadline->context)) return false;
    st_time left = deadline->end - st_time_now();
    if (left <= 0) return false;
    struct timespec nap = spec(nanoseconds < left ? nanoseconds : left);
    (void)nanosleep(&nap, NULL);
    return true;
}

struct timespec st_deadline_spec(const st_deadline *deadline) { return spec(deadline->end); }
