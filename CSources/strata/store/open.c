/* SPDX-License-Identifier: MIT
 * open.c -- opening a store, in the one order that is safe. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/sized.h"
#include "base/status.h"
#include "store/close.h"
#include "store/create.h"
#include "store/deadline.h"
#include "store/durability.h"
#include "store/env.h"
#include "store/file.h"
#include "store/fork.h"
#include "store/handle.h"
#include "store/lmdb_status.h"
#include "store/lock.h"
#include "store/memory.h"
#include "store/preflight.h"
#include "store/recovery.h"
#include "store/registry.h"
#include "store/snapshot.h"
#include "store/worker.h"

/* Fails if the configuration differs from the one that a store was opened with. */
static strata_status check_same(const strata_store *store, const strata_config *config, strata_error *error) {
    bool read_only = (config->flags & STRATA_OPEN_READ_ONLY) != 0;
    if (store->read_only != read_only)
        return st_fail(error, STRATA_IN_USE, 0,
                       "'%s' is open %s in this process already; open it in the same way, or close it first",
                       st_store_name(store), store->read_only ? "read-only" : "for writing");
    if (store->durability != st_durability_of(config))
        return st_fail(error, STRATA_IN_USE, 0,
                       "'%s' is open with %s durability in this process already; open it in the same way, or close it "
                       "first", st_store_name(store), st_durability_name(store->durability));
    if (config->map_size != 0 && config->map_size != store->asked_map_size && config->map_size != store->map_size)
        return st_fail(error, STRATA_IN_USE, 0,
                       "'%s' is open with a map_size of %llu bytes in this process already, not %llu",
                       st_store_name(store), (unsigned long long)store->map_size,
                       (unsigned long long)config->map_size);
    if (config->max_resident != 0 && config->max_resident != store->advice.bound && store->memory_name == NULL)
        return st_fail(error, STRATA_IN_USE, 0,
                       "'%s' is open with a max_resident of %llu bytes in this process already, not %llu",
                       st_store_name(store), (unsigned long long)store->advice.bound,
                       (unsigned long long)config->max_resident);
    return STRATA_OK;
}

/* Adds a handle to a store that is open. */
static strata_status share(strata_store *store, const strata_config *config, strata_store **out, strata_error *error) {
    bool as_it_is = (config->flags & STRATA_OPEN_AS_IT_IS) != 0;
    strata_status status = as_it_is ? STRATA_OK : check_same(store, config, error);
    if (status != STRATA_OK) return status;
    if (store->handles++ == 0) {
        atomic_fetch_add(&store->live, 1);
        st_worker_reopen(store->worker);
    }
    *out = store;
    return STRATA_OK;
}

/* Whether anybody else has the file open cannot be told, so the log cannot be written back into it. */
static strata_status check_without_locks(const strata_store *store, strata_error *error) {
    if (st_lock_works(store) || !st_recovery_is_logged(store->file, store->path)) return STRATA_OK;
    return st_fail(error, STRATA_IO, ENOLCK,
                   "opening '%s': who wrote it last did not close it, and '%s-log' has commits for it, but the system has "
                   "no locks here (fcntl F_OFD_SETLK), without which they cannot be put back; open it once on another "
                   "file system or kernel", store->path, store->path);
}

/* Checks the file, opens LMDB on it, and checks what LMDB shows. `store` has the descriptor and the path. */
static strata_status start(strata_store *store, const strata_config *config, mode_t mode, strata_error *error) {
    st_txn *first = NULL;
    bool thorough = (config->flags & STRATA_OPEN_CHECK_PAGES) != 0;
    bool alone = st_lock_is_alone(store); /* and it stays so while the opening is held */
    strata_status status = alone ? st_recover(store->file, store->path, store->read_only, error) : STRATA_OK;
    if (status == STRATA_OK && !alone) status = check_without_locks(store, error);
    if (status == STRATA_OK) status = st_preflight(store->file, store->path, !store->read_only, thorough, error);
    if (status == STRATA_OK && alone) status = st_recovery_check(store->file, store->path, error);
    if (status == STRATA_OK) status = st_env_open(store, config->max_readers, mode, error);
    if (status == STRATA_OK) status = st_lock_identity(store, error);
    if (status != STRATA_OK) return status;
    st_lock_drop(store, ST_LOCK_OPENING);

    status = st_env_open_trees(store, error);
    /* The first snapshot checks that the file, its lock file and its header record belong together. */
    if (status == STRATA_OK) status = st_snapshot_begin(store, &first, error);
    if (status != STRATA_OK) return status;
    /* After a crash the newest commit may be in the page cache only. What is read from now on must not get lost. */
    int code = store->read_only ? 0 : st_flush_at_open(store, first);
    store->log.left = alone && !store->read_only && first->header.logged;
    st_snapshot_end(first);
    return code == 0 ? STRATA_OK : st_lmdb_fail(error, code, store, "opening");
}

/* Why an attempt opened nothing, although nothing failed: the caller looks again. */
typedef struct obstacle {
    bool busy;             /* somebody else opens or compacts the file; otherwise it was created, replaced or deleted */
    st_lock_holder holder;
} obstacle;

/* LMDB makes its lock file new if nobody has that open, but does not notice if somebody dies while doing so: whoever
 * waits for that process would go on with half a lock file, or with that of the file before it was compacted. So only
 * one process at a time opens LMDB, and none that would have to wait for another one there. LMDB's lock file is looked
 * at last, because another copy of the library in this process would lose its locks then. */
static strata_status check_alone(strata_store *store, obstacle *why, strata_error *error) {
    why->busy = !st_lock_take(store, ST_LOCK_OPENING);
    if (why->busy) {
        (void)st_lock_held(store, ST_LOCK_OPENING, &why->holder);
        return STRATA_OK;
    }
    strata_status status = st_lock_process(store, error);
    if (status == STRATA_OK && !store->read_only) status = st_lock_check_readers(store, error);
    if (status == STRATA_OK && store->read_only && st_lock_file_is_denied(store)) {
        store->unlocked = st_lock_keep_writers_out(store); /* if not, LMDB says what is denied */
        if (store->unlocked) return STRATA_OK;
    }
    if (status == STRATA_OK) why->busy = st_lock_file_is_held(store, &why->holder);
    return status;
}

/* Opens the store on a file that exists, and registers it. If it may not be opened now, `*out` stays NULL. */
static strata_status open_registered(const strata_config *config, char *path, st_file *file, strata_store **out,
                                     obstacle *why, strata_error *error) {
    strata_store *store = st_store_make();
    char *own_path = strdup(path);
    if (store == NULL || own_path == NULL) {
        st_store_destroy(store);
        free(own_path);
        return st_no_memory(error, "opening a store");
    }
    store->path = own_path;
    store->file = file->descriptor;
    file->descriptor = -1; /* now it belongs to the store */
    store->device = file->info.st_dev;
    store->inode = file->info.st_ino;
    store->read_only = (config->flags & STRATA_OPEN_READ_ONLY) != 0;
    store->durability = st_durability_of(config);
    store->remote = (config->flags & STRATA_OPEN_ALLOW_REMOTE) != 0;
    store->map_size = store->asked_map_size = config->map_size;
    store->advice.bound = config->max_resident;
    if (config->wait != 0) store->wait = config->wait;
    store->handles = 1;
    atomic_store(&store->live, 1);
    st_registry_add(store);
    strata_status status = check_alone(store, why, error);
    bool may = status == STRATA_OK && !why->busy && st_store_is_there(store);
    /* The lock file gets the permissions of the data file. */
    if (may) status = start(store, config, (file->info.st_mode & 0666) | 0600, error);
    if (may && status == STRATA_OK) {
        *out = store;
    } else {
        st_registry_remove(store);
        st_store_destroy(store);
    }
    return status;
}

/* Looks at the path once. Opens the file that is there; or creates one and leaves `*out` NULL, so that the caller looks
 * again. */
static strata_status open_or_create(const strata_config *config, char *path, strata_store **out, obstacle *why,
                                    strata_error *error) {
    bool read_only = (config->flags & STRATA_OPEN_READ_ONLY) != 0;
    bool allow_remote = (config->flags & STRATA_OPEN_ALLOW_REMOTE) != 0;
    bool may_create = (config->flags & (STRATA_OPEN_READ_ONLY | STRATA_OPEN_NO_CREATE)) == 0;
    st_file file;
    strata_status status = st_file_open(path, read_only, allow_remote, &file, error);
    if (status != STRATA_OK) return status;

    strata_store *known = file.descriptor < 0 ? NULL : st_registry_find_file(file.info.st_dev, file.info.st_ino);
    if (known != NULL) {
        status = share(known, config, out, error);
    } else if (st_registry_find_path(path) != NULL) {
        status = st_fail(error, STRATA_REPLACED_FILE, 0,
                         "opening '%s': the file was deleted or replaced while this process has it open; close every "
                         "handle of it first", path);
    } else if (file.descriptor >= 0 && file.info.st_size > 0) {
        status = open_registered(config, path, &file, out, why, error);
    } else if (!may_create) {
        status = st_fail(error, STRATA_FILE_NOT_FOUND, ENOENT, "opening '%s': the file %s, and %s", path,
                         file.descriptor < 0 ? "does not exist" : "is empty",
                         read_only ? "a read-only store is not created" : "STRATA_OPEN_NO_CREATE was given");
    } else {
        mode_t mode = file.descriptor >= 0 ? file.info.st_mode & 0777 : config->mode != 0 ? config->mode & 0777 : 0600;
        status = st_file_create(path, file.descriptor, mode, &why->busy, error);
    }
    if (file.descriptor >= 0) close(file.descriptor);
    return status;
}

/* After a file was created there is a second look, and further ones only if others open, compact, replace or delete it
 * in between. Others may replace it many times in a row, and none of that may fail an opening: ten seconds of pauses
 * are allowed. Those who open or compact it are waited for until the deadline. Other stores can be opened and closed
 * meanwhile. */
static strata_status open_path(const strata_config *config, strata_store **out, strata_error *error) {
    enum { TRIES = 10000 };
    const st_deadline deadline = st_deadline_in(config->wait != 0 ? config->wait : STRATA_DEFAULT_WAIT);
    const struct timespec pause = { 0, ST_MILLISECOND };
    obstacle why = { false, { 0, 0 } };
    char *path = NULL;
    strata_status status = st_file_resolve(config->path, &path, error);
    for (int attempt = 0; attempt < TRIES && status == STRATA_OK && *out == NULL;) {
        why = (obstacle){ false, { 0, 0 } };
        st_registry_lock();
        status = open_or_create(config, path, out, &why, error);
        st_registry_unlock();
        if (status != STRATA_OK || *out != NULL) break;
        if (why.busy && !st_deadline_nap(&deadline, ST_MILLISECOND)) break;
        if (!why.busy && attempt++ > 0) nanosleep(&pause, NULL);
    }
    if (status == STRATA_OK && *out == NULL && why.busy) {
        strata_store named = { .file = -1, .path = path }; /* for the message */
        status = st_lock_fail(&named, &why.holder, "opening", "opening or compacting it", error);
    } else if (status == STRATA_OK && *out == NULL) {
        status = st_fail(error, STRATA_REPLACED_FILE, 0,
                         "opening '%s': the file was deleted or replaced at each of %d tries; another program keeps "
                         "doing that", path, TRIES);
    }
    free(path);
    return status;
}

static strata_status open_memory_locked(const strata_config *config, strata_store **out, strata_error *error) {
    strata_store *known = st_registry_find_memory(config->memory_name);
    if (known != NULL) return share(known, config, out, error);
    if ((config->flags & STRATA_OPEN_READ_ONLY) != 0)
        return st_fail(error, STRATA_MISUSE, 0,
                       "the store in memory '%s' does not exist, and a read-only store is not created",
                       config->memory_name);
    strata_store *store = NULL;
    strata_status status = st_memory_open(config, &store, error);
    if (status != STRATA_OK) return status;
    store->handles = 1;
    atomic_store(&store->live, 1);
    st_registry_add(store);
    *out = store;
    return STRATA_OK;
}

static strata_status open_memory(const strata_config *config, strata_store **out, strata_error *error) {
    st_registry_lock();
    strata_status status = open_memory_locked(config, out, error);
    st_registry_unlock();
    return status;
}

/* Is the library the one that the program was built for? The program reads blocks by itself. */
static strata_status check_caller(uint32_t abi, uint32_t block_format, strata_error *error) {
    if (abi != STRATA_ABI)
        return st_fail(error, STRATA_OTHER_ABI, 0,
                       "opening a store: the program was built with headers of ABI %u, and version %s of the library "
                       "has ABI %d; build it again with the headers of this library", (unsigned)abi, strata_version(),
                       STRATA_ABI);
    if (block_format != STRATA_BLOCK_FORMAT)
        return st_fail(error, STRATA_OTHER_ABI, 0,
                       "opening a store: the program was built to read blocks of format %u, and version %s of the "
                       "library writes format %d; build it again with the headers of this library",
                       (unsigned)block_format, strata_version(), STRATA_BLOCK_FORMAT);
    return STRATA_OK;
}

strata_status strata_store_open_as(uint32_t abi, uint32_t block_format, const strata_config *config,
                                   strata_store **out, strata_error *error) {
    strata_config known;
    *out = NULL;
    strata_status status = check_caller(abi, block_format, error);
    if (status != STRATA_OK) return status;
    if (config == NULL || !st_sized_plausible(config->size, offsetof(strata_config, memory_name)))
        return st_fail(error, STRATA_MISUSE, 0, "opening a store: set strata_config.size to sizeof(strata_config)");
    if (!st_sized_read(&known, sizeof known, config, config->size))
        return st_fail(error, STRATA_MISUSE, 0,
                       "opening a store: strata_config has a field that version %s of the library does not know; "
                       "install the library that belongs to the headers of the program, or leave the field zero",
                       strata_version());
    bool in_memory = known.path == NULL;
    const uint32_t all_flags = STRATA_OPEN_READ_ONLY | STRATA_OPEN_ALLOW_REMOTE | STRATA_OPEN_NO_CREATE |
                               STRATA_OPEN_CHECK_PAGES | STRATA_OPEN_AS_IT_IS;
    if ((known.flags & ~all_flags) != 0)
        return st_fail(error, STRATA_MISUSE, 0, "opening a store: strata_config.flags 0x%x has unknown bits",
                       (unsigned)known.flags);
    if (known.durability > STRATA_DURABILITY_DEFERRED)
        return st_fail(error, STRATA_MISUSE, 0, "opening a store: strata_config.durability %u is unknown",
                       (unsigned)known.durability);
    if (known.max_readers > STRATA_MAX_READERS)
        return st_fail(error, STRATA_MISUSE, 0, "opening a store: strata_config.max_readers %u is above %d",
                       (unsigned)known.max_readers, STRATA_MAX_READERS);
    if (known.max_resident != 0 && known.max_resident < STRATA_LEAST_RESIDENT)
        return st_fail(error, STRATA_MISUSE, 0,
                       "opening a store: strata_config.max_resident %llu is below %d; it is in bytes",
                       (unsigned long long)known.max_resident, STRATA_LEAST_RESIDENT);
    const char *name = in_memory ? known.memory_name : known.path;
    if (name == NULL)
        return st_fail(error, STRATA_MISUSE, 0, "opening a store: neither a path nor a memory_name was given");
    if (*name == 0)
        return st_fail(error, STRATA_MISUSE, 0, "opening a store: its %s is empty", in_memory ? "memory_name" : "path");
    if (strlen(name) >= PATH_MAX)
        return st_fail(error, in_memory ? STRATA_MISUSE : STRATA_NOT_A_FILE, 0,
                       "opening a store: its %s has %zu bytes; there may be %d",
                       in_memory ? "memory_name" : "path", strlen(name), PATH_MAX - 1);
    if (!in_memory && known.memory_name != NULL)
        return st_fail(error, STRATA_MISUSE, 0, "opening '%s': a path and a memory_name were both given", name);

    st_fork_prepare_once();
    st_registry_lock();
    status = st_hash_key_draw_for_process(error);
    st_registry_unlock();
    if (status != STRATA_OK) return status;
    return in_memory ? open_memory(&known, out, error) : open_path(&known, out, error);
}
