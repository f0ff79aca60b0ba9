/* SPDX-License-Identifier: MIT
 * fork.c -- what a child process may not use.
 *
 * Locks, reader slots and the map of LMDB belong to the process that opened them. The child's copies of our handles
 * are therefore dead: every call compares the generation of its store with the process's, which the child handler
 * raises, and goes no further. Epochs that upper layers compare inline, without a call, are changed instead. */
#define _GNU_SOURCE 1
#include "store/fork.h"

#include <pthread.h>

#include "store/registry.h"
#include "store/state.h"

static pthread_mutex_t watch_lock = PTHREAD_MUTEX_INITIALIZER;
static st_fork_watch *watches;

/* Both lists are locked across the fork, so that the child finds them whole. */
static void before_fork(void) {
    st_registry_lock();
    pthread_mutex_lock(&watch_lock);
}

static void in_parent(void) {
    pthread_mutex_unlock(&watch_lock);
    st_registry_unlock();
}

static void in_child(void) {
    st_fork_generation++;
    /* The top bit: no epoch reaches it by counting, so it differs from all that was noted before or will be. */
    for (st_fork_watch *watch = watches; watch != NULL; watch = watch->next) *watch->epoch ^= UINT64_C(1) << 63;
    st_registry_after_fork();
    pthread_mutex_unlock(&watch_lock);
    st_registry_unlock();
}

static void install(void) { pthread_atfork(before_fork, in_parent, in_child); }

void st_fork_prepare_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
}

void st_fork_watch_add(st_fork_watch *watch) {
    pthread_mutex_lock(&watch_lock);
    watch->previous = NULL;
    watch->next = watches;
    if (watches != NULL) watches->previous = watch;
    watches = watch;
    pthread_mutex_unlock(&watch_lock);
}

void st_fork_watch_remove(st_fork_watch *watch) {
    pthread_mutex_lock(&watch_lock);
    if (watch->previous != NULL) watch->previous->next = watch->next;
    else if (watches == watch) watches = watch->next;
    if (watch->next != NULL) watch->next->previous = watch->previous;
    watch->next = watch->previous = NULL;
    pthread_mutex_unlock(&watch_lock);
}
