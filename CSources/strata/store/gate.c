/* SPDX-License-Identifier: MIT
 * gate.c -- admits one writer of this process at a time.
 *
 * LMDB's own mutex is not fair, and does not notice a thread that holds it already. Because of the gate, at most one
 * thread of this process ever waits for other processes. */
#define _GNU_SOURCE 1
#include "store/gate.h"

typedef struct st_gate_waiter {
    struct st_gate_waiter *next;
    pthread_cond_t turn;
    bool admitted;
} st_gate_waiter;

void st_gate_make(st_gate *gate) {
    pthread_mutex_init(&gate->lock, NULL);
    gate->held = gate->owned = false;
    gate->first = gate->last = NULL;
}

/* Takes a waiter out of the queue. */
static void forget(st_gate *gate, const st_gate_waiter *waiter) {
    st_gate_waiter *before = NULL, **link = &gate->first;
    while (*link != waiter) {
        before = *link;
        link = &before->next;
    }
    *link = waiter->next;
    if (gate->last == waiter) gate->last = before;
}

void st_gate_free(st_gate *gate) { pthread_mutex_destroy(&gate->lock); }

/* Sleeps until the waiter may be admitted. False if the deadline passed first. Who has to look now and then does so
 * outside of the lock, and may find itself admitted afterwards. */
static bool sleep_in_queue(st_gate *gate, st_gate_waiter *waiter, const st_deadline *deadline) {
    const st_deadline next = { .end = st_deadline_next_look(deadline) };
    const struct timespec end = st_deadline_spec(&next);
    if (pthread_cond_clockwait(&waiter->turn, &gate->lock, CLOCK_MONOTONIC, &end) == 0) return true;
    pthread_mutex_unlock(&gate->lock);
    bool over = st_deadline_is_over(deadline);
    pthread_mutex_lock(&gate->lock);
    return !over;
}

/* False if the deadline passed first. */
static bool wait_until_admitted(st_gate *gate, const st_deadline *deadline) {
    st_gate_waiter waiter = { .next = NULL, .admitted = false };
    bool more = true;
    pthread_cond_init(&waiter.turn, NULL);
    if (gate->last != NULL) gate->last->next = &waiter;
    else gate->first = &waiter;
    gate->last = &waiter;
    while (!waiter.admitted && more) more = sleep_in_queue(gate, &waiter, deadline);
    if (!waiter.admitted) forget(gate, &waiter);
    pthread_cond_destroy(&waiter.turn);
    return waiter.admitted;
}

static bool is_inside(const st_gate *gate) { return gate->owned && pthread_equal(gate->owner, pthread_self()); }

bool st_gate_is_inside(st_gate *gate) {
    pthread_mutex_lock(&gate->lock);
    bool inside = is_inside(gate);
    pthread_mutex_unlock(&gate->lock);
    return inside;
}

void st_gate_pass(st_gate *gate, pthread_t owner) {
    pthread_mutex_lock(&gate->lock);
    gate->owner = owner;
    pthread_mutex_unlock(&gate->lock);
}

bool st_gate_is_wanted(st_gate *gate) {
    pthread_mutex_lock(&gate->lock);
    bool wanted = gate->first != NULL;
    pthread_mutex_unlock(&gate->lock);
    return wanted;
}

st_time st_gate_since(st_gate *gate) {
    pthread_mutex_lock(&gate->lock);
    st_time since = gate->since;
    pthread_mutex_unlock(&gate->lock);
    return since;
}

st_gate_result st_gate_enter(st_gate *gate, const st_deadline *deadline, st_time *out_since) {
    pthread_mutex_lock(&gate->lock);
    st_gate_result result = is_inside(gate) ? ST_GATE_INSIDE : ST_GATE_ENTERED;
    if (result == ST_GATE_ENTERED && gate->held && !wait_until_admitted(gate, deadline)) result = ST_GATE_LATE;
    if (result == ST_GATE_ENTERED) {
        gate->held = gate->owned = true;
        gate->owner = pthread_self();
        gate->since = st_time_now();
    }
    *out_since = gate->since;
    pthread_mutex_unlock(&gate->lock);
    return result;
}

void st_gate_leave(st_gate *gate) {
    pthread_mutex_lock(&gate->lock);
    st_gate_waiter *waiter = gate->first;
    gate->owned = false;
    if (waiter == NULL) {
        gate->held = false;
    } else {
        /* The gate stays held for the thread that is admitted. It has no owner until that thread runs. */
        gate->first = waiter->next;
        if (gate->first == NULL) gate->last = NULL;
        waiter->admitted = true;
        pthread_cond_signal(&waiter->turn);
    }
    pthread_mutex_unlock(&gate->lock);
}
