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

/** After a commit, with LMDB's number of it. */
void st_wake(const strata_store *store, uint64_t commit);
/** This process gets one feed of commits more, or less. */
void st_wake_follow(strata_store *store, bool more);
/** The caller begins to wait for commits, and ends. */
void st_wake_begin(strata_store *store);
void st_wake_end(strata_store *store);
/** Sleeps until LMDB's number of the newest commit is not `newest`, at most 20 ms and `microseconds`. */
void st_wake_sleep(const strata_store *store, uint64_t newest, uint64_t microseconds);

#endif
