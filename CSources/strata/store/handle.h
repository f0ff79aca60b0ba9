/* SPDX-License-Identifier: MIT
 *
 * handle.h -- what may be asked of a store or a transaction, and whether it may be used at all.
 *
 * A handle is dead in a forked child, and a store is poisoned once a write failed in a way that leaves open what the
 * file holds. A writer belongs to the thread that began it.
 */
#ifndef ST_STORE_HANDLE_H
#define ST_STORE_HANDLE_H

#include "store/header.h"
#include "store/history.h"
#include "strata.h"

typedef struct st_txn st_txn;

/* ---- May it be used? -------------------------------------------------- */

/** Fails with STRATA_AFTER_FORK if the process is a child of the one that opened the store. */
strata_status st_store_check(const strata_store *store, strata_error *error);
/** Fails with STRATA_AFTER_FORK. */
strata_status st_fork_fail(const strata_store *store, strata_error *error);
/** Fails with STRATA_POISONED; `doing` begins the message. */
strata_status st_poison_fail(const strata_store *store, const char *doing, strata_error *error);
/** Notes that what the file holds cannot be told any more, and logs why. */
void st_store_poison(strata_store *store, const char *why);
/** May this thread change the trees with `txn`, now? */
strata_status st_writer_check(const st_txn *txn, strata_error *error);
/** Does the path still lead to the file of the store? While that is open, no other file gets its inode. */
bool st_store_is_there(const strata_store *store);

/* ---- Properties ------------------------------------------------------- */

/** The largest value that fills one page exactly: the page size less LMDB's 16 bytes. */
uint32_t st_store_block_size(const strata_store *store);
bool st_store_read_only(const strata_store *store);
/** Is the map given back when much of it was read? What is read without these layers is noticed late then. */
bool st_store_is_bounded(const strata_store *store);
/** The milliseconds that whatever waits for others may take: `milliseconds`, or what STRATA_STORE_WAIT stands for. */
uint32_t st_store_wait(const strata_store *store, uint32_t milliseconds);

/** The records of commits that feeds read: see history.h. */
struct st_history *st_store_history(strata_store *store);

strata_store *st_txn_store(const st_txn *txn);
/** The header as this transaction sees it. In a writer, `version` is the one that its commit will have. */
st_header *st_txn_header(st_txn *txn);
bool st_txn_is_writing(const st_txn *txn);
/** Of a writer: the trees that were changed since the transaction began, a bit for each. */
uint32_t st_txn_touched(const st_txn *txn);
/** Of a writer; may be changed. */
st_unrecorded *st_txn_unrecorded(st_txn *txn);
/** No other write shares the transaction of a writer after this one: what comes later has another version. */
void st_txn_is_last(st_txn *txn);
/** Of a writer: whether another process had a feed of the file when the transaction began. */
bool st_txn_is_followed(const st_txn *txn);
/** Of a writer: whether this or another process had one. */
bool st_txn_is_read(const st_txn *txn);

/* ---- The attachment --------------------------------------------------- *
 * An object of an upper layer that lives as long as the store. `free_it` frees it when the store closes. Whoever
 * reads or sets the attachment holds the lock.
 */

void st_store_lock(strata_store *store);
void st_store_unlock(strata_store *store);
void *st_store_attachment(const strata_store *store);
void st_store_attach(strata_store *store, void *attachment, void (*free_it)(void *));

#endif
