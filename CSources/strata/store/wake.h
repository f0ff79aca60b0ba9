/* SPDX-License-Identifier: MIT
 *
 * wake.h -- waking those who wait for a commit, in this process and in others.
 *
 * What they wait for is LMDB's number of the commit in the meta page that the next commit will write. They have it in
 * their maps of the file, so that it is the futex, too, and no shared page of our own is needed: the number changes
 * with the commit, whoever dies in between. A lock on the file says that a process has waited, and may again; the
 * system drops it when that process dies. A writer asks for the lock when it begins, and makes the call that wakes only
 * if there is one. Whoever waits looks at the number every 20 ms by itself, because a writer may die before it wakes
 * anybody, or may have begun before it was waited for the first time.
 */
#ifndef ST_STORE_WAKE_H
#define ST_STORE_WAKE_H

#include "strata.h"

enum {
    ST_WAKE_LOOK = 20 * 1000, /* microseconds after which whoever waits looks by itself */
    ST_WAKE_MOST = 128        /* words that can be slept on at once */
};

/** What is slept on: a number that somebody changes who then wakes, and what it was when it was read. */
typedef struct st_wake_word {
    const uint32_t *word;
    uint32_t seen;
} st_wake_word;

/** Wakes all who sleep on a word. */
void st_wake_all(const uint32_t *word);
/** After a commit, with LMDB's number of it. */
void st_wake(const strata_store *store, uint64_t commit);
/** This process gets one feed of commits more, or less. */
void st_wake_follow(strata_store *store, bool more);
/** The caller begins to wait for commits, and ends. */
void st_wake_begin(strata_store *store);
void st_wake_end(strata_store *store);
/** The word that the commit after `newest` changes. False if LMDB's number of the newest commit is another one now. */
bool st_wake_word_after(const strata_store *store, uint64_t newest, st_wake_word *out);
/** Sleeps until one of the words has changed, but at most so long; for ever for UINT64_MAX. It may end without reason.
 * If the system cannot sleep on several words (Linux before 5.16), it sleeps on the first one. */
void st_wake_sleep(const st_wake_word *words, uint32_t count, uint64_t microseconds);

#endif
