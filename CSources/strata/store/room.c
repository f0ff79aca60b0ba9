/* SPDX-License-Identifier: MIT
 * room.c -- the room that a file has to grow. */
#define _GNU_SOURCE 1
#include "store/room.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* The same of the commit before; more than there can be if nobody can tell. */
static uint64_t pages_before(strata_store *store) {
    const st_deadline now = st_deadline_in(0);
    MDB_txn *before = NULL;
    uint64_t used;
    if (st_slots_begin(store, &now, &before) != 0) return UINT64_MAX;
    int code = pages_in_use(store, before, &used);
    mdb_txn_abort(before);
    return code == 0 ? used : UINT64_MAX;
}

static uint64_t disk_pages(const strata_store *store) {
    return store->memory_name != NULL ? UINT64_MAX : st_disk_free(store) / store->page_size;
}

/* How many pages of the file are holes: the disk has no blocks for them until they are written to. Those that writes
 * leave are free pages; so at most `most` are counted, since a file system that packs what it stores has fewer blocks,
 * too. */
static uint64_t holes(const strata_store *store, uint64_t last, uint64_t most) {
    enum { BLOCK = 512 };
    struct stat info;
    if (store->memory_name != NULL || fstat(store->file, &info) != 0) return 0;
    uint64_t size = (last + 1) * store->page_size, there = (uint64_t)info.st_blocks * BLOCK;
    uint64_t missing = size > there ? (size - there) / store->page_size : 0;
    return missing < most ? missing : most;
}

bool st_room_has_holes(strata_store *store) {
    enum { LEAST = 16 };
    MDB_envinfo info;
    if (store->remote || st_called(mdb_env_info(store->env, &info)) != 0) return false;
    uint64_t last = info.me_last_pgno, known = store->filled.missing;
    if (last <= store->filled.seen) return false;
    uint64_t missing = holes(store, last, last);
    store->filled.seen = last;
    return missing >= known + LEAST && missing - known < disk_pages(store);
}

void st_room_fill_holes(strata_store *store, uint64_t free_pages) {
    uint64_t last = store->filled.seen, missing = holes(store, last, last);
    if (missing > free_pages) {
        store->filled.missing = missing;
        return;
    }
    off_t begin = (off_t)(store->filled.last * store->page_size), end = (off_t)((last + 1) * store->page_size);
    if (fallocate(store->file, FALLOC_FL_KEEP_SIZE, begin, end - begin) != 0 && errno != EOPNOTSUPP) return;
    store->filled.last = last;
    store->filled.missing = holes(store, last, last);
}

void st_room_give_back(const strata_store *store) {
    MDB_envinfo info;
    MDB_txn *mdb = NULL;
    struct stat file;
    if (store->memory_name != NULL || st_called(mdb_txn_begin(store->env, NULL, 0, &mdb)) != 0) return;
    if (st_called(mdb_env_info(store->env, &info)) == 0 && fstat(store->file, &file) == 0) {
        off_t end = (off_t)(((uint64_t)info.me_last_pgno + 1) * store->page_size);
        if (file.st_size > end) (void)!ftruncate(store->file, end);
    }
    mdb_txn_abort(mdb);
}

/* How many pages behind the end of the file are written already: LMDB does so before the commit when there are many. */
static uint64_t pages_behind(const strata_store *store, uint64_t last) {
    struct stat info;
    if (store->memory_name != NULL || fstat(store->file, &info) != 0) return 0;
    uint64_t pages = (uint64_t)info.st_size / store->page_size;
    return pages > last + 1 ? pages - last - 1 : 0;
}

/* How many pages the file may grow by: the map and the disk must have that room, behind the pages for the holes. The
 * disk is asked again whenever the file has grown by a part of its size, since others use the disk, too, and each time
 * if it has little room. */
static uint64_t pages_left(strata_store *store, uint64_t last, uint64_t wanted, uint64_t most_holes, int *out_code) {
    enum { RECHECK = 32 };
    uint64_t all = store->map_size / store->page_size, left = all > last ? all - last : 0;
    *out_code = MDB_MAP_FULL;
    if (store->memory_name != NULL || last + wanted <= store->pages_on_disk) return left;
    uint64_t room = st_disk_room(store) / store->page_size, disk = disk_pages(store);
    uint64_t kept = holes(store, last, most_holes), others = disk > kept ? disk - kept : 0;
    if (room > others) room = others;
    store->pages_on_disk = room / 2 < wanted + last / RECHECK ? 0 : last + wanted + last / RECHECK;
    if (room < left) *out_code = ENOSPC;
    return room < left ? room : left;
}

int st_room_check(const st_txn *txn) {
    enum { FRACTION = 32, BESIDE = 16, SMALL = 16 }; /* of the file; pages that a write needs beside those of values */
    enum { PER_OBJECT = 4 }; /* pages by which blocks may grow where an object is deleted */
    strata_store *store = txn->store;
    MDB_envinfo info;
    uint64_t used;
    int code;
    if (st_called(mdb_env_info(store->env, &info)) != 0) return 0;
    uint64_t all = store->map_size / store->page_size, beside = all / SMALL < BESIDE ? all / SMALL : BESIDE;
    uint64_t last = info.me_last_pgno, reserve = last / FRACTION + beside;
    uint64_t wanted = reserve + 2 * (txn->put / store->page_size) + beside;
    if (pages_left(store, last, wanted, last, &code) >= wanted) return 0;
    if (pages_in_use(store, txn->mdb, &used) != 0) return 0;
    uint64_t unused = last > used ? last - used : 0, more = used > last ? used - last : 0;
    if (txn->last_page > last + more) more = txn->last_page - last;
    uint64_t behind = pages_behind(store, last), disk = disk_pages(store), before = pages_before(store);
    more = more > behind ? more - behind : 0;
    /* There may be free pages in the file. Of the disk it takes what the file grows by, and what of the holes this write
     * fills, and the next one that deletes: which pages LMDB takes is not known before. */
    uint64_t filled = holes(store, last, unused < wanted ? unused : wanted);
    if (more + filled <= disk && (unused >= reserve + beside || used <= before)) return 0;
    uint64_t grown = used > before ? used - before : 0, gone = txn->objects < 0 ? (uint64_t)-txn->objects : 0;
    if (more <= disk && (used < before || grown < PER_OBJECT * gone)) return 0;
    return pages_left(store, last, wanted, unused, &code) >= reserve + more ? 0 : code;
}

void st_room_note_objects(st_txn *txn, int64_t more) { txn->objects += more; }

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
