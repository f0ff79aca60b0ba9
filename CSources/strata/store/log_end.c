/* SPDX-License-Identifier: MIT
 * log_end.c -- the end of the use of a log.
 *
 * The data file is flushed, then the log is marked as not in use, and then a commit says so in the header record. It
 * keeps version and epoch, because nothing else has changed. */
#define _GNU_SOURCE 1
#include "store/log_end.h"

#include <string.h>

#include "store/handle.h"
#include "store/lmdb_status.h"
#include "store/page_log.h"
#include "store/soundness.h"
#include "store/state.h"
#include "store/turn.h"

static strata_status read_header(st_txn *txn) {
    MDB_val key = { ST_HEADER_KEY_SIZE, (void *)(uintptr_t)st_header_key }, value = { 0, NULL };
    if (st_called(mdb_get(txn->mdb, txn->store->trees[ST_META], &key, &value)) != 0) return STRATA_CORRUPT;
    strata_status status =
        st_header_check((strata_bytes){ value.mv_data, value.mv_size }, true, st_store_name(txn->store), NULL);
    if (status == STRATA_OK) status = st_soundness_check_value(txn, value, NULL);
    if (status != STRATA_OK) return status;
    memcpy(txn->record, value.mv_data, ST_HEADER_SIZE);
    st_header_read(txn->record, &txn->header, &txn->stamp);
    return txn->stamp + 1 == mdb_txn_id(txn->mdb) ? STRATA_OK : STRATA_REPLACED_FILE;
}

static strata_status end_log(st_txn *txn) {
    strata_status status = st_soundness_check(txn, NULL);
    if (status == STRATA_OK) status = read_header(txn);
    if (status == STRATA_OK && !txn->header.logged) return STRATA_NOT_FOUND; /* somebody has ended it */
    if (status == STRATA_OK) status = st_page_log_begin(txn, NULL);
    if (status == STRATA_OK && st_page_log_end(txn) != 0) status = STRATA_IO;
    return status;
}

static bool put_header(st_txn *txn) {
    MDB_val key = { ST_HEADER_KEY_SIZE, (void *)(uintptr_t)st_header_key };
    MDB_val value = { sizeof txn->record, txn->record };
    st_header_write(txn->record, &txn->header, mdb_txn_id(txn->mdb));
    return st_called(mdb_put(txn->mdb, txn->store->trees[ST_META], &key, &value, 0)) == 0;
}

static void write_without_log(strata_store *store) {
    st_txn txn = { .store = store, .writing = true, .owner = pthread_self() };
    if (st_called(mdb_txn_begin(store->env, NULL, 0, &txn.mdb)) != 0) return;
    uint64_t commit = mdb_txn_id(txn.mdb);
    if (end_log(&txn) != STRATA_OK || !put_header(&txn)) mdb_txn_abort(txn.mdb);
    else if (st_called(mdb_txn_commit(txn.mdb)) == 0) store->committed = commit;
}

void st_log_end(strata_store *store) {
    const st_deadline now = st_deadline_in(0);
    bool used = store->log.file >= 0 || store->log.left;
    if (!used || store->env == NULL || atomic_load(&store->poisoned) || !st_store_is_there(store)) return;
    if (st_turn_take(store, &now, NULL) != STRATA_OK) return;
    write_without_log(store);
    st_turn_end(store);
}
