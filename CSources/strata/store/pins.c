/* SPDX-License-Identifier: MIT
 * pins.c -- the snapshots that are open, as those that keep commits from being overwritten. */
#define _GNU_SOURCE 1
#include "store/pins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sort.h"
#include "base/status.h"
#include "page/page.h"
#include "store/lmdb_status.h"
#include "store/pool.h"

/* Adds a snapshot. Its version is guessed by LMDB's number of its commit; commits that only make room have a number and
 * no version, so it may be too low. */
static st_pin *add(st_pins *pins, uint64_t stamp) {
    if (pins->count == pins->capacity) {
        uint32_t capacity = pins->capacity == 0 ? 16 : 2 * pins->capacity;
        st_pin *all = realloc(pins->all, capacity * sizeof *all);
        if (all == NULL) {
            pins->no_memory = true;
            return NULL;
        }
        pins->all = all;
        pins->capacity = capacity;
    }
    st_pin *pin = &pins->all[pins->count++];
    uint64_t behind = stamp < pins->newest_stamp ? pins->newest_stamp - stamp : 0;
    *pin = (st_pin){ stamp, { .version = pins->newest_version - behind, .behind = behind, .process = getpid(),
                              .age = -1 } };
    return pin;
}

/* LMDB lists its readers as lines of text, "process thread commit"; the commit of an idle slot is '-'. */
static int add_foreign(const char *line, void *context) {
    st_pins *pins = context;
    long long process;
    unsigned long long stamp;
    if (sscanf(line, "%lld %*x %llu", &process, &stamp) != 2 || process == getpid()) return 0;
    st_pin *pin = add(pins, stamp);
    if (pin != NULL) pin->shown.process = process;
    return pins->no_memory ? -1 : 0;
}

/* Adds the snapshots of this process, except for those of a moment. */
static void add_own(strata_store *store, st_pins *pins) {
    double now = st_seconds_now();
    pthread_mutex_lock(&store->pool_lock);
    for (const st_txn *txn = store->open; txn != NULL && !pins->no_memory; txn = txn->next) {
        st_pin *pin = txn->looks ? NULL : add(pins, txn->stamp);
        if (pin == NULL) continue;
        pin->shown.version = txn->header.version;
        pin->shown.behind = pins->newest_version - txn->header.version;
        pin->shown.age = now - txn->begun;
        memcpy(pin->shown.label, txn->label, sizeof pin->shown.label);
    }
    pthread_mutex_unlock(&store->pool_lock);
}

static int older_first(const void *a, const void *b) {
    const st_pin *first = a, *second = b;
    if (first->stamp != second->stamp) return first->stamp < second->stamp ? -1 : 1;
    return first->shown.age > second->shown.age ? -1 : first->shown.age < second->shown.age;
}

strata_status st_pins_find(strata_store *store, uint64_t newest_version, uint64_t newest_stamp, st_pins *out,
                           strata_error *error) {
    *out = (st_pins){ .newest_version = newest_version, .newest_stamp = newest_stamp };
    add_own(store, out);
    (void)st_called(mdb_reader_list(store->env, add_foreign, out));
    if (out->no_memory) {
        st_pins_free(out);
        return st_no_memory(error, "listing snapshots");
    }
    st_sort_array(out->all, out->count, sizeof *out->all, older_first);
    return STRATA_OK;
}

void st_pins_free(st_pins *pins) {
    free(pins->all);
    pins->all = NULL;
    pins->count = pins->capacity = 0;
}

/* LMDB's tree of free pages has an entry per transaction: its number, then the count of the pages that it freed, then
 * their numbers. So those of the newest transactions are at the end. */
strata_status st_pins_held_pages(const st_page_file *file, uint64_t oldest, uint64_t *pages, strata_error *error) {
    st_walk walk = { .depth = 0 };
    strata_bytes key, value;
    *pages = 0;
    if (!st_page_tree_plausible(file, &file->free_tree))
        return st_page_damaged(file, file->free_tree.root, "cannot be the root of the tree of free pages", error);
    strata_status status = st_walk_last(file, &file->free_tree, &walk, error);
    for (; status == STRATA_OK; status = st_walk_previous(file, &walk, error)) {
        status = st_walk_entry(file, &walk, &key, &value, error);
        if (status != STRATA_OK) return status;
        uint64_t count = value.size >= 8 ? strata_load64(value.data) : 0;
        if (key.size != 8 || value.size < 8 || count > value.size / 8 - 1)
            return st_page_damaged(file, strata_load64(walk.steps[walk.depth - 1].page),
                                   "has an impossible list of free pages", error);
        if (strata_load64(key.data) < oldest) return STRATA_OK;
        *pages += count;
    }
    return status == STRATA_NOT_FOUND ? STRATA_OK : status;
}
