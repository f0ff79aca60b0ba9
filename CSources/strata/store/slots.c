/* SPDX-License-Identifier: MIT
 * slots.c -- LMDB's table of readers, which all processes share. */
#define _GNU_SOURCE 1
#include "store/slots.h"

#include <errno.h>

#include "base/log.h"
#include "store/lmdb_status.h"
#include "store/lock.h"

/* Between processes the table is kept by a lock of the file, and between threads, which share that, by a mutex. Both
 * are held for microseconds, unless their holder is stopped. */
static bool take(strata_store *store, const st_deadline *deadline) {
    struct timespec end = st_deadline_spec(deadline);
    if (pthread_mutex_trylock(&store->slots_lock) != 0 &&
        pthread_mutex_clocklock(&store->slots_lock, CLOCK_MONOTONIC, &end) != 0)
        return false;
    if (store->memory_name != NULL) return true;
    /* Processes that took it at the same time, and saw each other, do not look again at the same time. */
    st_time nap = (50 + store->process % 64) * ST_MICROSECOND;
    while (!st_lock_take(store, ST_LOCK_SLOTS))
        if (!st_deadline_nap(deadline, nap)) {
            pthread_mutex_unlock(&store->slots_lock);
            return false;
        }
    return true;
}

static void drop(strata_store *store) {
    if (store->memory_name == NULL) st_lock_drop(store, ST_LOCK_SLOTS);
    pthread_mutex_unlock(&store->slots_lock);
}

/* The table is taken. */
static void forget_dead(strata_store *store) {
    int dead = 0;
    (void)st_called(mdb_reader_check(store->env, &dead));
    if (dead > 0)
        st_log(STRATA_LOG_INFO, "'%s': %d snapshots of processes that ended were cleared", st_store_name(store), dead);
}

static int begin(strata_store *store, const st_deadline *deadline, bool first, MDB_txn **out) {
    *out = NULL;
    if (!take(store, deadline)) return ETIMEDOUT;
    if (first) forget_dead(store);
    int code = st_called(mdb_txn_begin(store->env, NULL, MDB_RDONLY, out));
    drop(store);
    if (code != 0) *out = NULL;
    return code;
}

int st_slots_begin(strata_store *store, const st_deadline *deadline, MDB_txn **out) {
    return begin(store, deadline, false, out);
}

int st_slots_begin_first(strata_store *store, const st_deadline *deadline, MDB_txn **out) {
    return begin(store, deadline, true, out);
}

strata_status st_slots_fail(const strata_store *store, const char *doing, strata_error *error) {
    st_lock_holder holder = { 0, 0 };
    if (store->memory_name == NULL) (void)st_lock_held(store, ST_LOCK_SLOTS, &holder);
    return st_lock_fail(store, &holder, doing, "looking for a reader slot of it", error);
}

void st_slots_forget_dead(strata_store *store) {
    enum { MILLISECONDS = 10 };
    const st_deadline soon = st_deadline_in(MILLISECONDS);
    if (!take(store, &soon)) return;
    forget_dead(store);
    drop(store);
}
