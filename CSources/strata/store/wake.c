/* SPDX-License-Identifier: MIT
 * wake.c -- waking those who wait for a commit. */
#define _GNU_SOURCE 1
#include "store/wake.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "store/deadline.h"
#include "store/lock.h"
#include "store/state.h"

/* The lower half of the number in the meta page that commit `commit` writes. */
static const uint32_t *word_of(const strata_store *store, uint64_t commit) {
    return (const uint32_t *)(const void *)(store->map + (commit & 1) * store->page_size + ST_META_TXNID);
}

void st_wake_all(const uint32_t *word) { (void)syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0); }

/* The map can only be read, which is enough for a futex that others change. */
void st_wake(const strata_store *store, uint64_t commit) {
    if (atomic_load(&store->waiters) == 0 && !store->others_wait) return;
    st_wake_all(word_of(store, commit));
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

bool st_wake_word_after(const strata_store *store, uint64_t newest, st_wake_word *out) {
    out->word = word_of(store, newest + 1);
    out->seen = __atomic_load_n(out->word, __ATOMIC_ACQUIRE);
    return strata_store_newest(store) == newest;
}

static struct timespec time_of(uint64_t microseconds) {
    return (struct timespec){ (time_t)(microseconds / 1000000), (long)(microseconds % 1000000) * ST_MICROSECOND };
}

/* False if the system does not know how. */
static bool sleep_on_all(const st_wake_word *words, uint32_t count, uint64_t microseconds) {
#ifdef SYS_futex_waitv
    struct futex_waitv all[ST_WAKE_MOST];
    struct timespec end, length = time_of(microseconds);
    if (count > ST_WAKE_MOST) count = ST_WAKE_MOST;
    for (uint32_t i = 0; i < count; i++)
        all[i] = (struct futex_waitv){ .val = words[i].seen, .uaddr = (uintptr_t)words[i].word, .flags = FUTEX_32 };
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += length.tv_sec + (end.tv_nsec + length.tv_nsec) / 1000000000;
    end.tv_nsec = (end.tv_nsec + length.tv_nsec) % 1000000000;
    long code = syscall(SYS_futex_waitv, all, count, 0, microseconds == UINT64_MAX ? NULL : &end, CLOCK_MONOTONIC);
    return code >= 0 || errno != ENOSYS;
#else
    (void)words, (void)count, (void)microseconds;
    return false;
#endif
}

void st_wake_sleep(const st_wake_word *words, uint32_t count, uint64_t microseconds) {
    if (count > 1 && sleep_on_all(words, count, microseconds)) return;
    if (count > 1 && microseconds > ST_WAKE_LOOK) microseconds = ST_WAKE_LOOK;
    const struct timespec length = time_of(microseconds);
    (void)syscall(SYS_futex, words->word, FUTEX_WAIT, words->seen, microseconds == UINT64_MAX ? NULL : &length, NULL, 0);
}
