/* SPDX-License-Identifier: MIT
 *
 * gate.h -- admits one writer of this process at a time, in the order in which they came.
 *
 * Each store has one gate. A thread holds it from before LMDB begins its write transaction until after that has ended.
 */
#ifndef ST_STORE_GATE_H
#define ST_STORE_GATE_H

#include <pthread.h>
#include <stdbool.h>

typedef struct st_gate {
    pthread_mutex_t lock;
    bool held;       /* by the owner, or for a thread that was admitted and has not run yet */
    bool owned;      /* `owner` is inside */
    pthread_t owner;
    struct st_gate_waiter *first, *last;
} st_gate;

void st_gate_make(st_gate *gate);
void st_gate_free(st_gate *gate);
/** Waits for its turn. False, without waiting, if this thread is inside already. */
bool st_gate_enter(st_gate *gate);
void st_gate_leave(st_gate *gate);
/** Is this thread inside? */
bool st_gate_is_inside(st_gate *gate);

#endif
