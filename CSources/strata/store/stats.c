/* SPDX-License-Identifier: MIT
 * stats.c -- figures about a store, and the snapshots that are open. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/sized.h"
#include "base/status.h"
#include "store/lmdb_status.h"
#include "store/pins.h"
#include "store/snapshot.h"
#include "store/state.h"
#include "store/tree_txn.h"

enum { META_PAGES = 2 };

/* ---- Snapshots -------------------------------------------------------- */

/* The version of the newest commit, when there is no snapshot left that could tell: as add() in pins.c guesses. */
static uint64_t guess_version(strata_store *store, uint64_t newest) {
    uint64_t version = newest;
    pthread_mutex_lock(&store->pool_lock);
    if (store->open != NULL) version = store->open->header.version + (newest - store->open->stamp);
    pthread_mutex_unlock(&store->pool_lock);
    return version;
}

/* Who holds the snapshots is asked most when all are taken. */
static strata_status find_pins(strata_store *store, st_pins *out, strata_error *error) {
    st_txn *own = NULL;
    strata_status status = st_snapshot_look(store, store->wait, &own, error);
    if (status == STRATA_READERS_FULL) {
        uint64_t newest = strata_store_newest(store);
        return st_pins_find(store, guess_version(store, newest), newest, out, error);
    }
    if (status == STRATA_OK) status = st_pins_find(store, own->header.version, own->stamp, out, error);
    st_snapshot_end(own);
    return status;
}

strata_status strata_store_get_snapshots_sized(strata_store *store, size_t size, strata_snapshot *out, uint32_t room,
                                               uint32_t *out_count, strata_error *error) {
    st_pins pins;
    *out_count = 0;
    if (room != 0 && out == NULL)
        return st_fail(error, STRATA_MISUSE, 0, "room for %u snapshots without an address", room);
    strata_status status = st_store_check(store, error);
    if (status == STRATA_OK) status = find_pins(store, &pins, error);
    if (status != STRATA_OK) return status;
    *out_count = pins.count;
    for (uint32_t i = 0; i < pins.count && i < room; i++)
        st_sized_write((uint8_t *)out + i * size, size, &pins.all[i].shown, sizeof pins.all[i].shown);
    st_pins_free(&pins);
    return STRATA_OK;
}

/* ---- Figures ---------------------------------------------------------- */

static uint64_t pages_of(const st_page_tree *tree) {
    return tree->branch_pages + tree->leaf_pages + tree->overflow_pages;
}

/* The pages of each tree, and of all of them with the list of free pages. */
static strata_status used_pages(st_txn *own, uint64_t out[ST_TREES], uint64_t *out_all, strata_error *error) {
    strata_status status = STRATA_OK;
    *out_all = META_PAGES + pages_of(&own->file.free_tree);
    for (int tree = 0; tree < ST_TREES && status == STRATA_OK; tree++) {
        const st_page_tree *root;
        status = st_tree_root(own, (st_tree)tree, &root, error);
        if (status != STRATA_OK) break;
        out[tree] = pages_of(root);
        *out_all += out[tree];
    }
    return status;
}

static void tell_parts(const uint64_t trees[ST_TREES], uint64_t page_size, strata_store_stats *out) {
    out->row_size = trees[ST_ROWS] * page_size;
    out->index_size = trees[ST_INDEX] * page_size;
    out->link_size = trees[ST_LINKS] * page_size;
    out->collection_size = trees[ST_COLLECTIONS] * page_size;
    out->blob_size = trees[ST_BLOBS] * page_size;
    out->change_size = trees[ST_CHANGES] * page_size;
}

static strata_status read_figures(strata_store *store, st_txn *own, const st_pins *pins, strata_store_stats *out,
                                  strata_error *error) {
    struct stat file;
    MDB_envinfo info;
    uint64_t trees[ST_TREES], pages = 0, held = 0, oldest = pins->count == 0 ? own->stamp : pins->all[0].stamp;
    strata_status status = used_pages(own, trees, &pages, error);
    if (status == STRATA_OK) status = st_pins_held_pages(&own->file, oldest, &held, error);
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
    out->snapshots = pins->count;
    out->max_snapshots = info.me_maxreaders;
    tell_parts(trees, store->page_size, out);
    return STRATA_OK;
}

static strata_status read_once(strata_store *store, strata_store_stats *out, bool *out_stale, strata_error *error) {
    st_txn *own = NULL;
    st_pins pins;
    *out_stale = false;
    strata_status status = st_snapshot_look(store, store->wait, &own, error);
    if (status != STRATA_OK) return status;
    status = st_pins_find(store, own->header.version, own->stamp, &pins, error);
    if (status == STRATA_OK) {
        st_page_file_see_free(&own->file);
        status = read_figures(store, own, &pins, out, error);
        st_pins_free(&pins);
    }
    *out_stale = st_snapshot_is_stale(own);
    st_snapshot_end(own);
    return status;
}

strata_status strata_store_get_stats(strata_store *store, strata_store_stats *out, strata_error *error) {
    enum { TRIES = 100 };
    strata_store_stats stats = { .size = sizeof stats };
    if (out == NULL)
        return st_fail(error, STRATA_MISUSE, 0, "reading the figures of a store: `out` is NULL; give the address of a "
                       "strata_store_stats_blank()");
    uint32_t size = out->size;
    if (!st_sized_plausible(size, offsetof(strata_store_stats, version)))
        return st_fail(error, STRATA_MISUSE, 0, "set strata_store_stats.size to sizeof(strata_store_stats)");
    strata_status status = st_store_check(store, error);
    bool stale = status == STRATA_OK;
    /* Damage counts only if nobody has committed meanwhile: see st_page_file_see_free(). */
    for (int attempt = 0; attempt < TRIES && stale; attempt++) {
        status = read_once(store, &stats, &stale, error);
        if (status != STRATA_CORRUPT) break;
    }
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
