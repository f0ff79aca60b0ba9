/* SPDX-License-Identifier: MIT
 * waiter.c -- waiting for the commits of several stores at once.
 *
 * Whoever waits sleeps on the words of wake.h, one for each store, and on a word of the waiter itself, which changes
 * when what is followed does. While it sleeps it does not have the lock, and nobody but the kernel looks at the words;
 * if a store is gone meanwhile, that notices.
 *
 * A store is told of by the version that a snapshot shows, not by LMDB's number in the meta page: readers see a commit
 * a moment after it has got its number, and one who was told must find it. */
#define _GNU_SOURCE 1
#include "strata_waiter.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/array.h"
#include "base/status.h"
#include "base/thread.h"
#include "store/close.h"
#include "store/deadline.h"
#include "store/fork.h"
#include "store/snapshot.h"
#include "store/wake.h"

enum { SOON = 1000 /* microseconds */ };

typedef struct followed {
    strata_store *store;
    uint32_t times;  /* added and not removed */
    uint64_t newest; /* LMDB's number of the newest commit when it was looked at last */
    uint64_t told;   /* the version that snapshots showed then */
    bool stale;      /* there may be a newer one still */
    bool late;       /* it is still to be told of */
} followed;

struct strata_waiter {
    uint32_t fork_count;
    atomic_uint changes;     /* the word of the waiter itself */
    pthread_mutex_t lock;    /* guards what follows */
    followed *stores;
    size_t count, capacity;
    size_t turn;             /* who is told of next, if several are late */
    bool woken;              /* by strata_waiter_wake() */
    int descriptor;          /* -1: there is none, and no thread */
    bool raised;             /* the descriptor can be read */
    bool closed;
    pthread_t thread;
};

static strata_status check(const strata_waiter *waiter, strata_error *error) {
    if (waiter == NULL) return st_fail(error, STRATA_MISUSE, 0, "waiting for commits: there is no waiter");
    if (waiter->fork_count == st_fork_number()) return STRATA_OK;
    return st_fail(error, STRATA_AFTER_FORK, 0, "waiting for commits: the waiter was opened before this process was "
                   "forked; open another one");
}

/* ---- Looking ---------------------------------------------------------- */

/* The version that a snapshot shows now. */
static strata_status look(followed *f, uint64_t *out_version, strata_error *error) {
    st_header header;
    uint64_t newest = strata_store_newest(f->store);
    strata_status status = st_snapshot_newest(f->store, &header, &f->stale, error);
    if (status != STRATA_OK) return status;
    *out_version = header.version;
    f->newest = newest;
    return STRATA_OK;
}

/* Finds out which stores are late. One that cannot be read counts as late, since whoever reads it is told why. With the
 * lock held. Returns whether one is late. */
static bool look_at_all(strata_waiter *waiter) {
    bool any = false;
    for (size_t i = 0; i < waiter->count; i++) {
        followed *f = &waiter->stores[i];
        uint64_t version = f->told + 1;
        if (f->stale || strata_store_newest(f->store) != f->newest) {
            f->newest = strata_store_newest(f->store);
            f->stale = false;
            (void)look(f, &version, NULL);
            if (version != f->told) f->late = true;
            f->told = version;
        }
        any |= f->late;
    }
    return any;
}

/* The next one of those that are late, in turn. */
static strata_store *take(strata_waiter *waiter) {
    for (size_t i = 0; i < waiter->count; i++) {
        followed *f = &waiter->stores[(waiter->turn + i) % waiter->count];
        if (!f->late) continue;
        f->late = false;
        waiter->turn = (size_t)(f - waiter->stores) + 1;
        return f->store;
    }
    return NULL;
}

/* ---- Sleeping --------------------------------------------------------- */

/* Sleeps for so many microseconds, unless something happens. The lock is released meanwhile. */
static void sleep_unlocked(strata_waiter *waiter, uint64_t microseconds) {
    st_wake_word words[ST_WAKE_MOST] = { { (const uint32_t *)(const void *)&waiter->changes, waiter->changes } };
    uint32_t count = 1;
    bool still = true;
    if (waiter->count != 0 && microseconds > ST_WAKE_LOOK) microseconds = ST_WAKE_LOOK;
    for (size_t i = 0; i < waiter->count && still; i++) {
        const followed *f = &waiter->stores[i];
        if (f->stale && microseconds > SOON) microseconds = SOON;
        if (count < ST_WAKE_MOST) still = st_wake_word_after(f->store, f->newest, &words[count++]);
    }
    pthread_mutex_unlock(&waiter->lock);
    if (still) st_wake_sleep(words, count, microseconds);
    pthread_mutex_lock(&waiter->lock);
}

/* Lets everybody look again. With the lock held. */
static void changed(strata_waiter *waiter) {
    atomic_fetch_add(&waiter->changes, 1);
    st_wake_all((const uint32_t *)(const void *)&waiter->changes);
}

/* ---- What is followed ------------------------------------------------- */

static followed *find(strata_waiter *waiter, const strata_store *store) {
    for (size_t i = 0; i < waiter->count; i++)
        if (waiter->stores[i].store == store) return &waiter->stores[i];
    return NULL;
}

/* With the lock held. */
static strata_status add(strata_waiter *waiter, strata_store *store, strata_error *error) {
    followed *same = find(waiter, store), added = { .store = store, .times = 1 };
    if (same != NULL) {
        same->times++;
        return STRATA_OK;
    }
    if (!st_array_grow((void **)&waiter->stores, &waiter->capacity, waiter->count, sizeof added))
        return st_no_memory(error, "waiting for commits");
    strata_status status = look(&added, &added.told, error);
    if (status != STRATA_OK) return status;
    st_store_hold(store);
    st_wake_begin(store);
    waiter->stores[waiter->count++] = added;
    changed(waiter);
    return STRATA_OK;
}

strata_status strata_waiter_add(strata_waiter *waiter, strata_store *store, strata_error *error) {
    strata_status status = check(waiter, error);
    if (status == STRATA_OK) status = st_store_check(store, error);
    if (status != STRATA_OK) return status;
    pthread_mutex_lock(&waiter->lock);
    status = add(waiter, store, error);
    pthread_mutex_unlock(&waiter->lock);
    return status;
}

static void let_go(strata_store *store) {
    st_wake_end(store);
    st_store_let_go(store);
}

void strata_waiter_remove(strata_waiter *waiter, strata_store *store) {
    if (check(waiter, NULL) != STRATA_OK) return;
    pthread_mutex_lock(&waiter->lock);
    followed *f = find(waiter, store);
    bool last = f != NULL && --f->times == 0;
    if (last) {
        *f = waiter->stores[--waiter->count];
        changed(waiter);
    }
    pthread_mutex_unlock(&waiter->lock);
    if (last) let_go(store); /* behind the lock: it may close the store */
}

/* ---- Waiting ---------------------------------------------------------- */

/* Nothing is late any more, so that the descriptor cannot be read. With the lock held. */
static void lower(strata_waiter *waiter) {
    uint64_t ignored;
    if (waiter->raised && read(waiter->descriptor, &ignored, sizeof ignored) < 0 && errno == EINTR) return;
    waiter->raised = false;
}

/* With the lock held. */
static strata_status next(strata_waiter *waiter, uint32_t milliseconds, strata_store **out, strata_error *error) {
    st_deadline deadline = st_deadline_in(milliseconds);
    for (;;) {
        if (waiter->woken) {
            waiter->woken = false;
            return st_fail(error, STRATA_INTERRUPTED, 0, "waiting for commits: another thread ended it");
        }
        (void)look_at_all(waiter);
        if ((*out = take(waiter)) != NULL) return STRATA_OK;
        lower(waiter);
        st_time left = deadline.end - st_time_now();
        if (milliseconds != UINT32_MAX && left <= 0) return STRATA_NOT_FOUND;
        sleep_unlocked(waiter, milliseconds == UINT32_MAX ? UINT64_MAX : (uint64_t)(left / ST_MICROSECOND) + 1);
    }
}

strata_status strata_waiter_next(strata_waiter *waiter, uint32_t milliseconds, strata_store **out,
                                 strata_error *error) {
    *out = NULL;
    strata_status status = check(waiter, error);
    if (status != STRATA_OK) return status;
    pthread_mutex_lock(&waiter->lock);
    status = next(waiter, milliseconds, out, error);
    pthread_mutex_unlock(&waiter->lock);
    return status;
}

void strata_waiter_wake(strata_waiter *waiter) {
    if (check(waiter, NULL) != STRATA_OK) return;
    pthread_mutex_lock(&waiter->lock);
    waiter->woken = true;
    changed(waiter);
    pthread_mutex_unlock(&waiter->lock);
}

/* ---- The descriptor --------------------------------------------------- */

static void *raise_when_late(void *argument) {
    strata_waiter *waiter = argument;
    const uint64_t one = 1;
    pthread_mutex_lock(&waiter->lock);
    while (!waiter->closed) {
        if (look_at_all(waiter) && !waiter->raised)
            waiter->raised = write(waiter->descriptor, &one, sizeof one) == (ssize_t)sizeof one;
        sleep_unlocked(waiter, UINT64_MAX);
    }
    pthread_mutex_unlock(&waiter->lock);
    return NULL;
}

/* With the lock held. */
static strata_status make_descriptor(strata_waiter *waiter, strata_error *error) {
    int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (descriptor < 0)
        return st_fail(error, STRATA_IO, errno, "waiting for commits: the system gives no further descriptor (%s)",
                       strerror(errno));
    waiter->descriptor = descriptor;
    int code = st_thread_start(&waiter->thread, raise_when_late, waiter);
    if (code == 0) return STRATA_OK;
    waiter->descriptor = -1;
    close(descriptor);
    return st_fail(error, STRATA_NO_MEMORY, code, "waiting for commits: the system starts no further thread (%s)",
                   strerror(code));
}

strata_status strata_waiter_descriptor(strata_waiter *waiter, int *out, strata_error *error) {
    *out = -1;
    strata_status status = check(waiter, error);
    if (status != STRATA_OK) return status;
    pthread_mutex_lock(&waiter->lock);
    if (waiter->descriptor < 0) status = make_descriptor(waiter, error);
    *out = waiter->descriptor;
    pthread_mutex_unlock(&waiter->lock);
    return status;
}

/* ---- Its life --------------------------------------------------------- */

strata_status strata_waiter_open(strata_waiter **out, strata_error *error) {
    *out = calloc(1, sizeof **out);
    if (*out == NULL) return st_no_memory(error, "waiting for commits");
    st_fork_prepare_once();
    pthread_mutex_init(&(*out)->lock, NULL);
    (*out)->fork_count = st_fork_number();
    (*out)->descriptor = -1;
    return STRATA_OK;
}

static void end_thread(strata_waiter *waiter) {
    pthread_mutex_lock(&waiter->lock);
    waiter->closed = true;
    changed(waiter);
    pthread_mutex_unlock(&waiter->lock);
    pthread_join(waiter->thread, NULL);
}

/* In a forked child there is no thread, the lock is whose nobody knows, and the stores are the parent's. */
void strata_waiter_close(strata_waiter *waiter) {
    if (waiter == NULL) return;
    bool forked = check(waiter, NULL) != STRATA_OK;
    if (waiter->descriptor >= 0 && !forked) end_thread(waiter);
    if (waiter->descriptor >= 0) close(waiter->descriptor);
    for (size_t i = 0; i < waiter->count && !forked; i++) let_go(waiter->stores[i].store);
    if (!forked) pthread_mutex_destroy(&waiter->lock);
    free(waiter->stores);
    free(waiter);
}
