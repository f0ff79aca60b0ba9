/* SPDX-License-Identifier: MIT
 *
 * gate.h -- admits one writer of this process at a time, in the order in which they came.
 *
 * Each store has one gate. A thread holds it from before the process gets the writer's turn until after that has ended.
 */
#ifndef ST_STORE_GATE_H
#define ST_STORE_GATE_H

#include <pthread.h>

#include "store/deadline.h"

typedef struct st_gate {
    pthread_mutex_t lock;
    bool held;       /* by the owner, or for a thread that was admitted and has not run yet */
    bool owned;      /* `owner` is inside */
    pthread_t owner;
    st_time since;   /* when the last one was admitted */
    struct st_gate_waiter *first, *last;
} st_gate;

void st_gate_make(st_gate *gate);
void st_gate_free(st_gate *gate);

typedef enum st_gate_result {
    ST_GATE_ENTERED,
    ST_GATE_INSIDE, /* this thread is inside already */
    ST_GATE_LATE    /* the deadline passed; `*out_since` is when the one was admitted that is inside */
} st_gate_result;

/** Waits to be admitted, until a deadline. */
st_gate_result st_gate_enter(st_gate *gate, const st_deadline *deadline, st_time *out_since);
void st_gate_leave(st_gate *gate);
/** Who is inside lets another thread be inside in its place. */
void st_gate_pass(st_gate *gate, pthread_t owner);
/** Does anybody wait to be admitted? */
bool st_gate_is_wanted(st_gate *gate);
/** When the one was admitted who is inside. */
st_time st_gate_since(st_gate *gate);
/** Is this thread inside? */
bool st_gate_is_inside(st_gate *gate);

#endif
