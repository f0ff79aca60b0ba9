/* SPDX-License-Identifier: MIT
 * owner.c -- writers whose thread ends before they do.
 *
 * LMDB's writer lock would stay with the dead thread, and LMDB would refuse everything from then on. So each thread
 * keeps a list of its writers, and gives them back as the last thing it does. */
#define _GNU_SOURCE 1
#include "store/handle.h"

static pthread_key_t key;
static bool key_made;
static _Thread_local st_txn *held;

/* Runs on the ending thread, which therefore may still end what it owns. */
static void thread_ends(void *unused) {
    (void)unused;
    while (held != NULL) {
        st_txn *writer = held;
        held = writer->next_held;
        st_writer_abandon(writer);
    }
}

static void make_key(void) { key_made = pthread_key_create(&key, thread_ends) == 0; }

bool st_owner_add(st_txn *writer) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_key);
    if (!key_made || pthread_setspecific(key, &held) != 0) return false;
    writer->next_held = held;
    held = writer;
    return true;
}

void st_owner_remove(st_txn *writer) {
    for (st_txn **link = &held; *link != NULL; link = &(*link)->next_held) {
        if (*link != writer) continue;
        *link = writer->next_held;
        return;
    }
}
