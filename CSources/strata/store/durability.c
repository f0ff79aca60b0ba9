/* SPDX-License-Identifier: MIT
 * durability.c -- what a power cut may take.
 *
 * LMDB flushes the pages of a commit before it writes the meta page that leads to them, so the file is intact at any
 * moment. With full durability the meta page is flushed, too, before the commit returns. With relaxed durability it is
 * left to the system, and the next commit, whoever makes it, flushes it along with its own pages. So a power cut can
 * take one commit at most.
 *
 * No thread of ours flushes then while nothing happens. The system writes by itself what is left to it, usually within
 * half a minute. A program that cannot wait calls strata_store_flush().
 *
 * With logged and deferred durability the log decides: see page_log.h and deferral.h. */
#define _GNU_SOURCE 1
#include "store/durability.h"

#include <errno.h>
#include <unistd.h>

#include "base/log.h"
#include "base/status.h"
#include "store/distrust.h"
#include "store/flush_note.h"
#include "store/lmdb_status.h"
#include "store/log_file.h"
#include "store/turn.h"

strata_durability st_durability_of(const strata_config *config) {
    bool writes = config->path != NULL && (config->flags & STRATA_OPEN_READ_ONLY) == 0;
    return writes ? config->durability : STRATA_DURABILITY_FULL;
}

const char *st_durability_name(strata_durability durability) {
    static const char *const names[] = { "full", "relaxed", "logged", "deferred" };
    return names[durability];
}

/* Others are told by the end of a turn, of which there may be none for long. */
static void flush_failed(strata_store *store) {
    enum { MILLISECONDS = 100 };
    const st_deadline soon = st_deadline_in(MILLISECONDS);
    st_distrust(store, "it could not be flushed");
    if (st_turn_take(store, &soon, NULL) == STRATA_OK) st_turn_end(store);
}

strata_status strata_store_flush(strata_store *store, strata_error *error) {
    strata_status status = st_store_check(store, error);
    if (status != STRATA_OK || store->memory_name != NULL) return status;
    if (store->read_only)
        return st_fail(error, STRATA_READ_ONLY, 0, "flushing '%s': it was opened read-only", store->path);
    if (atomic_load(&store->poisoned)) return st_poison_fail(store, "flushing", error);
    int log = -1, code = st_log_open(store->path, true, &log);
    if (code != 0) return st_errno_fail(error, code, store->path, "flushing the log of");
    /* Through our own descriptor: a commit that lasts is told by LMDB's, too, if the system could not write. */
    code = fdatasync(store->file) != 0 ? errno : 0;
    if (code == 0 && log >= 0 && fdatasync(log) != 0) code = errno; /* after a power cut the log decides what there is */
    if (log >= 0) close(log);
    if (code != 0) flush_failed(store);
    else if (atomic_load(&store->poisoned)) return st_poison_fail(store, "flushing", error); /* another flush was told */
    return st_lmdb_fail(error, code, store, "flushing");
}

/* `*out_failed`: a flush itself failed. There may also be no descriptor for it. 0, or an errno or code of LMDB. */
static int flush_once(const strata_store *store, const st_txn *first, bool *out_failed) {
    st_flush_note note;
    *out_failed = false;
    /* Where others have the file open, the log decides after a power cut; what its last writer left in it may wait. */
    int code = first->header.logged ? st_log_flush_of(store->path, out_failed) : 0;
    if (code != 0) return code;
    bool known = st_flush_note_now(store, first->stamp, first->header.epoch, &note);
    if (known && st_flush_note_holds(store, &note)) return 0;
    code = st_called(mdb_env_sync(store->env, 1));
    *out_failed = code != 0;
    if (code == 0 && known) st_flush_note_write(store, &note);
    if (code == 0)
        st_log(STRATA_LOG_INFO, "'%s' was flushed when it was opened: who wrote it last did not close it, or wrote on "
               "another start of the system", st_store_name(store));
    return code;
}

int st_flush_at_open(strata_store *store, const st_txn *first) {
    bool failed;
    int code = flush_once(store, first, &failed);
    if (failed) flush_failed(store); /* whoever opens it next would not be told */
    return code;
}

/* The state of the file now, if this store made the newest commit, whose epoch is known then. */
static bool own_state(const strata_store *store, st_flush_note *out) {
    MDB_envinfo info;
    return store->committed != 0 && store->memory_name == NULL && !atomic_load(&store->poisoned) &&
           st_called(mdb_env_info(store->env, &info)) == 0 && (uint64_t)info.me_last_txnid == store->committed &&
           st_flush_note_now(store, store->committed, store->epoch, out) && st_flush_note_works(store);
}

void st_flush_at_close(strata_store *store) {
    st_flush_note note;
    if (store->env == NULL || atomic_load(&store->poisoned)) return; /* whoever opens it next flushes it */
    bool known = own_state(store, &note);
    /* If a note can be written, this flush saves the one of the next opening. */
    if (!known && store->durability != STRATA_DURABILITY_RELAXED) return;
    int code = st_called(mdb_env_sync(store->env, 1));
    if (code == 0 && known) st_flush_note_write(store, &note);
    if (code != 0) flush_failed(store);
}
