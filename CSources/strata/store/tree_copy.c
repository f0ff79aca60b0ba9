/* SPDX-License-Identifier: MIT
 * tree_copy.c -- a new file with the entries that a transaction sees. */
#define _GNU_SOURCE 1
#include "store/tree_copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/copy.h"
#include "store/cursor.h"
#include "store/file.h"
#include "store/header.h"
#include "store/lmdb_status.h"
#include "store/state.h"
#include "store/temporary.h"
#include "store/trees.h"

static const char doing[] = "copying to";

/* What is written, in transactions that are not too large: LMDB keeps all pages of one in memory. */
typedef struct tree_copy {
    const char *path; /* for messages */
    st_txn *from;
    const st_left_out *left_out;
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi trees[ST_TREES];
    size_t size; /* bytes in `txn` */
} tree_copy;

enum { LARGEST_TRANSACTION = 16 * 1024 * 1024 };

static strata_status failed(const tree_copy *c, int code, strata_error *error) {
    return st_copy_fail(error, code, c->path, doing);
}

static strata_status begin(tree_copy *c, strata_error *error) {
    int code = st_called(mdb_txn_begin(c->env, NULL, 0, &c->txn));
    for (int i = 0; i < ST_TREES && code == 0; i++)
        code = mdb_dbi_open(c->txn, st_tree_names[i], i == ST_META ? 0 : MDB_CREATE, &c->trees[i]);
    c->size = 0;
    return code == 0 ? STRATA_OK : failed(c, code, error);
}

static strata_status commit(tree_copy *c, strata_error *error) {
    MDB_txn *txn = c->txn;
    c->txn = NULL;
    errno = 0;
    int code = st_lmdb_write_code(st_called(mdb_txn_commit(txn)));
    return code == 0 ? STRATA_OK : failed(c, code, error);
}

/* Entries come in order. The names of the other trees lie behind those of the main tree. */
static strata_status put(tree_copy *c, st_tree tree, strata_bytes key, strata_bytes value, strata_error *error) {
    MDB_val to_key = { key.size, (void *)(uintptr_t)key.data }, to = { value.size, (void *)(uintptr_t)value.data };
    int code = st_called(mdb_put(c->txn, c->trees[tree], &to_key, &to, tree == ST_META ? 0 : MDB_APPEND));
    if (code != 0) return failed(c, code, error);
    c->size += key.size + value.size;
    if (c->size < LARGEST_TRANSACTION) return STRATA_OK;
    strata_status status = commit(c, error);
    return status == STRATA_OK ? begin(c, error) : status;
}

static bool leaves_out(const tree_copy *c, st_tree tree, strata_bytes key) {
    return c->left_out != NULL && c->left_out->has(c->left_out->context, tree, key);
}

static strata_status copy_tree(tree_copy *c, st_tree tree, strata_error *error) {
    strata_bytes key, value, first = { "", 0 };
    st_cursor *cursor;
    strata_status status = st_cursor_open(c->from, tree, &cursor, error);
    if (status != STRATA_OK) return status;
    status = st_cursor_seek(cursor, first, &key, &value, error);
    while (status == STRATA_OK) {
        if (!leaves_out(c, tree, key)) status = put(c, tree, key, value, error);
        if (status == STRATA_OK) status = st_cursor_next(cursor, &key, &value, error);
    }
    st_cursor_close(cursor);
    return status == STRATA_NOT_FOUND ? STRATA_OK : status;
}

/* The record that was copied, with what the transaction has changed. A version that nobody has committed is named by an
 * epoch of its own. */
static strata_status put_header(tree_copy *c, strata_error *error) {
    uint8_t record[ST_HEADER_SIZE];
    st_header header = *st_txn_header(c->from);
    MDB_val key = { sizeof st_header_key, (void *)(uintptr_t)st_header_key }, value = { 0, NULL };
    strata_status status = st_header_new_epoch(&header.epoch, error);
    if (status != STRATA_OK) return status;
    header.has_changes = header.logged = false;
    int code = st_called(mdb_get(c->txn, c->trees[ST_META], &key, &value));
    if (code == 0 && value.mv_size != sizeof record) code = MDB_CORRUPTED;
    if (code != 0) return failed(c, code, error);
    memcpy(record, value.mv_data, sizeof record);
    st_header_write(record, &header, mdb_txn_id(c->txn));
    value = (MDB_val){ sizeof record, record };
    code = st_called(mdb_put(c->txn, c->trees[ST_META], &key, &value, 0));
    return code == 0 ? STRATA_OK : failed(c, code, error);
}

static strata_status copy_all(tree_copy *c, strata_error *error) {
    strata_status status = begin(c, error);
    for (int i = ST_META; i < ST_TREES && status == STRATA_OK; i++)
        if (i != ST_CHANGES) status = copy_tree(c, (st_tree)i, error);
    if (status == STRATA_OK) status = put_header(c, error);
    if (status == STRATA_OK) status = commit(c, error);
    if (c->txn != NULL) mdb_txn_abort(c->txn);
    c->txn = NULL;
    return status;
}

/* Nobody else knows the name of the file, so it needs no lock file; and it is synced before it gets its name. */
static strata_status write_file(st_txn *from, const st_left_out *left_out, const st_temporary *temporary,
                                const char *path, strata_error *error) {
    tree_copy c = { .path = path, .from = from, .left_out = left_out };
    int code = st_called(mdb_env_create(&c.env));
    if (code != 0) return failed(&c, code, error);
    code = mdb_env_set_mapsize(c.env, st_txn_store(from)->map_size);
    if (code == 0) code = mdb_env_set_maxdbs(c.env, ST_TREES);
    if (code == 0) code = mdb_env_open(c.env, temporary->name, MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC, 0600);
    strata_status status = code == 0 ? copy_all(&c, error) : failed(&c, code, error);
    mdb_env_close(c.env);
    return status == STRATA_OK ? st_copy_finish(temporary, path, doing, error) : status;
}

strata_status st_tree_copy(st_txn *txn, const st_left_out *left_out, const char *path, strata_error *error) {
    st_temporary temporary = { NULL, -1 };
    char *resolved = NULL;
    struct stat info;
    if (path == NULL || *path == 0) return st_fail(error, STRATA_MISUSE, 0, "copying: the path is empty");
    strata_status status = st_file_resolve(path, &resolved, error);
    if (status == STRATA_OK && lstat(resolved, &info) == 0)
        status = st_fail(error, STRATA_FILE_EXISTS, EEXIST, "copying to '%s': the file exists already; remove it, or "
                         "choose another name", resolved);
    if (status == STRATA_OK) status = st_temporary_make(resolved, 0600, doing, &temporary, error);
    if (status == STRATA_OK) status = write_file(txn, left_out, &temporary, resolved, error);
    if (status == STRATA_OK) {
        status = st_temporary_put(&temporary, resolved, false, doing, error);
        if (status != STRATA_OK && temporary.name == NULL) unlink(resolved); /* in place, but perhaps not for long */
    }
    st_temporary_end(&temporary);
    free(resolved);
    return status;
}
