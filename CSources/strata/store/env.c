/* SPDX-License-Identifier: MIT
 * env.c -- the LMDB environment of a store, and its trees. */
#define _GNU_SOURCE 1
#include "store/env.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/status.h"
#include "store/advice.h"
#include "store/header.h"
#include "store/lmdb_status.h"
#include "store/lock.h"
#include "store/slots.h"

/* MDB_NOTLS: snapshots are not bound to threads. MDB_NOSYNC is for stores in memory only, MDB_NOMETASYNC for relaxed
 * commits, MDB_NOLOCK only for files under a temporary name that nobody else knows, and for reading what nobody may
 * write meanwhile. MDB_WRITEMAP, MDB_MAPASYNC and MDB_NOMEMINIT are never used. How the system reads ahead is changed
 * later: see advice.h. */
enum { ENV_FLAGS = MDB_NOSUBDIR | MDB_NOTLS };

enum { DEFAULT_READERS = 8192 };
static const uint64_t default_map = UINT64_C(64) << 30, generous_map = UINT64_C(1) << 30,
                      smallest_default_map = UINT64_C(64) << 20;

static void report_assertion(MDB_env *env, const char *what) {
    const strata_store *store = mdb_env_get_userctx(env);
    const char *name = store != NULL ? st_store_name(store) : "?";
    fprintf(stderr, "strata %s: %s: '%s' is damaged, or memory was overwritten: %s\n", strata_version(),
            mdb_version(NULL, NULL, NULL), name, what);
    st_log(STRATA_LOG_ERROR, "'%s' is damaged, or memory was overwritten: %s", name, what);
}

/* Tries once. LMDB does not clean up after a failed open, so each try makes a new environment. */
static int open_once(strata_store *store, uint64_t map_size, uint32_t max_readers, mode_t mode) {
    unsigned flags = ENV_FLAGS | (store->read_only ? MDB_RDONLY : 0u) | (store->unlocked ? MDB_NOLOCK : 0u) |
                     (store->durability == STRATA_DURABILITY_RELAXED ? MDB_NOMETASYNC : 0u) |
                     (store->memory_name != NULL ? MDB_NOSYNC : 0u);
    MDB_env *env = NULL;
    int code = st_called(mdb_env_create(&env));
    if (code != 0) return code;
    mdb_env_set_userctx(env, store);
    mdb_env_set_assert(env, report_assertion);
    if ((code = mdb_env_set_mapsize(env, map_size)) == 0 && (code = mdb_env_set_maxreaders(env, max_readers)) == 0 &&
        (code = mdb_env_set_maxdbs(env, ST_TREES)) == 0)
        code = st_called(mdb_env_open(env, store->path, flags, mode));
    if (code != 0) {
        mdb_env_close(env);
        return code;
    }
    store->env = env;
    store->map_size = map_size;
    return 0;
}

/* LMDB can fail because another process opens or closes the file at this moment, or for a short lack of memory. So
 * there are several tries. */
static int open_patiently(strata_store *store, uint64_t map_size, uint32_t max_readers, mode_t mode) {
    enum { TRIES = 3 };
    const struct timespec pause = { 0, 10 * 1000 * 1000 };
    int code = 0;
    for (int attempt = 0; attempt < TRIES; attempt++) {
        if (attempt > 0) nanosleep(&pause, NULL);
        code = open_once(store, map_size, max_readers, mode);
        if (code == 0 || code == ENOMEM || code == EACCES || code == ENOENT || code == ENOSPC ||
            code == MDB_VERSION_MISMATCH)
            break;
    }
    return code;
}

/* ---- Maps of no given size -------------------------------------------- */

/* How much must be mapped at least: the file, and an eighth of it, so that it can be emptied when it has no room left. */
static uint64_t smallest_map(const strata_store *store, uint64_t page) {
    struct stat info;
    uint64_t size = store->file >= 0 && fstat(store->file, &info) == 0 ? (uint64_t)info.st_size : 0;
    size = (size + size / 8 + page - 1) / page * page;
    return size > smallest_default_map ? size : smallest_default_map;
}

/* Where there are few addresses, stacks, memory and copies of the file need some, too: as many as the map takes. */
static bool leaves_addresses(uint64_t map_size) {
    if (map_size >= generous_map) return true;
    void *both = mmap(NULL, 2 * map_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return both != MAP_FAILED && munmap(both, 2 * map_size) == 0;
}

/* Tries sizes, each half of the one before, down to the smallest one. `*map_size` is the last one that was tried. */
static int open_with_less(strata_store *store, uint64_t page, uint64_t *map_size, uint32_t max_readers, mode_t mode) {
    const uint64_t smallest = smallest_map(store, page);
    int code = ENOMEM;
    while ((code == ENOMEM || code == EINVAL) && *map_size > smallest) {
        *map_size = *map_size / 2 > smallest ? *map_size / 2 : smallest;
        if (*map_size == smallest || leaves_addresses(*map_size))
            code = open_patiently(store, *map_size, max_readers, mode);
    }
    if (code == 0 && *map_size < generous_map)
        st_log(STRATA_LOG_WARNING, "'%s' cannot grow beyond %llu bytes, because the process may use few addresses "
               "(ulimit -v)", st_store_name(store), (unsigned long long)*map_size);
    return code;
}

/* ---- Opening ---------------------------------------------------------- */

static void close_on_exec(MDB_env *env) {
    int file = -1;
    if (mdb_env_get_fd(env, &file) == 0 && file >= 0) (void)fcntl(file, F_SETFD, FD_CLOEXEC);
}

strata_status st_env_open(strata_store *store, uint32_t max_readers, mode_t mode, strata_error *error) {
    strata_status status = st_header_new_epoch(&store->epoch, error);
    if (status != STRATA_OK) return status;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    bool fixed = store->map_size != 0;
    uint64_t map_size = fixed ? store->map_size : default_map;
    const char *limit = getenv("STRATA_MAP_SIZE");
    if (limit != NULL) {
        uint64_t bytes = strtoull(limit, NULL, 0);
        if (bytes != 0 && (bytes < map_size || !fixed)) {
            map_size = bytes;
            fixed = true;
        }
    }
    map_size = map_size > UINT64_MAX / 2 ? UINT64_MAX / 2 / page * page : (map_size + page - 1) / page * page;
    if (map_size < 16 * page) map_size = 16 * page;
    if (max_readers == 0) max_readers = DEFAULT_READERS;
    /* The snapshots that commits without a flush need (deferral.h) take none of those that were asked for. */
    const uint32_t slots = max_readers + (store->durability == STRATA_DURABILITY_DEFERRED ? 2 : 0);
    status = store->unlocked ? STRATA_OK : st_lock_file_reserve(store, slots, mode, error);
    if (status != STRATA_OK) return status;

    int code = open_patiently(store, map_size, slots, mode);
    if ((code == ENOMEM || code == EINVAL) && !fixed) code = open_with_less(store, page, &map_size, slots, mode);
    if (code == ENOMEM)
        return st_fail(error, STRATA_NO_MEMORY, code,
                       "opening '%s': the machine cannot map %llu bytes; raise the limit of the process for addresses "
                       "(ulimit -v), or, from C, give a smaller strata_config.map_size", st_store_name(store),
                       (unsigned long long)map_size);
    if (code != 0) return st_lmdb_fail(error, code, store, "opening");
    close_on_exec(store->env);
    MDB_envinfo info;
    if (!store->unlocked && mdb_env_info(store->env, &info) == 0 && info.me_maxreaders < max_readers)
        st_log(STRATA_LOG_WARNING, "'%s': there can be %u snapshots at a time, not %u, because somebody opened the "
               "file before", st_store_name(store), info.me_maxreaders, (unsigned)max_readers);
    return STRATA_OK;
}

/* Makes the trees and the header record of a new file. 0, or a code of LMDB. */
static int create_trees(MDB_txn *txn, MDB_dbi *out_main) {
    MDB_dbi tree = 0;
    int code = mdb_dbi_open(txn, NULL, 0, out_main);
    for (int i = ST_META + 1; i < ST_TREES && code == 0; i++)
        code = mdb_dbi_open(txn, st_tree_names[i], MDB_CREATE, &tree);
    return code;
}

strata_status st_env_create_trees(MDB_env *env, strata_store *store, strata_error *error) {
    uint8_t record[ST_HEADER_SIZE];
    MDB_dbi main_tree = 0;
    MDB_stat figures;
    st_header header = { 0 };
    uint64_t stamp;
    strata_status status = STRATA_OK;
    int code = mdb_env_stat(env, &figures);
    if (code == 0) status = st_header_create(record, figures.ms_psize, error);
    if (code == 0 && status == STRATA_OK) st_header_read(record, &header, &stamp);
    header.version = 1;
    header.schema_version = STRATA_NO_SCHEMA;
    if (code == 0 && status == STRATA_OK) status = st_header_new_epoch(&header.epoch, error);
    for (int i = 0; i < ST_FIRST_COMMITS && code == 0 && status == STRATA_OK; i++) {
        MDB_txn *txn = NULL;
        code = st_called(mdb_txn_begin(env, NULL, 0, &txn));
        if (code != 0) break;
        if (i == 0) code = create_trees(txn, &main_tree);
        st_header_write(record, &header, mdb_txn_id(txn));
        MDB_val key = { sizeof st_header_key, (void *)(uintptr_t)st_header_key }, value = { sizeof record, record };
        if (code == 0) code = st_called(mdb_put(txn, main_tree, &key, &value, 0));
        errno = 0;
        if (code == 0) code = st_lmdb_write_code(st_called(mdb_txn_commit(txn)));
        else mdb_txn_abort(txn);
    }
    return status == STRATA_OK && code != 0 ? st_lmdb_fail(error, code, store, "creating") : status;
}

/* Does the file hold the record at `at`, if a page of the map begins at `page` and has the number that stands there?
 * The first two pages are meta pages, which hold no records. */
static bool is_in_file(int file, const strata_store *store, uint64_t last, const uint8_t *page, const uint8_t *at) {
    uint8_t record[ST_HEADER_SIZE];
    uint64_t number = strata_load64(page);
    off_t offset = (off_t)(number * store->page_size) + (at - page);
    return number >= 2 && number <= last && pread(file, record, sizeof record, offset) == sizeof record &&
           memcmp(record, at, sizeof record) == 0;
}

/* LMDB does not tell where its map is. But the header record that it reads lies in the map, on a page that begins with
 * its own number, and this number leads to the start of the map. If the pages of the file are larger than those of the
 * system, the page may begin some system pages before the record, so all candidates are tried: a candidate is right if
 * the file, too, has the record where that page would be. Since the record holds the number of its commit, it stands in
 * an intact file only once, and exactly one candidate is right. */
static int find_map(strata_store *store, MDB_txn *txn) {
    MDB_val key = { ST_HEADER_KEY_SIZE, (void *)(uintptr_t)st_header_key }, value = { 0, NULL };
    MDB_envinfo info;
    int file = -1, code = st_called(mdb_get(txn, store->trees[ST_META], &key, &value));
    if (code == 0) code = mdb_env_info(store->env, &info);
    if (code == 0) code = mdb_env_get_fd(store->env, &file);
    if (code != 0) return code;
    if (value.mv_size != ST_HEADER_SIZE) return MDB_CORRUPTED;
    const uint8_t *at = value.mv_data, *found = NULL;
    uint32_t system = (uint32_t)sysconf(_SC_PAGESIZE), step = store->page_size < system ? store->page_size : system;
    const uint8_t *page = at - (uintptr_t)at % step;
    for (uint32_t back = 0; back < store->page_size; back += step, page -= step) {
        if (!is_in_file(file, store, info.me_last_pgno, page, at)) continue;
        if (found != NULL) return MDB_CORRUPTED;
        found = page;
    }
    if (found == NULL) return MDB_CORRUPTED;
    store->map = found - strata_load64(found) * store->page_size;
    store->map_size = info.me_mapsize;
    st_advice_begin(store, (uint64_t)info.me_last_pgno + 1);
    return 0;
}

strata_status st_env_open_trees(strata_store *store, strata_error *error) {
    const st_deadline deadline = st_deadline_in(store->wait);
    MDB_txn *txn;
    MDB_stat figures = { 0 };
    int code = st_slots_begin_first(store, &deadline, &txn);
    if (code == ETIMEDOUT) return st_slots_fail(store, "opening", error);
    if (code != 0) return st_lmdb_fail(error, code, store, "opening");
    for (int i = 0; i < ST_TREES && code == 0; i++)
        code = st_called(mdb_dbi_open(txn, st_tree_names[i], 0, &store->trees[i]));
    if (code == 0) code = mdb_env_stat(store->env, &figures);
    store->page_size = figures.ms_psize;
    if (code == 0) code = find_map(store, txn);
    /* Handles of trees stay valid after a read transaction only if it is committed. */
    if (code == 0) code = mdb_txn_commit(txn);
    else mdb_txn_abort(txn);
    if (code == MDB_NOTFOUND || code == MDB_INCOMPATIBLE)
        return st_fail(error, STRATA_CORRUPT, 0, "opening '%s': a tree of the store is missing; restore a backup",
                       st_store_name(store));
    return code == 0 ? STRATA_OK : st_lmdb_fail(error, code, store, "opening");
}
