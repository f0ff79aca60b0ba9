/* SPDX-License-Identifier: MIT
 * wake.c -- waking those who wait for a commit. */
#define _GNU_SOURCE 1
#include "store/wake.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "store/lock.h"
#include "store/state.h"

/* The lower half of the number in the meta page that commit `commit` writes. */
static const uint32_t *word_of(const strata_store *store, uint64_t commit) {
    return (const uint32_t *)(const void *)(store->map + (commit & 1) * store->page_size + ST_META_TXNID);
}

/* The map can only be read, which is enough for a futex that others change. */
void st_wake(const strata_store *store, uint64_t commit) {
    if (atomic_load(&store->waiters) == 0 && !store->others_wait) return;
    (void)syscall(SYS_futex, word_of(store, commit), FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void st_wake_follow(strata_store *store, bool more) {
    pthread_mutex_lock(&store->lock);
    uint32_t before = store->feeds;
    store->feeds = more ? before + 1 : before - 1;
    if (before == 0 || store->feeds == 0) st_lock_read(store, more);
    pthread_mutex_unlock(&store->lock);
}

/* The lock is kept: whoever has waited mostly waits again, and a write that begins in between is to wake it. */
void st_wake_begin(strata_store *store) {
    pthread_mutex_lock(&store->lock);
    atomic_fetch_add(&store->waiters, 1);
    if (!store->watches) st_lock_wait(store);
    store->watches = true;
    pthread_mutex_unlock(&store->lock);
}

void st_wake_end(strata_store *store) { atomic_fetch_sub(&store->waiters, 1); }

void st_wake_sleep(const strata_store *store, uint64_t newest, uint64_t microseconds) {
    enum { LOOK = 20 * 1000 };
    const uint32_t *word = word_of(store, newest + 1);
    uint32_t seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    if (strata_store_newest(store) != newest) return;
    if (microseconds > LOOK) microseconds = LOOK;
    const struct timespec time = { 0, (long)microseconds * ST_MICROSECOND };
    (void)syscall(SYS_futex, word, FUTEX_WAIT, seen, &time, NULL, 0);
}
