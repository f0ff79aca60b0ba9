/* SPDX-License-Identifier: MIT
 *
 * registry.h -- the stores that are open in this process.
 *
 * There must not be two LMDB environments on one file in a process: POSIX grants a process the same lock twice, so the
 * second one would not wait for the first, and acknowledged commits would be lost. So every store is in this list from
 * before LMDB opens its file until after LMDB has closed it. Whoever opens or closes a store holds the lock of the
 * registry all the time.
 */
#ifndef ST_STORE_REGISTRY_H
#define ST_STORE_REGISTRY_H

#include "store/state.h"

void st_registry_lock(void);
void st_registry_unlock(void);

/* What follows is called with the lock held. */

/** The store of a file or in memory, or NULL. */
strata_store *st_registry_find_file(dev_t device, ino_t inode);
strata_store *st_registry_find_path(const char *path);
strata_store *st_registry_find_memory(const char *name);
/** Is there a store at this address? It may have been freed. */
bool st_registry_has(const strata_store *store);
void st_registry_add(strata_store *store);
void st_registry_remove(strata_store *store);
/** In a forked child: forgets the parent's stores and closes our descriptors of their files. */
void st_registry_after_fork(void);

#endif
