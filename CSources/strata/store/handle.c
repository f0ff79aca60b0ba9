/* SPDX-License-Identifier: MIT
 * handle.c -- what may be asked of a store or a transaction, and whether it may be used at all. */
#define _GNU_SOURCE 1
#include "store/handle.h"

#include "base/log.h"
#include "base/status.h"
#include "store/file.h"
#include "store/state.h"

/* ---- May it be used? -------------------------------------------------- */

strata_status st_fork_fail(const strata_store *store, strata_error *error) {
    return st_fail(error, STRATA_AFTER_FORK, 0,
                   "'%s' was opened by the parent process: a forked child must open it anew", st_store_name(store));
}

strata_status st_store_check(const strata_store *store, strata_error *error) {
    if (store == NULL) return st_fail(error, STRATA_MISUSE, 0, "the store is NULL: its opening failed, or was not tried");
    return st_forked(store) ? st_fork_fail(store, error) : STRATA_OK;
}

void st_store_poison(strata_store *store, const char *why) {
    if (atomic_exchange(&store->poisoned, true)) return;
    st_log(STRATA_LOG_ERROR, "'%s' is poisoned: %s; close every handle of the file and open it again",
           st_store_name(store), why);
}

strata_status st_poison_fail(const strata_store *store, const char *doing, strata_error *error) {
    return st_fail(error, STRATA_POISONED, 0,
                   "%s '%s': an earlier write failed, here or in another process, in a way that leaves open what is on "
                   "the disk; close every handle of the file, in all processes, and open it again", doing,
                   st_store_name(store));
}

bool st_store_is_there(const strata_store *store) {
    return st_file_is_at(store->path, store->device, store->inode);
}

static strata_status wrong_thread(const st_txn *txn, strata_error *error) {
    return st_fail(error, STRATA_WRONG_THREAD, 0,
                   "the write transaction on '%s' belongs to another thread%s: begin, change and end it on one thread",
                   st_store_name(txn->store),
                   txn->left == ST_LEFT_BY_THREAD ? ", which ended and took the changes with it" : "");
}

strata_status st_writer_check(const st_txn *txn, strata_error *error) {
    if (st_forked(txn->store)) return st_fork_fail(txn->store, error);
    if (!txn->writing)
        return st_fail(error, STRATA_NOT_WRITING, 0, "changing '%s' outside a write transaction",
                       st_store_name(txn->store));
    if (txn->left == ST_LEFT_BY_THREAD || !pthread_equal(txn->owner, pthread_self())) return wrong_thread(txn, error);
    if (txn->failure != STRATA_OK)
        return st_fail(error, txn->failure, 0,
                       "the write transaction on '%s' failed with an earlier change (%s); it can only be cancelled",
                       st_store_name(txn->store), strata_status_name(txn->failure));
    return STRATA_OK;
}

/* ---- Properties ------------------------------------------------------- */

const char *strata_store_path(const strata_store *store) {
    return store == NULL || store->memory_name != NULL ? "" : store->path;
}
uint32_t st_store_block_size(const strata_store *store) { return store->page_size - 16; }
bool st_store_read_only(const strata_store *store) { return store->read_only; }
bool st_store_is_bounded(const strata_store *store) { return store->advice.bound != 0; }
uint32_t st_store_wait(const strata_store *store, uint32_t milliseconds) {
    return milliseconds == STRATA_STORE_WAIT ? store->wait : milliseconds;
}

st_history *st_store_history(strata_store *store) { return &store->history; }

strata_store *st_txn_store(const st_txn *txn) { return txn->store; }
st_header *st_txn_header(st_txn *txn) { return &txn->header; }
bool st_txn_is_writing(const st_txn *txn) { return txn->writing; }
uint32_t st_txn_touched(const st_txn *txn) { return txn->touched; }
st_unrecorded *st_txn_unrecorded(st_txn *txn) { return &txn->unrecorded; }
void st_txn_is_last(st_txn *txn) { txn->is_last = true; }
bool st_txn_is_followed(const st_txn *txn) { return txn->store->others_read; }
bool st_txn_is_read(const st_txn *txn) {
    return st_txn_is_followed(txn) || st_history_wanted(&txn->store->history);
}

/* ---- The attachment --------------------------------------------------- */

void st_store_lock(strata_store *store) { pthread_mutex_lock(&store->lock); }
void st_store_unlock(strata_store *store) { pthread_mutex_unlock(&store->lock); }
void *st_store_attachment(const strata_store *store) { return store->attachment; }

void st_store_attach(strata_store *store, void *attachment, void (*free_it)(void *)) {
    store->attachment = attachment;
    store->free_attachment = free_it;
}
