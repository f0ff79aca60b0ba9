/* SPDX-License-Identifier: MIT
 * registry.c -- the stores that are open in this process.
 *
 * A second environment on one file would take LMDB's locks a second time, which POSIX grants within a process, and
 * acknowledged commits would be lost. So every store stands in this list from before LMDB opens the file until after
 * it has closed it, and whoever opens or closes holds its lock throughout. */
#define _GNU_SOURCE 1
#include <string.h>
#include <unistd.h>

#include "store/handle.h"

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

void st_registry_after_fork(void) {
    /* Closing our descriptor drops no lock of the parent: an OFD lock lives as long as any copy of its descriptor, and
     * the child's copy must not keep it alive when the parent dies. LMDB's own descriptors stay untouched. */
    for (strata_store *store = stores; store != NULL; store = store->next) {
        close(store->file);
        store->file = -1;
    }
    stores = NULL;
}

void st_registry_sweep(strata_store *store) {
    st_registry_lock();
    strata_store *found = stores;
    while (found != NULL && found != store) found = found->next;
    if (found != NULL && found->handles == 0 && atomic_load(&found->live) == 0) {
        st_registry_remove(found);
        st_store_destroy(found);
    }
    st_registry_unlock();
}

void strata_store_close(strata_store *store) {
    if (store == NULL) return;
    st_registry_lock();
    /* In a forked child the store is not the child's to close: what LMDB holds is left alone. */
    bool last = !st_forked(store) && store->handles > 0 && --store->handles == 0;
    /* With transactions still live, the one that ends last closes the store. */
    if (last && atomic_fetch_sub(&store->live, 1) == 1) {
        st_registry_remove(store);
        st_store_destroy(store);
    }
    st_registry_unlock();
}
