/* SPDX-License-Identifier: MIT
 * registry.c -- the stores that are open in this process.
 *
 * A second environment on one file would take LMDB's locks a second time, which POSIX grants within a process, and
 * acknowledged commits would be lost. So every store stands in this list from before LMDB opens the file until after
 * it has closed it, and whoever opens or closes holds its lock throughout. */
#define _GNU_SOURCE 1
#include "store/registry.h"

#include <string.h>
#include <unistd.h>

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static strata_store *stores;

void st_registry_lock(void) { pthread_mutex_lock(&registry_lock); }
void st_registry_unlock(void) { pthread_mutex_unlock(&registry_lock); }

strata_store *st_registry_find_file(dev_t device, ino_t inode) {
    strata_store *store = stores;
    while (store != NULL && (store->memory_name != NULL || store->device != device || store->inode != inode))
        store = store->next;
    return store;
}

strata_store *st_registry_find_path(const char *path) {
    strata_store *store = stores;
    while (store != NULL && (store->memory_name != NULL || strcmp(store->path, path) != 0)) store = store->next;
    return store;
}

strata_store *st_registry_find_memory(const char *name) {
    strata_store *store = stores;
    while (store != NULL && (store->memory_name == NULL || strcmp(store->memory_name, name) != 0)) store = store->next;
    return store;
}

void st_registry_add(strata_store *store) {
    store->next = stores;
    stores = store;
}

void st_registry_remove(strata_store *store) {
    for (strata_store **link = &stores; *link != NULL; link = &(*link)->next) {
        if (*link != store) continue;
        *link = store->next;
        return;
    }
}

bool st_registry_has(const strata_store *store) {
    const strata_store *found = stores;
    while (found != NULL && found != store) found = found->next;
    return found != NULL;
}

void st_registry_after_fork(void) {
    /* Closing our descriptor drops no lock of the parent: an OFD lock lives as long as any copy of its descriptor, and
     * the child's copy must not keep it alive when the parent dies. LMDB's own descriptors stay untouched. */
    for (strata_store *store = stores; store != NULL; store = store->next) {
        close(store->file);
        store->file = -1;
    }
    stores = NULL;
}
