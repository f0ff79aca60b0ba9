/* SPDX-License-Identifier: MIT
 *
 * store.h -- what the layers above may ask of the key-value store.
 *
 * A store is one LMDB environment per file and process. It hands out transactions: pooled snapshots, and at
 * most one writer. Trees are plain B+trees: no duplicates, no custom order, opened once, never dropped.
 * No MDB_ name and no LMDB code is seen above this folder.
 */
#ifndef ST_STORE_STORE_H
#define ST_STORE_STORE_H

#include "strata.h"

typedef enum st_tree {
    ST_META,        /**< the main tree: header record, catalog, table states; keys begin with a zero byte */
    ST_ROWS,
    ST_INDEX,
    ST_LINKS,
    ST_COLLECTIONS,
    ST_BLOBS,
    ST_CHANGES,
    ST_TREES        /* how many */
} st_tree;

/** Largest key the layers above may use; keys have an even length. */
enum { ST_MAX_TREE_KEY = 400 };

/** The largest value that fills one page exactly: page size less LMDB's 16 bytes. */
uint32_t st_store_block_size(const strata_store *store);
bool st_store_read_only(const strata_store *store);

/** Fails with STRATA_AFTER_FORK if the process is a child of the one that opened the store. */
strata_status st_store_check(const strata_store *store, strata_error *error);

/** Keeps a store open, also after its last handle was closed, until it is let go; then it may be gone. */
void st_store_hold(strata_store *store);
void st_store_let_go(strata_store *store);

/** Something of an upper layer that lives as long as the store: freed by `free_it` when the store closes. The
 * caller of both functions holds the lock of st_store_lock(). */
void st_store_lock(strata_store *store);
void st_store_unlock(strata_store *store);
void *st_store_attachment(const strata_store *store);
void st_store_attach(strata_store *store, void *attachment, void (*free_it)(void *));

/* ---- Fork ------------------------------------------------------------- */

/** An epoch that a fork changes in the child, so that inline checks against it fail there. */
typedef struct st_fork_watch {
    uint64_t *epoch;
    struct st_fork_watch *next, *previous;
} st_fork_watch;
void st_fork_watch_add(st_fork_watch *watch);
void st_fork_watch_remove(st_fork_watch *watch);

/* ---- Transactions ----------------------------------------------------- *
 * Snapshots may be used from any one thread at a time. A writer belongs to the thread that began it.
 */

typedef struct st_txn st_txn;

/** The header record: part of every commit, checked at every begin. Upper layers change the last two fields. */
typedef struct st_header {
    uint8_t uuid[16];
    uint64_t epoch;           /**< of the opening of the file that made the commit: with `version`, names it for ever */
    uint64_t version;         /**< number of the commit */
    uint64_t schema_version;  /**< STRATA_NO_SCHEMA at first */
    uint64_t catalog_version; /**< changes with every change of the catalog */
} st_header;

/** Begins a snapshot of the newest commit, taken from the pool if one is idle. */
strata_status st_snapshot_begin(strata_store *store, st_txn **out, strata_error *error);
/** Names the snapshot in the statistics, by at most STRATA_MAX_LABEL bytes. */
void st_snapshot_set_label(st_txn *snapshot, const char *label);
/** True if the newest commit is not the one `snapshot` shows. Cheap: reads no tree. May err towards true. */
bool st_snapshot_is_stale(const st_txn *snapshot);
/** Ends a snapshot; NULL is allowed. */
void st_snapshot_end(st_txn *snapshot);

/** Begins the write transaction, waiting for other writers. Checks that the file is still the one opened. */
strata_status st_writer_begin(strata_store *store, st_txn **out, strata_error *error);
/** Commits, with a new header record; `writer` is gone whatever is returned. */
strata_status st_writer_commit(st_txn *writer, strata_error *error);
/** Drops the changes; NULL is allowed. */
void st_writer_abort(st_txn *writer);

strata_store *st_txn_store(const st_txn *txn);
/** The header as this transaction sees it; of a writer, `version` is the one its commit will have. */
st_header *st_txn_header(st_txn *txn);

/* ---- Trees ------------------------------------------------------------ *
 * Lifetime of bytes read: until the transaction ends, and in a writer until the next change of any tree.
 * Every change fails with STRATA_WRONG_THREAD on a foreign thread and leaves the writer unusable, except for
 * abort, on STRATA_SIZE_LIMIT, STRATA_NO_MEMORY and STRATA_CORRUPT.
 */

/** Returns STRATA_OK or STRATA_NOT_FOUND. */
strata_status st_tree_get(st_txn *txn, st_tree tree, strata_bytes key, strata_bytes *out, strata_error *error);
/** The first entry whose key is not less than `from`, without allocating: by a cursor that the transaction keeps
 * per tree. STRATA_OK or STRATA_NOT_FOUND. */
strata_status st_tree_seek(st_txn *txn, st_tree tree, strata_bytes from, strata_bytes *key, strata_bytes *value,
                           strata_error *error);
/** The entry behind the one that st_tree_seek(), or this, found last in the same tree; nothing else was done to the
 * tree since. STRATA_OK or STRATA_NOT_FOUND. */
strata_status st_tree_next(st_txn *txn, st_tree tree, strata_bytes *key, strata_bytes *value, strata_error *error);
strata_status st_tree_put(st_txn *txn, st_tree tree, strata_bytes key, strata_bytes value, strata_error *error);
/** Returns STRATA_OK or STRATA_NOT_FOUND. */
strata_status st_tree_delete(st_txn *txn, st_tree tree, strata_bytes key, strata_error *error);
/** How many entries the tree has. */
strata_status st_tree_count(st_txn *txn, st_tree tree, uint64_t *out, strata_error *error);

typedef struct st_cursor st_cursor;

/** Ownership: closed by the caller before its transaction ends. */
strata_status st_cursor_open(st_txn *txn, st_tree tree, st_cursor **out, strata_error *error);
void st_cursor_close(st_cursor *cursor);
/** The moves return STRATA_OK with key and value, or STRATA_NOT_FOUND. */
/** The first entry whose key is not less than `from`. */
strata_status st_cursor_seek(st_cursor *cursor, strata_bytes from, strata_bytes *key, strata_bytes *value,
                             strata_error *error);
strata_status st_cursor_last(st_cursor *cursor, strata_bytes *key, strata_bytes *value, strata_error *error);
/** From a position that a move returned. */
strata_status st_cursor_next(st_cursor *cursor, strata_bytes *key, strata_bytes *value, strata_error *error);
strata_status st_cursor_previous(st_cursor *cursor, strata_bytes *key, strata_bytes *value, strata_error *error);
/** In a snapshot, where the value is that lies `steps` entries behind the one found last, to prefetch it: NULL if that
 * is not known without a step into another page. Nothing is read there, and nothing may be but by the moves. */
const void *st_cursor_ahead(const st_cursor *cursor, uint32_t steps);

/* ---- Figures ---------------------------------------------------------- */

/** How many calls of LMDB, and moves in trees of snapshots, this thread has made; for tests that assert on costs. */
uint64_t st_store_calls(void);

#endif
