/* SPDX-License-Identifier: MIT
 * turn.c -- the writer's turn: one writer at a time, over all processes.
 *
 * Who finds the line empty takes the turn if it is free. Others line up, and look again and again who is ahead of them;
 * when it is nobody, they take the turn as soon as it is free. So the turn goes to processes in the order in which they
 * came, and one that writes in a loop cannot keep it from others. The line is a courtesy only: who is ahead and does
 * not take a turn that is free, because it was stopped, is passed over. */
#define _GNU_SOURCE 1
#include "store/turn.h"

#include "base/status.h"
#include "store/distrust.h"
#include "store/lock.h"

/* How long somebody who is ahead may leave a turn that is free, in nanoseconds. Long enough for one who wants it to run
 * on a busy machine. */
static const st_time courtesy = 100 * ST_MILLISECOND;

/* Whoever is found ahead need not be the first. */
static st_lock_place first_ahead(const strata_store *store, st_lock_place place) {
    st_lock_place first = place, before;
    while ((before = st_lock_ahead(store, store->passed_over, first)) != 0) first = before;
    return first;
}

/* An eighth of what was waited already, within limits. So whoever waits briefly loses little, and whoever waits long
 * costs little. */
static st_time nap_after(st_time waited, st_time least, st_time most) {
    st_time nap = waited / 8;
    return nap < least ? least : nap > most ? most : nap;
}

static bool wait_in_line(strata_store *store, st_lock_place place, const st_deadline *deadline) {
    st_lock_place before = place; /* who was ahead at the last look; `place` for nothing yet, 0 for nobody */
    st_time since = 0;            /* since when nobody is ahead, or since when they leave the turn */
    for (bool more = true; more;) {
        st_time now = st_time_now();
        st_lock_place ahead = st_lock_ahead(store, store->passed_over, place);
        if (ahead == 0 && st_lock_take(store, ST_LOCK_TURN)) return true;
        if (ahead != before || (ahead != 0 && st_lock_held(store, ST_LOCK_TURN, NULL))) since = now;
        if (ahead != 0 && now - since > courtesy) store->passed_over = first_ahead(store, place);
        before = ahead;
        st_time nap = ahead == 0 ? nap_after(now - since, 50 * ST_MICROSECOND, 5 * ST_MILLISECOND)
                                 : nap_after((now - deadline->begun) / 2, 100 * ST_MICROSECOND, 2 * ST_MILLISECOND);
        more = st_deadline_nap(deadline, nap);
    }
    return false;
}

static bool wait_for_turn(strata_store *store, const st_deadline *deadline) {
    if (store->memory_name != NULL) return true;
    /* Who cannot wait need not stand in line. */
    bool waits = st_time_now() < deadline->end;
    if ((!waits || st_lock_ahead(store, store->passed_over, ST_LOCK_END_OF_LINE) == 0) &&
        st_lock_take(store, ST_LOCK_TURN))
        return true;
    if (!waits) return false;
    st_lock_place place = st_lock_line_up(store);
    bool taken = wait_in_line(store, place, deadline);
    st_lock_leave_line(store, place);
    return taken;
}

static strata_status held_by_process(const strata_store *store, strata_error *error) {
    st_lock_holder holder = { 0, 0 };
    if (store->memory_name == NULL) (void)st_lock_held(store, ST_LOCK_TURN, &holder);
    return st_lock_fail(store, &holder, "writing to", "writing to it", error);
}

/* The thread that is inside may itself be waiting for another process. */
static strata_status held_by_thread(const strata_store *store, const char *who, st_time since, strata_error *error) {
    if (store->memory_name == NULL && st_lock_held(store, ST_LOCK_TURN, NULL)) return held_by_process(store, error);
    return st_fail(error, STRATA_BUSY, 0,
                   "writing to '%s': %s thread of this process has been writing to it for %.1f seconds; wait longer, "
                   "or end that write", st_store_name(store), who, 1e-9 * (double)(st_time_now() - since));
}

strata_status st_turn_take(strata_store *store, const st_deadline *deadline, strata_error *error) {
    st_time since;
    switch (st_gate_enter(&store->gate, deadline, &since)) {
    case ST_GATE_ENTERED: break;
    case ST_GATE_LATE: return held_by_thread(store, "another", since, error);
    case ST_GATE_INSIDE:
        return st_fail(error, STRATA_WRITING, 0,
                       "writing to '%s': a write transaction is open on this thread already; end it first",
                       st_store_name(store));
    }
    if (wait_for_turn(store, deadline)) return STRATA_OK;
    strata_status status = held_by_process(store, error);
    st_gate_leave(&store->gate);
    return status;
}

strata_status st_turn_fail(strata_store *store, strata_error *error) {
    if (st_gate_is_inside(&store->gate)) return held_by_process(store, error);
    /* It may be the one that queued the write. */
    return held_by_thread(store, "a", st_gate_since(&store->gate), error);
}

bool st_turn_is_wanted(strata_store *store) {
    if (st_gate_is_wanted(&store->gate)) return true;
    return store->memory_name == NULL && st_lock_ahead(store, store->passed_over, ST_LOCK_END_OF_LINE) != 0;
}

void st_turn_end(strata_store *store) {
    st_distrust_tell(store);
    if (store->memory_name == NULL) st_lock_drop(store, ST_LOCK_TURN);
    st_gate_leave(&store->gate);
}
