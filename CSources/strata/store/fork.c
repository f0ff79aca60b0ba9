/* SPDX-License-Identifier: MIT
 * fork.c -- what a child process may not use.
 *
 * Locks, reader slots and the map of LMDB belong to the process that opened them, so handles must not be used in a
 * child. A process counts the forks that led to it. A store remembers the count of the process that opened it, so every
 * call can compare the two and fail in a child. The layers above also compare epochs inline, without a call; for
 * each of those they add a watch, and a fork changes the epoch in the child. */
#define _GNU_SOURCE 1
#include "store/fork.h"

#include <pthread.h>

#include "store/registry.h"
#include "store/state.h"

static pthread_mutex_t watch_lock = PTHREAD_MUTEX_INITIALIZER;
static st_fork_watch *watches;

/* The registry and the list of watches are locked during the fork, so that the child finds both of them intact. */
static void before_fork(void) {
    st_registry_lock();
    pthread_mutex_lock(&watch_lock);
}

static void in_parent(void) {
    pthread_mutex_unlock(&watch_lock);
    st_registry_unlock();
}

static void in_child(void) {
    st_fork_count++;
    /* No epoch gets as far as the top bit by counting. So the new one differs from every earlier and every later
     * one. In children of the child it stays. */
    for (st_fork_watch *watch = watches; watch != NULL; watch = watch->next) *watch->epoch |= UINT64_C(1) << 63;
    st_registry_after_fork();
    pthread_mutex_unlock(&watch_lock);
    st_registry_unlock();
}

uint32_t st_fork_number(void) { return st_fork_count; }

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
