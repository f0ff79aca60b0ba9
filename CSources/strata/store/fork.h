/* SPDX-License-Identifier: MIT
 *
 * fork.h -- what happens to handles when the process forks.
 *
 * In the child all of them are dead. Every call checks that (see st_store_check()). The layers above also have inline
 * checks that compare an epoch and make no call; for those there are watches.
 */
#ifndef ST_STORE_FORK_H
#define ST_STORE_FORK_H

#include <stdbool.h>
#include <stdint.h>

/** How many forks led to this process. */
uint32_t st_fork_number(void);

/** An epoch that a fork changes in the child, so that inline checks against it fail there. */
typedef struct st_fork_watch {
    uint64_t *epoch;
    struct st_fork_watch *next, *previous;
} st_fork_watch;
void st_fork_watch_add(st_fork_watch *watch);
void st_fork_watch_remove(st_fork_watch *watch);

/** Whether a fork has changed an epoch that is watched: the process is a child of the one that watches it. For calls that
 * are made for each row; it reads nothing but the epoch. */
static inline bool st_fork_has_changed(uint64_t epoch) { return epoch >> 63 != 0; }

/** Installs the handlers of forks, before the first store is opened. */
void st_fork_prepare_once(void);

#endif
