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

#include "base/status.h"
#include "store/lmdb_status.h"
#include "store/pool.h"
#include "store/snapshot.h"
#include "store/state.h"

/* LMDB's tree of free pages has an entry per transaction: its number, then the count of the pages that it freed, then
 * their numbers. */
enum { FREE_TREE = 0, META_PAGES = 2 };

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

strata_status strata_store_get_snapshots(strata_store *store, strata_snapshot *out, uint32_t room,
                                         uint32_t *out_count, strata_error *error) {
    st_txn *own = NULL;
    found f;
    *out_count = 0;
    strata_status status = st_snapshot_begin(store, &own, error);
    if (status != STRATA_OK) return status;
    status = find_snapshots(store, own, &f, error);
    st_snapshot_end(own);
    if (status != STRATA_OK) return status;
    *out_count = f.count;
    if (out != NULL && f.count != 0) memcpy(out, f.all, (f.count < room ? f.count : room) * sizeof *out);
    free(f.all);
    return STRATA_OK;
}

/* ---- Figures ---------------------------------------------------------- */

static int pages_of(MDB_txn *txn, MDB_dbi tree, uint64_t *pages) {
    MDB_stat figures;
    int code = st_called(mdb_stat(txn, tree, &figures));
    if (code == 0) *pages += figures.ms_branch_pages + figures.ms_leaf_pages + figures.ms_overflow_pages;
    return code;
}

/* The number of pages that transactions from `oldest` on have freed. Snapshots of that commit may still show them. */
static int held_pages(MDB_txn *txn, uint64_t oldest, uint64_t *pages) {
    MDB_cursor *cursor;
    size_t from = (size_t)oldest, count;
    MDB_val key = { sizeof from, &from }, value;
    *pages = 0;
    int code = st_called(mdb_cursor_open(txn, FREE_TREE, &cursor));
    if (code != 0) return code;
    code = st_called(mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE));
    while (code == 0) {
        if (value.mv_size < sizeof count) {
            code = MDB_CORRUPTED;
            break;
        }
        memcpy(&count, value.mv_data, sizeof count);
        *pages += count;
        code = st_called(mdb_cursor_get(cursor, &key, &value, MDB_NEXT));
    }
    mdb_cursor_close(cursor);
    return code == MDB_NOTFOUND ? 0 : code;
}

static strata_status read_figures(strata_store *store, st_txn *own, const found *f, strata_store_stats *out,
                                  strata_error *error) {
    struct stat file;
    MDB_envinfo info;
    uint64_t pages = META_PAGES, held = 0;
    uint64_t behind = f->count == 0 ? 0 : f->all[0].behind;
    int code = pages_of(own->mdb, FREE_TREE, &pages);
    for (int i = 0; i < ST_TREES && code == 0; i++) code = pages_of(own->mdb, store->trees[i], &pages);
    if (code == 0) code = held_pages(own->mdb, own->stamp - behind, &held);
    if (code == 0) code = mdb_env_info(store->env, &info);
    if (code == 0 && fstat(store->file, &file) != 0) code = errno;
    if (code != 0) return st_lmdb_fail(error, code, store, "reading the figures of");
    uint64_t all = (uint64_t)info.me_last_pgno + 1;
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

strata_status strata_store_get_stats(strata_store *store, strata_store_stats *out, strata_error *error) {
    st_txn *own = NULL;
    found f;
    strata_store_stats stats = { .size = sizeof stats };
    uint32_t size = out->size;
    if (size < offsetof(strata_store_stats, version))
        return st_fail(error, STRATA_MISUSE, 0, "set strata_store_stats.size to sizeof(strata_store_stats)");
    strata_status status = st_snapshot_begin(store, &own, error);
    if (status == STRATA_OK) status = find_snapshots(store, own, &f, error);
    if (status == STRATA_OK) {
        status = read_figures(store, own, &f, &stats, error);
        free(f.all);
    }
    st_snapshot_end(own);
    /* A program built with an older header has a shorter struct. */
    memset(out, 0, size);
    if (status == STRATA_OK) memcpy(out, &stats, size < sizeof stats ? size : sizeof stats);
    out->size = size;
    return status;
}
