/* SPDX-License-Identifier: MIT
 * registry.c -- the stores that are open in this process. */
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
    /* An OFD lock lives as long as any copy of its descriptor. So closing the child's copies takes no lock from the
     * parent, and they would keep the locks alive after the parent has died. LMDB's descriptors are left alone. */
    for (strata_store *store = stores; store != NULL; store = store->next) {
        close(store->file);
        if (store->log.file >= 0) close(store->log.file);
        store->file = store->log.file = -1;
    }
    stores = NULL;
}
