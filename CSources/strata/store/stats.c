/* SPDX-License-Identifier: MIT
 * stats.c -- figures about a store, and the snapshots that are open. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sized.h"
#include "base/status.h"
#include "store/lmdb_status.h"
#include "store/pool.h"
#include "store/snapshot.h"
#include "store/state.h"
#include "store/tree_txn.h"

/* LMDB's tree of free pages has an entry per transaction: its number, then the count of the pages that it freed, then
 * their numbers. */
enum { META_PAGES = 2 };

/* ---- Snapshots -------------------------------------------------------- */

typedef struct found {
    uint64_t newest;       /* version of the newest commit */
    uint64_t newest_stamp; /* LMDB's number of it */
    strata_snapshot *all;
    uint32_t count, capacity;
    bool no_memory;
} found;

/* Adds a snapshot. Its version is guessed by LMDB's number of its commit; commits that only make room have a number and
 * no version, so it may be too low. */
static strata_snapshot *add(found *f, uint64_t stamp) {
    if (f->count == f->capacity) {
        uint32_t capacity = f->capacity == 0 ? 16 : 2 * f->capacity;
        strata_snapshot *all = realloc(f->all, capacity * sizeof *all);
        if (all == NULL) {
            f->no_memory = true;
            return NULL;
        }
        f->all = all;
        f->capacity = capacity;
    }
    strata_snapshot *snapshot = &f->all[f->count++];
    uint64_t behind = stamp < f->newest_stamp ? f->newest_stamp - stamp : 0;
    *snapshot = (strata_snapshot){ .version = f->newest - behind, .behind = behind, .process = getpid(), .age = -1 };
    return snapshot;
}

/* LMDB lists its readers as lines of text, "process thread commit"; the commit of an idle slot is '-'. */
static int add_foreign(const char *line, void *context) {
    found *f = context;
    long long process;
    unsigned long long stamp;
    if (sscanf(line, "%lld %*x %llu", &process, &stamp) != 2 || process == getpid()) return 0;
    strata_snapshot *snapshot = add(f, stamp);
    if (snapshot != NULL) snapshot->process = process;
    return f->no_memory ? -1 : 0;
}

/* Adds the snapshots of this process, except for one. */
static void add_own(strata_store *store, const st_txn *except, found *f) {
    double now = st_seconds_now();
    pthread_mutex_lock(&store->pool_lock);
    for (const st_txn *txn = store->open; txn != NULL && !f->no_memory; txn = txn->next) {
        strata_snapshot *snapshot = txn == except ? NULL : add(f, txn->stamp);
        if (snapshot == NULL) continue;
        snapshot->version = txn->header.version;
        snapshot->behind = f->newest - txn->header.version;
        snapshot->age = now - txn->begun;
        memcpy(snapshot->label, txn->label, sizeof snapshot->label);
    }
    pthread_mutex_unlock(&store->pool_lock);
}

static int older_first(const void *a, const void *b) {
    const strata_snapshot *first = a, *second = b;
    if (first->version != second->version) return first->version < second->version ? -1 : 1;
    return first->age > second->age ? -1 : first->age < second->age;
}

/* Finds all snapshots that are open, the oldest first, except for `own`. */
static strata_status find_snapshots(strata_store *store, const st_txn *own, found *f, strata_error *error) {
    *f = (found){ .newest = own->header.version, .newest_stamp = own->stamp };
    add_own(store, own, f);
    (void)st_called(mdb_reader_list(store->env, add_foreign, f));
    if (f->no_memory) {
        free(f->all);
        f->all = NULL;
        return st_no_memory(error, "listing snapshots");
    }
    if (f->count > 1) qsort(f->all, f->count, sizeof *f->all, older_first);
    return STRATA_OK;
}

strata_status strata_store_get_snapshots_sized(strata_store *store, size_t size, strata_snapshot *out, uint32_t room,
                                               uint32_t *out_count, strata_error *error) {
    st_txn *own = NULL;
    found f;
    *out_count = 0;
    if (room != 0 && out == NULL)
        return st_fail(error, STRATA_MISUSE, 0, "room for %u snapshots without an address", room);
    strata_status status = st_store_check(store, error);
    if (status == STRATA_OK) status = st_snapshot_begin(store, &own, error);
    if (status != STRATA_OK) return status;
    status = find_snapshots(store, own, &f, error);
    st_snapshot_end(own);
    if (status != STRATA_OK) return status;
    *out_count = f.count;
    for (uint32_t i = 0; i < f.count && i < room; i++)
        st_sized_write((uint8_t *)out + i * size, size, &f.all[i], sizeof *f.all);
    free(f.all);
    return STRATA_OK;
}

/* ---- Figures ---------------------------------------------------------- */

static uint64_t pages_of(const st_page_tree *tree) {
    return tree->branch_pages + tree->leaf_pages + tree->overflow_pages;
}

/* The pages of all trees. */
static strata_status used_pages(st_txn *own, uint64_t *out, strata_error *error) {
    strata_status status = STRATA_OK;
    *out = META_PAGES + pages_of(&own->file.free_tree);
    for (int tree = 0; tree < ST_TREES && status == STRATA_OK; tree++) {
        const st_page_tree *root;
        status = st_tree_root(own, (st_tree)tree, &root, error);
        if (status == STRATA_OK) *out += pages_of(root);
    }
    return status;
}

/* The number of pages that transactions from `oldest` on have freed. Snapshots of that commit may still show them. The
 * keys are the numbers of transactions, so those are at the end. */
static strata_status held_pages(const st_page_file *file, uint64_t oldest, uint64_t *pages, strata_error *error) {
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

static strata_status read_figures(strata_store *store, st_txn *own, const found *f, strata_store_stats *out,
                                  strata_error *error) {
    struct stat file;
    MDB_envinfo info;
    uint64_t pages = 0, held = 0, behind = f->count == 0 ? 0 : f->all[0].behind;
    strata_status status = used_pages(own, &pages, error);
    if (status == STRATA_OK) status = held_pages(&own->file, own->stamp - behind, &held, error);
    if (status != STRATA_OK) return status;
    int code = mdb_env_info(store->env, &info);
    if (code == 0 && fstat(store->file, &file) != 0) code = errno;
    if (code != 0) return st_lmdb_fail(error, code, store, "reading the figures of");
    uint64_t all = own->file.last + 1;
    out->page_size = store->page_size;
    out->file_size = (uint64_t)file.st_size;
    out->used_size = pages * store->page_size;
    out->free_size = all > pages ? (all - pages) * store->page_size : 0;
    out->held_size = held * store->page_size < out->free_size ? held * store->page_size : out->free_size;
    out->version = own->header.version;
    out->snapshots = f->count;
    out->max_snapshots = info.me_maxreaders;
    return STRATA_OK;
}

static strata_status read_once(strata_store *store, strata_store_stats *out, bool *out_stale, strata_error *error) {
    st_txn *own = NULL;
    found f;
    *out_stale = false;
    strata_status status = st_snapshot_begin(store, &own, error);
    if (status != STRATA_OK) return status;
    status = find_snapshots(store, own, &f, error);
    if (status == STRATA_OK) {
        st_page_file_see_free(&own->file);
        status = read_figures(store, own, &f, out, error);
        free(f.all);
    }
    *out_stale = st_snapshot_is_stale(own);
    st_snapshot_end(own);
    return status;
}

strata_status strata_store_get_stats(strata_store *store, strata_store_stats *out, strata_error *error) {
    enum { TRIES = 100 };
    strata_store_stats stats = { .size = sizeof stats };
    uint32_t size = out->size;
    if (!st_sized_plausible(size, offsetof(strata_store_stats, version)))
        return st_fail(error, STRATA_MISUSE, 0, "set strata_store_stats.size to sizeof(strata_store_stats)");
    strata_status status = STRATA_CORRUPT;
    bool stale = true;
    /* Damage counts only if nobody has committed meanwhile: see st_page_file_see_free(). */
    for (int attempt = 0; attempt < TRIES && status == STRATA_CORRUPT && stale; attempt++)
        status = read_once(store, &stats, &stale, error);
    /* A program built with an older header has a shorter struct. */
    if (status != STRATA_OK) stats = (strata_store_stats){ 0 };
    st_sized_write(out, size, &stats, sizeof stats);
    out->size = size;
    return status;
}

uint64_t strata_store_newest(const strata_store *store) {
    if (st_store_check(store, NULL) != STRATA_OK) return 0;
    const st_page_file file = { .map = store->map, .page_size = store->page_size };
    return st_page_file_newest(&file);
}
