/* SPDX-License-Identifier: MIT
 * interrupt.c -- what tells a query to end. */
#define _GNU_SOURCE 1
#include "base/interrupt.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/status.h"

enum { STEPS_BETWEEN_LOOKS = 4096 };

struct strata_interrupt {
    atomic_bool stopped;
    _Atomic uint64_t deadline; /* in nanoseconds of the monotonic clock; UINT64_MAX: none */
    _Atomic uint64_t steps;    /* taken so far, */
    _Atomic uint64_t most;     /* and so many may be taken */
    _Atomic uint64_t bytes;    /* that a sort may take */
};

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

/* ---- For programs ----------------------------------------------------- */

strata_status strata_interrupt_make(strata_interrupt **out, strata_error *error) {
    *out = malloc(sizeof **out);
    if (*out == NULL) return st_no_memory(error, "making an interrupt");
    atomic_init(&(*out)->steps, 0);
    strata_interrupt_reset(*out);
    return STRATA_OK;
}

void strata_interrupt_free(strata_interrupt *interrupt) { free(interrupt); }

void strata_interrupt_stop(strata_interrupt *interrupt) {
    if (interrupt != NULL) interrupt->stopped = true;
}

void strata_interrupt_reset(strata_interrupt *interrupt) {
    if (interrupt == NULL) return;
    interrupt->stopped = false;
    interrupt->deadline = interrupt->most = interrupt->bytes = UINT64_MAX;
    interrupt->steps = 0;
}

void strata_interrupt_after(strata_interrupt *interrupt, uint64_t milliseconds) {
    if (interrupt == NULL) return;
    uint64_t start = now(), nanoseconds = milliseconds * UINT64_C(1000000);
    bool fits = milliseconds < UINT64_MAX / 1000000 && nanoseconds < UINT64_MAX - start;
    interrupt->deadline = fits ? start + nanoseconds : UINT64_MAX;
}

void strata_interrupt_after_steps(strata_interrupt *interrupt, uint64_t steps) {
    if (interrupt == NULL) return;
    uint64_t taken = interrupt->steps;
    interrupt->most = steps < UINT64_MAX - taken ? taken + steps : UINT64_MAX;
}

void strata_interrupt_after_bytes(strata_interrupt *interrupt, uint64_t bytes) {
    if (interrupt != NULL) interrupt->bytes = bytes;
}

uint64_t strata_interrupt_steps(const strata_interrupt *interrupt) { return interrupt == NULL ? 0 : interrupt->steps; }

/* ---- For queries and other work --------------------------------------- */

/* `hint`: what else may help against a deadline. */
static strata_status check(strata_interrupt *interrupt, uint64_t steps, const char *work, const char *hint,
                           strata_error *error) {
    if (interrupt == NULL) return STRATA_OK;
    uint64_t taken = atomic_fetch_add(&interrupt->steps, steps) + steps, deadline = interrupt->deadline;
    if (interrupt->stopped) return st_fail(error, STRATA_INTERRUPTED, 0, "the program interrupted %s", work);
    if (deadline != UINT64_MAX && now() >= deadline)
        return st_fail(error, STRATA_INTERRUPTED, 0, "%s did not end before its deadline; give it more time%s", work,
                       hint);
    if (taken > interrupt->most)
        return st_fail(error, STRATA_INTERRUPTED, 0, "%s takes more than the %llu steps it may take", work,
                       (unsigned long long)interrupt->most);
    return STRATA_OK;
}

strata_status st_interrupt_check(strata_interrupt *interrupt, uint64_t steps, strata_error *error) {
    return check(interrupt, steps, "a query", ", or a condition that an index answers", error);
}

strata_status st_interrupt_check_work(strata_interrupt *interrupt, uint64_t steps, const char *work,
                                      strata_error *error) {
    return check(interrupt, steps, work, "", error);
}

strata_status st_interrupt_check_bytes(const strata_interrupt *interrupt, uint64_t bytes, strata_error *error) {
    uint64_t most = interrupt == NULL ? UINT64_MAX : interrupt->bytes;
    if (bytes <= most) return STRATA_OK;
    return st_fail(error, STRATA_INTERRUPTED, 0, "sorting so many objects takes more than the %llu bytes it may take; "
                   "look at fewer of them, or give the properties an index in this order", (unsigned long long)most);
}

uint32_t st_interrupt_grant(const strata_interrupt *interrupt) {
    if (interrupt == NULL) return UINT32_MAX;
    uint64_t taken = interrupt->steps, most = interrupt->most, left = taken < most ? most - taken : 0;
    return left < STEPS_BETWEEN_LOOKS ? (uint32_t)left + 1 : STEPS_BETWEEN_LOOKS;
}
