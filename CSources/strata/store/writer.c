/* SPDX-License-Identifier: MIT
 * writer.c -- the write transaction.
 *
 * LMDB's writer lock belongs to a thread: a commit on another thread would return success and leave the lock held for
 * ever. So the owner is compared before LMDB is called. After a failed commit LMDB's transaction has ended, too. Nobody
 * ever waits for LMDB's lock: who calls LMDB has the writer's turn. */
#define _GNU_SOURCE 1
#include "store/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/status.h"
#include "store/close.h"
#include "store/deferral.h"
#include "store/distrust.h"
#include "store/free_list.h"
#include "store/growth.h"
#include "store/lag.h"
#include "store/lmdb_status.h"
#include "store/loan.h"
#include "store/lock.h"
#include "store/page_log.h"
#include "store/pool.h"
#include "store/room.h"
#include "store/slots.h"
#include "store/snapshot.h"
#include "store/soundness.h"
#include "store/turn.h"
#include "store/wake.h"

/* ---- The owner's thread -----------------------------------------------
 *
 * If a thread ended before its writer does, LMDB's writer lock would stay with the dead thread, and LMDB would refuse
 * everything from then on. So each thread keeps a list of its writers, and gives them back as the last thing it does.
 */

static void abort_mdb(st_txn *txn);

static void free_writer(st_txn *writer) {
    strata_store *store = writer->store;
    free(writer);
    st_store_let_go(store);
}

/* The other user may leave at the same moment. */
static void leave_by(st_txn *writer, int user) {
    bool last = st_writer_is_borrowed(writer) ? st_loan_leave(writer, user)
                                              : atomic_exchange(&writer->left, user) != ST_LEFT_BY_NOBODY;
    if (last) free_writer(writer);
}

/* On the owner's thread, which does no more with it. */
static void abandon(st_txn *writer) {
    if (st_forked(writer->store)) return;
    if (!st_writer_is_borrowed(writer)) {
        abort_mdb(writer);
        st_turn_end(writer->store);
    }
    leave_by(writer, ST_LEFT_BY_THREAD);
}

static pthread_key_t thread_key;
static bool thread_key_made;
static _Thread_local st_txn *owned;

/* Runs on the thread that ends, which may therefore still end what it owns. */
static void thread_ends(void *unused) {
    (void)unused;
    while (owned != NULL) {
        st_txn *writer = owned;
        owned = writer->next_owned;
        abandon(writer);
    }
}

void st_writer_end_left(void) {
    for (st_txn **link = &owned; *link != NULL;) {
        st_txn *writer = *link;
        if (writer->left != ST_LEFT_BY_HOLDER) {
            link = &writer->next_owned;
            continue;
        }
        *link = writer->next_owned;
        abandon(writer);
    }
}

static void make_key(void) { thread_key_made = pthread_key_create(&thread_key, thread_ends) == 0; }

static bool own(st_txn *writer) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_key);
    if (!thread_key_made || pthread_setspecific(thread_key, &owned) != 0) return false;
    writer->next_owned = owned;
    owned = writer;
    return true;
}

/* A thread that has no writer any more may outlive the library, if that is part of something that can be unloaded. */
static void disown(const st_txn *writer) {
    st_txn **link = &owned;
    while (*link != NULL && *link != writer) link = &(*link)->next_owned;
    if (*link == writer) *link = writer->next_owned;
    if (owned == NULL) (void)pthread_setspecific(thread_key, NULL);
}

/* ---- LMDB's transaction ----------------------------------------------- */

/* LMDB finds its lock file by path, but keeps the data file open. If the path has come to lead to another data file,
 * the writers of that one share our lock, but not our data. */
static strata_status check_not_replaced(const strata_store *store, strata_error *error) {
    if (store->memory_name != NULL || st_store_is_there(store)) return STRATA_OK;
    return st_fail(error, STRATA_REPLACED_FILE, 0,
                   "writing to '%s': the file was deleted, moved or replaced while it was open; close every handle of "
                   "it and open it again", store->path);
}

/* Dead readers keep old pages from being used again. LMDB does not tell how old the oldest reader is, so they are
 * looked for after some commits and seconds, which limits what a dead one can keep. */
static void forget_dead_readers_now_and_then(strata_store *store) {
    enum { COMMITS = 1000, SECONDS = 5 };
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (store->commits_to_check > 0 && now.tv_sec < store->seconds_of_check + SECONDS) {
        store->commits_to_check--;
        return;
    }
    st_slots_forget_dead(store);
    store->commits_to_check = COMMITS;
    store->seconds_of_check = now.tv_sec;
}

/* LMDB counts commits in the lock file. Whoever committed with another one would be overwritten by the commit of this
 * writer, which gets the same number. */
static strata_status check_newest(const st_txn *txn, strata_error *error) {
    if (strata_store_newest(txn->store) + 1 == mdb_txn_id(txn->mdb)) return STRATA_OK;
    return st_header_foreign(st_store_name(txn->store), error);
}

static strata_status read_header(st_txn *txn, strata_error *error) {
    strata_store *store = txn->store;
    MDB_val key = { ST_HEADER_KEY_SIZE, (void *)(uintptr_t)st_header_key }, value = { 0, NULL };
    int code = st_called(mdb_get(txn->mdb, store->trees[ST_META], &key, &value));
    if (code == MDB_NOTFOUND)
        return st_fail(error, STRATA_CORRUPT, 0, "the header record of '%s' is missing: restore a backup",
                       st_store_name(store));
    if (code != 0) return st_lmdb_fail(error, code, store, "writing to");
    strata_status status =
        st_header_check((strata_bytes){ value.mv_data, value.mv_size }, true, st_store_name(store), error);
    if (status == STRATA_OK) status = st_soundness_check_value(txn, value, error);
    if (status != STRATA_OK) return status;
    memcpy(txn->record, value.mv_data, ST_HEADER_SIZE);
    st_header_read(txn->record, &txn->header, &txn->stamp);
    if (txn->stamp + 1 != mdb_txn_id(txn->mdb)) return st_header_foreign(st_store_name(store), error);
    status = check_newest(txn, error);
    if (status != STRATA_OK) return status;
    txn->header.epoch = txn->store->epoch;
    txn->header.version++;
    return STRATA_OK;
}

static void close_seekers(st_txn *txn) {
    for (int i = 0; i < ST_TREES; i++) {
        if (txn->seekers[i] != NULL) mdb_cursor_close(txn->seekers[i]);
        txn->seekers[i] = NULL;
    }
}

static void abort_mdb(st_txn *txn) {
    if (txn->mdb == NULL) return;
    close_seekers(txn);
    st_lmdb_calls++;
    mdb_txn_abort(txn->mdb);
    txn->mdb = NULL;
}

/* Before anything takes the place of what the commit before it held. */
static strata_status write_newest_again(strata_store *store, strata_error *error) {
    int code = store->newest_dropped ? st_distrust_write_newest(store) : 0;
    if (code == 0) store->newest_dropped = false;
    return st_lmdb_fail(error, code, store, "writing to");
}

static strata_status begin_mdb(st_txn *txn, strata_error *error) {
    strata_store *store = txn->store;
    if (atomic_load(&store->poisoned)) return st_poison_fail(store, "writing to", error);
    int code = st_called(mdb_txn_begin(store->env, NULL, 0, &txn->mdb));
    if (code != 0) {
        txn->mdb = NULL;
        if (code == MDB_PANIC) st_store_poison(store, "LMDB refuses every transaction");
        return st_lmdb_fail(error, code, store, "writing to");
    }
    strata_status status = write_newest_again(store, error);
    if (status == STRATA_OK) status = st_soundness_check(txn, error);
    if (status == STRATA_OK) status = read_header(txn, error);
    if (status == STRATA_OK) status = st_page_log_begin(txn, error);
    if (status != STRATA_OK) abort_mdb(txn);
    return status;
}

/* Did the write of the meta page fail? Then it is not known which commit the file holds, and LMDB refuses to begin any
 * transaction from then on. A failed write of other pages leaves the file as it was, and LMDB goes on. */
static bool refuses_everything(strata_store *store) {
    MDB_txn *probe = NULL;
    int code = st_called(mdb_txn_begin(store->env, NULL, 0, &probe)); /* a writer needs no slot */
    if (code == 0) mdb_txn_abort(probe);
    return code == MDB_PANIC;
}

static bool is_full(strata_status status) { return status == STRATA_SIZE_LIMIT || status == STRATA_DISK_FULL; }

/* There was no room for a write. Where the system may have dropped the newest commit, the map does not tell what the
 * file holds, and nothing is cut off. */
static void note_full(strata_store *store, int code) {
    store->full = true;
    if (code != EIO && !store->newest_dropped) st_room_give_back(store);
    st_slots_forget_dead(store);
}

static strata_status commit_failed(strata_store *store, int code, strata_error *error) {
    bool unknown = refuses_everything(store);
    /* On a full disk the file is intact, and a later commit may fit. After any other EIO the kernel may have dropped
     * pages that it could not write, and no later commit can be trusted. The meta page of a relaxed commit before may be
     * among them in any case. */
    if (code > 0 && store->memory_name == NULL) store->newest_dropped = st_distrust_write_newest(store) != 0;
    if (unknown || (code == EIO && !st_disk_is_full(store)))
        st_store_poison(store, "a commit failed while it was written");
    if (unknown)
        return st_fail(error, STRATA_COMMIT_UNKNOWN, code > 0 ? code : 0,
                       "committing to '%s': the last write of the commit failed (%s); close every handle of the file "
                       "and open it again to see whether the commit is in it", st_store_name(store),
                       mdb_strerror(code));
    strata_status status = st_lmdb_fail(error, code, store, "committing to");
    if (is_full(status)) note_full(store, code);
    return status;
}

/* Notes in the header whether the tree `changes` has entries. Returns LMDB's code. */
static int note_changes(st_txn *txn) {
    MDB_stat figures;
    if ((txn->touched >> ST_CHANGES & 1) == 0) return 0;
    int code = st_called(mdb_stat(txn->mdb, txn->store->trees[ST_CHANGES], &figures));
    if (code == 0) txn->header.has_changes = figures.ms_entries != 0;
    return code;
}

/* Has LMDB commit, without its flushes if the log makes up for them. Returns LMDB's code. */
static int end_mdb(st_txn *txn) {
    strata_store *store = txn->store;
    if (store->log.in_use) (void)mdb_env_set_flags(store->env, MDB_NOSYNC, 1);
    errno = 0;
    int code = st_lmdb_write_code(st_called(mdb_txn_commit(txn->mdb)));
    txn->mdb = NULL;
    if (store->log.in_use) (void)mdb_env_set_flags(store->env, MDB_NOSYNC, 0);
    return code;
}

/* The commit was made, and others may see it; but it may not survive a power cut. */
static strata_status flush_failed(strata_store *store, int code, strata_error *error) {
    st_store_poison(store, "a commit could not be made durable");
    return st_fail(error, STRATA_COMMIT_UNKNOWN, code > 0 ? code : 0,
                   "committing to '%s': neither the log nor the file could be flushed (%s); close every handle of the "
                   "file and open it again to see whether the commit is in it", st_store_name(store),
                   mdb_strerror(code));
}

/* Another thread may be told meanwhile that something could not be flushed, which may be of this commit. The system does
 * not tell it twice. */
static int make_durable(strata_store *store, uint64_t commit) {
    int code = store->log.in_use ? st_page_log_append(store, commit) : 0;
    return code == 0 && atomic_load(&store->poisoned) ? EIO : code;
}

static strata_status commit_mdb(st_txn *txn, strata_error *error) {
    strata_store *store = txn->store;
    if (atomic_load(&store->poisoned)) {
        abort_mdb(txn);
        return st_poison_fail(store, "committing to", error);
    }
    int code = st_room_check(txn);
    if (code == 0) code = note_changes(txn);
    if (code != 0) {
        abort_mdb(txn);
        return commit_failed(store, code, error);
    }
    uint64_t commit = mdb_txn_id(txn->mdb);
    st_header_write(txn->record, &txn->header, commit);
    MDB_val key = { ST_HEADER_KEY_SIZE, (void *)(uintptr_t)st_header_key };
    MDB_val value = { sizeof txn->record, txn->record };
    errno = 0;
    code = st_lmdb_write_code(st_called(mdb_put(txn->mdb, store->trees[ST_META], &key, &value, 0)));
    if (code != 0) {
        abort_mdb(txn);
        return commit_failed(store, code, error);
    }
    strata_status status = check_newest(txn, error); /* somebody may have committed since the writer began */
    if (status != STRATA_OK) {
        abort_mdb(txn);
        return status;
    }
    close_seekers(txn);
    bool staged = st_history_is_staged(&store->history);
    if (staged) st_history_committing(&store->history);
    code = end_mdb(txn);
    int lost = code == 0 ? make_durable(store, commit) : 0;
    if (staged) st_history_committed(&store->history, code == 0 && lost == 0);
    if (code != 0) return commit_failed(store, code, error);
    if (lost != 0) return flush_failed(store, lost, error);
    store->committed = commit;
    st_wake(store, commit);
    return STRATA_OK;
}

/* ---- Room -------------------------------------------------------------
 *
 * The pages that a commit replaced or deleted are not free for the next commit, because a power cut may throw the file
 * back on them; they are free for the one after that. An empty commit in between makes them free for the next one. So
 * without it the second of two large changes would find no free page, and the file would grow as much again, or, if it
 * is full, stay full. */

static bool commit_nothing(st_txn *txn) {
    strata_store *store = txn->store;
    if (begin_mdb(txn, NULL) != STRATA_OK) return false;
    txn->header.version--; /* nothing has changed */
    if (commit_mdb(txn, NULL) != STRATA_OK) return false;
    store->settled = store->committed;
    st_deferral_settle(store);
    return true;
}

/* After a large write, and after the first one since there was no room. Nothing is lost if the commit fails. */
static void make_room(st_txn *txn) {
    strata_store *store = txn->store;
    if (!store->full && !st_room_is_freed(txn)) return;
    if (commit_nothing(txn)) store->full = false;
}

/* Before a write, if there was no room for the one before it: what the last commit freed may be the room that it
 * lacked. One empty commit is enough, whoever made it. */
static void find_room(st_txn *txn) {
    strata_store *store = txn->store;
    if (store->full && strata_store_newest(store) != store->settled) (void)commit_nothing(txn);
}

/* ---- Beginning -------------------------------------------------------- */

static strata_status begin(st_txn *txn, strata_error *error) {
    strata_store *store = txn->store;
    if (atomic_load(&store->poisoned)) return st_poison_fail(store, "writing to", error);
    strata_status status = check_not_replaced(store, error);
    if (status != STRATA_OK) return status;
    if (st_history_is_staged(&store->history)) st_history_drop_staged(&store->history);
    forget_dead_readers_now_and_then(store);
    (void)st_lag_wait(store);
    st_lock_followers(store, &store->others_wait, &store->others_read);
    find_room(txn);
    status = begin_mdb(txn, error);
    if (status == STRATA_OK && !own(txn)) {
        abort_mdb(txn);
        status = st_no_memory(error, "beginning a write transaction");
    }
    return status;
}

static void log_wait(const strata_store *store, double seconds) {
    const double noteworthy = 1;
    if (seconds >= noteworthy)
        st_log(STRATA_LOG_WARNING, "'%s': a write waited %.1f s for other writers",
               st_store_name(store), seconds);
}

strata_status st_writer_begin(strata_store *store, st_txn **out, strata_error *error) {
    return st_writer_begin_within(store, store->wait, out, error);
}

strata_status st_writer_begin_within(strata_store *store, uint32_t milliseconds, st_txn **out, strata_error *error) {
    const st_deadline deadline = st_deadline_in(milliseconds);
    return st_writer_begin_until(store, &deadline, out, error);
}

static strata_status check_writable(const strata_store *store, strata_error *error) {
    if (st_forked(store)) return st_fork_fail(store, error);
    if (!store->read_only) return STRATA_OK;
    return st_fail(error, STRATA_READ_ONLY, 0, "writing to '%s': it was opened read-only", st_store_name(store));
}

strata_status st_writer_begin_until(strata_store *store, const st_deadline *deadline, st_txn **out,
                                    strata_error *error) {
    *out = NULL;
    strata_status status = check_writable(store, error);
    if (status != STRATA_OK) return status;
    st_writer_end_left();
    st_txn *txn = calloc(1, sizeof *txn);
    if (txn == NULL) return st_no_memory(error, "beginning a write transaction");
    bool timed = st_logs(STRATA_LOG_WARNING);
    double since = timed ? st_seconds_now() : 0;
    status = st_turn_take(store, deadline, error);
    if (timed) log_wait(store, st_seconds_now() - since);
    if (status != STRATA_OK) {
        free(txn);
        return status;
    }
    txn->store = store;
    txn->writing = true;
    txn->owner = pthread_self();
    status = begin(txn, error);
    if (status != STRATA_OK) {
        st_turn_end(store);
        free(txn);
        return status;
    }
    st_store_hold(store);
    *out = txn;
    return STRATA_OK;
}

bool st_writer_is_borrowed(const st_txn *writer) { return writer->queued != NULL; }

strata_status st_writer_borrow(strata_queued_write *queued, st_txn **out, strata_error *error) {
    *out = NULL;
    st_writer_end_left();
    st_txn *txn = calloc(1, sizeof *txn);
    if (txn == NULL) return st_no_memory(error, "beginning a write transaction");
    txn->store = queued->worker->store;
    if (!own(txn)) {
        free(txn);
        return st_no_memory(error, "beginning a write transaction");
    }
    strata_status status = st_loan_take(queued, txn, error);
    if (status != STRATA_OK) {
        disown(txn);
        free(txn);
        return status;
    }
    st_store_hold(txn->store);
    *out = txn;
    return STRATA_OK;
}

strata_status st_writer_restart(st_txn *writer, strata_error *error) {
    bool full = is_full(writer->failure);
    abort_mdb(writer);
    if (full) note_full(writer->store, 0);
    writer->failure = STRATA_OK;
    writer->put = writer->deleted = writer->last_page = 0;
    writer->objects = 0;
    writer->touched = 0;
    find_room(writer);
    strata_status status = begin_mdb(writer, error);
    if (status != STRATA_OK) writer->failure = status;
    return status;
}

/* ---- Ending ----------------------------------------------------------- */

static void leave(st_txn *txn) {
    strata_store *store = txn->store;
    disown(txn);
    st_turn_end(store);
    free_writer(txn);
}

/* Ends a writer that borrowed its transaction. */
static void give_back(st_txn *txn, bool keep) {
    disown(txn);
    st_loan_end(txn, keep);
    free_writer(txn);
}

/* Whoever shares a commit with others and needs more room than there is, fails alone. */
static strata_status check_share(st_txn *writer, strata_error *error) {
    int code = st_room_check(writer);
    if (code != 0) writer->failure = st_lmdb_fail(error, code, writer->store, "committing to");
    return writer->failure;
}

strata_status st_writer_commit(st_txn *writer, strata_error *error) {
    return st_writer_commit_seen(writer, NULL, error);
}

strata_status st_writer_commit_seen(st_txn *writer, st_txn **seen, strata_error *error) {
    strata_store *store = writer->store;
    if (seen != NULL) *seen = NULL;
    strata_status status = st_writer_check(writer, error);
    if (st_forked(store)) {
        disown(writer);
        free(writer);
        return status;
    }
    if (status == STRATA_WRONG_THREAD) {
        if (writer->left == ST_LEFT_BY_THREAD) leave_by(writer, ST_LEFT_BY_HOLDER);
        return status; /* otherwise only the owner can end it */
    }
    if (st_writer_is_borrowed(writer)) {
        if (status == STRATA_OK) status = check_share(writer, error);
        give_back(writer, status == STRATA_OK);
        return status;
    }
    if (status == STRATA_OK) status = commit_mdb(writer, error);
    else abort_mdb(writer);
    char *warning = NULL;
    if (status == STRATA_OK) {
        uint64_t free_pages;
        if (st_room_has_holes(store) && st_free_list_count(store, &free_pages)) st_room_fill_holes(store, free_pages);
        make_room(writer);
        warning = st_growth_look(writer);
        if (seen != NULL) (void)st_snapshot_try(store, seen, NULL);
    }
    leave(writer);
    if (warning != NULL) st_log_about(STRATA_LOG_PIN, STRATA_LOG_WARNING, warning);
    free(warning);
    return status;
}

void st_writer_abort(st_txn *writer) {
    if (writer == NULL) return;
    strata_store *store = writer->store;
    if (st_forked(store)) {
        disown(writer);
        free(writer);
        return;
    }
    if (writer->left == ST_LEFT_BY_THREAD || !pthread_equal(writer->owner, pthread_self())) {
        leave_by(writer, ST_LEFT_BY_HOLDER);
        return;
    }
    if (st_writer_is_borrowed(writer)) {
        give_back(writer, false);
        return;
    }
    bool full = is_full(writer->failure);
    abort_mdb(writer);
    if (full) note_full(store, 0);
    leave(writer);
}
