/* SPDX-License-Identifier: MIT
 *
 * copy.c -- copies of a whole store: backups, and files without their free space.
 *
 * The header record holds LMDB's number of the commit that wrote it, but LMDB numbers the commits of a compacted copy
 * from 1 again. So a copy gets one more commit before anybody else can see it, which writes the header record alone.
 * It has the name, epoch and version, of the commit that was copied. */
#define _GNU_SOURCE 1
#include "store/copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/env.h"
#include "store/file.h"
#include "store/handle.h"
#include "store/header.h"
#include "store/image.h"
#include "store/lmdb_status.h"
#include "store/preflight.h"
#include "store/recovery.h"
#include "store/snapshot.h"

strata_status st_copy_fail(strata_error *error, int code, const char *path, const char *doing) {
    if (code > 0) return st_errno_fail(error, code, path, doing);
    strata_store named = { .file = -1, .path = (char *)(uintptr_t)path }; /* for the message */
    return st_lmdb_fail(error, code, &named, doing);
}

/* Writes the header record again, in a transaction of the copy. */
static strata_status write_header(MDB_txn *txn, const char *path, const char *doing, strata_error *error) {
    uint8_t record[ST_HEADER_SIZE];
    st_header header;
    uint64_t stamp;
    MDB_dbi main_tree = 0;
    MDB_val key = { sizeof st_header_key, (void *)(uintptr_t)st_header_key }, value = { 0, NULL };
    int code = mdb_dbi_open(txn, NULL, 0, &main_tree);
    if (code == 0) code = st_called(mdb_get(txn, main_tree, &key, &value));
    if (code != 0) return st_copy_fail(error, code, path, doing);
    strata_status status = st_header_check((strata_bytes){ value.mv_data, value.mv_size }, true, path, error);
    if (status != STRATA_OK) return status;
    memcpy(record, value.mv_data, sizeof record);
    st_header_read(record, &header, &stamp);
    header.logged = false; /* the log is that of the file that was copied */
    st_header_write(record, &header, mdb_txn_id(txn));
    value = (MDB_val){ sizeof record, record };
    code = st_called(mdb_put(txn, main_tree, &key, &value, 0));
    return code == 0 ? STRATA_OK : st_copy_fail(error, code, path, doing);
}

static strata_status commit_header(MDB_env *env, const char *path, const char *doing, strata_error *error) {
    MDB_txn *txn = NULL;
    int code = st_called(mdb_txn_begin(env, NULL, 0, &txn));
    if (code != 0) return st_copy_fail(error, code, path, doing);
    strata_status status = write_header(txn, path, doing, error);
    if (status != STRATA_OK) {
        mdb_txn_abort(txn);
        return status;
    }
    errno = 0;
    code = st_lmdb_write_code(st_called(mdb_txn_commit(txn)));
    return code == 0 ? STRATA_OK : st_copy_fail(error, code, path, doing);
}

/* Gives the copy its own commit, and those that every new file has (see env.h). Nobody else knows the name of the copy,
 * or may open it, so LMDB needs no lock file for it; and it is synced before anybody does. */
static strata_status stamp(const st_temporary *temporary, const char *path, const char *doing, strata_error *error) {
    enum { ROOM = 16 * 1024 * 1024 };
    MDB_env *env = NULL;
    struct stat info;
    int code = fstat(temporary->descriptor, &info) != 0 ? errno : 0;
    if (code == 0) code = st_called(mdb_env_create(&env));
    if (code == 0) code = mdb_env_set_mapsize(env, (size_t)info.st_size + ROOM);
    if (code == 0) code = mdb_env_open(env, temporary->name, MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC, 0600);
    strata_status status = code == 0 ? STRATA_OK : st_copy_fail(error, code, path, doing);
    for (int i = 1; i < ST_FIRST_COMMITS && status == STRATA_OK; i++) status = commit_header(env, path, doing, error);
    if (env != NULL) mdb_env_close(env);
    return status;
}

/* Turns the bytes that were copied into a store. */
strata_status st_copy_finish(const st_temporary *temporary, const char *path, const char *doing, strata_error *error) {
    /* Before LMDB writes to it. */
    strata_status status = st_preflight(temporary->descriptor, path, true, true, error);
    return status == STRATA_OK ? stamp(temporary, path, doing, error) : status;
}

/* LMDB writes to it, so the pages of its trees are checked before. */
static strata_status check_trees(int file, const char *path, strata_error *error) {
    st_page_file pages;
    st_page_use use = { 0 };
    strata_status status = st_page_file_read(file, path, &pages, error);
    if (status == STRATA_OK) status = st_page_check_trees(&pages, &use, error);
    st_page_use_free(&use);
    return status;
}

strata_status st_copy_leave_log(int file, const char *path, const char *doing, strata_error *error) {
    const st_temporary named = { (char *)(uintptr_t)path, file };
    strata_status status = st_recover(file, path, false, error);
    if (status != STRATA_OK || !st_recovery_is_logged(file, path)) return status;
    status = st_recovery_check(file, path, error);
    if (status == STRATA_OK) status = check_trees(file, path, error);
    if (status == STRATA_OK) status = stamp(&named, path, doing, error);
    return status == STRATA_OK && fsync(file) != 0 ? st_errno_fail(error, errno, path, doing) : status;
}

int st_copy_open(const char *path, uint64_t map_size, MDB_env **out) {
    int code = st_called(mdb_env_create(out));
    if (code != 0) *out = NULL;
    if (code == 0) code = mdb_env_set_mapsize(*out, map_size);
    if (code == 0) code = st_called(mdb_env_open(*out, path, MDB_NOSUBDIR | MDB_NOLOCK | MDB_RDONLY, 0600));
    if (code != 0 && *out != NULL) {
        mdb_env_close(*out);
        *out = NULL;
    }
    return code;
}

strata_status st_copy_compact(MDB_env *env, const char *path, const char *doing, const st_temporary *temporary,
                              strata_error *error) {
    int code = st_called(mdb_env_copyfd2(env, temporary->descriptor, MDB_CP_COMPACT));
    return code == 0 ? st_copy_finish(temporary, path, doing, error) : st_copy_fail(error, code, path, doing);
}

/* ---- Backups ---------------------------------------------------------- */

/* May this thread copy the store? The copy would lack what it is writing. */
static strata_status check_backup(strata_store *store, uint32_t flags, strata_error *error) {
    strata_status status = st_store_check(store, error);
    if (status != STRATA_OK) return status;
    if (atomic_load(&store->poisoned)) return st_poison_fail(store, "copying", error);
    if ((flags & STRATA_BACKUP_COMMITTED) == 0 && st_gate_is_inside(&store->gate))
        return st_fail(error, STRATA_WRITING, 0,
                       "copying '%s': this thread has a write transaction open; commit it first",
                       st_store_name(store));
    return STRATA_OK;
}

/* Is `env` open on the file of the store? */
static bool is_same_file(const strata_store *store, MDB_env *env) {
    struct stat info;
    int file = -1;
    return mdb_env_get_fd(env, &file) == 0 && fstat(file, &info) == 0 && info.st_dev == store->device &&
           info.st_ino == store->inode;
}

/* LMDB would take a slot in its table of readers for the copy, and wait for others while it looks for one. So it is
 * opened once more, without its lock file, and a snapshot keeps the pages. LMDB follows all of them, so they are
 * checked before; what others write meanwhile, they write to a sound file. A store in memory has no path, and nobody to
 * wait for. */
static strata_status compact(strata_store *store, const char *path, const st_temporary *temporary,
                             strata_error *error) {
    static const char doing[] = "copying to";
    st_txn *snapshot = NULL;
    MDB_env *env = NULL;
    if (store->memory_name != NULL) return st_copy_compact(store->env, path, doing, temporary, error);
    strata_status status = st_snapshot_begin(store, &snapshot, error);
    if (status != STRATA_OK) return status;
    status = st_snapshot_check_file(snapshot, error);
    int code = status == STRATA_OK ? st_copy_open(store->path, store->map_size, &env) : 0;
    if (code != 0)
        status = st_copy_fail(error, code, path, doing);
    else if (status == STRATA_OK && !is_same_file(store, env))
        status = st_fail(error, STRATA_REPLACED_FILE, 0,
                         "copying '%s': the file was deleted, moved or replaced while it was open; close every handle "
                         "of it and open it again", store->path);
    if (status == STRATA_OK) status = st_copy_compact(env, path, doing, temporary, error);
    if (env != NULL) mdb_env_close(env);
    st_snapshot_end(snapshot);
    return status;
}

static strata_status copy(strata_store *store, const char *path, const st_temporary *temporary, strata_error *error) {
    strata_status status = st_image_make(store, temporary->descriptor, path, "copying to", error);
    return status == STRATA_OK ? st_copy_finish(temporary, path, "copying to", error) : status;
}

strata_status strata_store_backup(strata_store *store, const char *path, uint32_t flags, strata_error *error) {
    st_temporary temporary = { NULL, -1 };
    char *resolved = NULL;
    struct stat info;
    strata_status status = check_backup(store, flags, error);
    if (status != STRATA_OK) return status;
    if (path == NULL || *path == 0 || (flags & ~(uint32_t)(STRATA_BACKUP_COMPACT | STRATA_BACKUP_COMMITTED)) != 0)
        return st_fail(error, STRATA_MISUSE, 0, "copying '%s': the path is empty, or flags 0x%x has unknown bits",
                       st_store_name(store), (unsigned)flags);
    status = st_file_resolve(path, &resolved, error);
    if (status == STRATA_OK && lstat(resolved, &info) == 0)
        status = st_fail(error, STRATA_FILE_EXISTS, EEXIST, "copying to '%s': the file exists already; remove it, or "
                         "choose another name", resolved);
    if (status == STRATA_OK) status = st_temporary_make(resolved, 0600, "copying to", &temporary, error);
    if (status == STRATA_OK)
        status = (flags & STRATA_BACKUP_COMPACT) != 0 ? compact(store, resolved, &temporary, error)
                                                      : copy(store, resolved, &temporary, error);
    if (status == STRATA_OK) {
        status = st_temporary_put(&temporary, resolved, false, "copying to", error);
        if (status != STRATA_OK && temporary.name == NULL) unlink(resolved); /* in place, but perhaps not for long */
    }
    st_temporary_end(&temporary);
    free(resolved);
    return status;
}

strata_status strata_store_backup_to(strata_store *store, int descriptor, strata_error *error) {
    strata_status status = check_backup(store, 0, error);
    if (status != STRATA_OK) return status;
    return st_image_write(store, descriptor, st_store_name(store), "copying", error);
}
