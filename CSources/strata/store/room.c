/* SPDX-License-Identifier: MIT
 * room.c -- the room that a file has to grow. */
#include "store/room.h"

#include <errno.h>

#include "store/lmdb_status.h"
#include "store/lock.h"
#include "store/slots.h"
#include "store/state.h"

/* Pages of all trees. */
static int pages_in_use(const strata_store *store, MDB_txn *mdb, uint64_t *out) {
    int code = 0;
    *out = 0;
    for (int i = 0; i < ST_TREES && code == 0; i++) {
        MDB_stat figures = { 0 };
        code = st_called(mdb_stat(mdb, store->trees[i], &figures));
        *out += figures.ms_branch_pages + figures.ms_leaf_pages + figures.ms_overflow_pages;
    }
    return code;
}

static bool shrinks(strata_store *store, uint64_t pages) {
    const st_deadline now = st_deadline_in(0);
    MDB_txn *before = NULL;
    uint64_t used;
    if (st_slots_begin(store, &now, &before) != 0) return true; /* nobody can tell */
    int code = pages_in_use(store, before, &used);
    mdb_txn_abort(before);
    return code != 0 || pages <= used;
}

/* How many pages the file may grow by: the map and the disk must have that room. The disk is asked again whenever the
 * file has grown by a part of its size, since others use the disk, too, and each time if it has little room. */
static uint64_t pages_left(strata_store *store, uint64_t last, uint64_t wanted, int *out_code) {
    enum { RECHECK = 32 };
    uint64_t all = store->map_size / store->page_size, left = all > last ? all - last : 0;
    *out_code = MDB_MAP_FULL;
    if (store->memory_name != NULL || last + wanted <= store->pages_on_disk) return left;
    uint64_t room = st_disk_room(store) / store->page_size;
    store->pages_on_disk = room / 2 < wanted + last / RECHECK ? 0 : last + wanted + last / RECHECK;
    if (room < left) *out_code = ENOSPC;
    return room < left ? room : left;
}

int st_room_check(const st_txn *txn) {
    enum { FRACTION = 32, BESIDE = 16, SMALL = 128 }; /* of the file; pages that a write needs beside those of values */
    strata_store *store = txn->store;
    MDB_envinfo info;
    uint64_t used;
    int code;
    if (st_called(mdb_env_info(store->env, &info)) != 0) return 0;
    uint64_t all = store->map_size / store->page_size, beside = all / SMALL < BESIDE ? all / SMALL : BESIDE;
    uint64_t last = info.me_last_pgno, reserve = last / FRACTION + beside;
    uint64_t wanted = reserve + 2 * (txn->put / store->page_size) + beside;
    if (pages_left(store, last, wanted, &code) >= wanted) return 0;
    if (pages_in_use(store, txn->mdb, &used) != 0) return 0;
    /* There may be free pages in the file. */
    if (used + reserve + beside <= last || shrinks(store, used)) return 0;
    return pages_left(store, last, wanted, &code) >= reserve + (used > last ? used - last : 0) ? 0 : code;
}

static bool is_tight(const strata_store *store, uint64_t last) {
    uint64_t all = store->map_size / store->page_size;
    if (last + last / 8 > all) return true;
    /* The disk had more room than that when it was asked last. */
    if (store->memory_name != NULL || last < store->pages_on_disk) return false;
    return st_disk_room(store) < last * store->page_size / 8;
}

bool st_room_is_tight(const strata_store *store) {
    MDB_envinfo info;
    return st_called(mdb_env_info(store->env, &info)) == 0 && is_tight(store, info.me_last_pgno);
}

bool st_room_is_freed(const st_txn *txn) {
    MDB_envinfo info;
    const uint64_t page = txn->store->page_size, least_put = 4 * 1024 * 1024, least_deleted = 16 * page;
    uint64_t deleted = txn->deleted * page;
    if ((txn->put < least_put && deleted < least_deleted) || st_called(mdb_env_info(txn->store->env, &info)) != 0)
        return false;
    uint64_t last = info.me_last_pgno, much = last * page / 8;
    if (deleted >= least_deleted && deleted >= much)
        return st_lock_is_alone(txn->store) || is_tight(txn->store, last);
    return txn->put >= least_put && txn->put >= much && st_lock_is_alone(txn->store);
}
