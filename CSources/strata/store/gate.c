/* SPDX-License-Identifier: MIT
 * gate.c -- admits one writer of this process at a time.
 *
 * LMDB's own mutex is not fair, and does not notice a thread that holds it already. Because of the gate, at most one
 * thread of this process ever waits for that mutex. */
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

void st_gate_free(st_gate *gate) { pthread_mutex_destroy(&gate->lock); }

static void wait_for_turn(st_gate *gate) {
    st_gate_waiter waiter = { .next = NULL, .admitted = false };
    pthread_cond_init(&waiter.turn, NULL);
    if (gate->last != NULL) gate->last->next = &waiter;
    else gate->first = &waiter;
    gate->last = &waiter;
    while (!waiter.admitted) pthread_cond_wait(&waiter.turn, &gate->lock);
    pthread_cond_destroy(&waiter.turn);
}

static bool is_inside(const st_gate *gate) { return gate->owned && pthread_equal(gate->owner, pthread_self()); }

bool st_gate_is_inside(st_gate *gate) {
    pthread_mutex_lock(&gate->lock);
    bool inside = is_inside(gate);
    pthread_mutex_unlock(&gate->lock);
    return inside;
}

bool st_gate_enter(st_gate *gate) {
    pthread_mutex_lock(&gate->lock);
    bool inside = is_inside(gate);
    if (!inside) {
        if (gate->held) wait_for_turn(gate);
        gate->held = gate->owned = true;
        gate->owner = pthread_self();
    }
    pthread_mutex_unlock(&gate->lock);
    return !inside;
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
