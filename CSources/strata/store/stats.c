/* SPDX-License-Identifier: MIT
 * stats.c -- figures about a store. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "store/handle.h"

/* LMDB lists its readers as lines of text that end in the number of the commit they see, or in '-' for idle slots. */
static int count_reader(const char *line, void *context) {
    size_t length = strlen(line);
    while (length > 0 && line[length - 1] == '\n') length--;
    if (length > 0 && line[length - 1] >= '0' && line[length - 1] <= '9') ++*(uint32_t *)context;
    return 0;
}

static int pages_of(MDB_txn *txn, MDB_dbi tree, uint64_t *pages) {
    MDB_stat figures;
    int code = st_called(mdb_stat(txn, tree, &figures));
    if (code == 0) *pages += figures.ms_branch_pages + figures.ms_leaf_pages + figures.ms_overflow_pages;
    return code;
}

strata_status strata_store_get_stats(strata_store *store, strata_store_stats *out, strata_error *error) {
    enum { FREE_TREE = 0, META_PAGES = 2 };
    st_txn *snapshot = NULL;
    struct stat file;
    MDB_envinfo info;
    uint64_t pages = META_PAGES;

    *out = (strata_store_stats){ 0 };
    strata_status status = st_snapshot_begin(store, &snapshot, error);
    if (status != STRATA_OK) return status;
    int code = pages_of(snapshot->mdb, FREE_TREE, &pages);
    for (int i = 0; i < ST_TREES && code == 0; i++) code = pages_of(snapshot->mdb, store->trees[i], &pages);
    if (code == 0) code = mdb_env_info(store->env, &info);
    if (code == 0 && fstat(store->file, &file) != 0) code = errno;
    if (code != 0) {
        status = st_lmdb_fail(error, code, store, "reading the figures of");
        goto done;
    }
    uint64_t all = (uint64_t)info.me_last_pgno + 1;
    out->file_size = (uint64_t)file.st_size;
    out->used_size = pages * store->page_size;
    out->free_size = all > pages ? (all - pages) * store->page_size : 0;
    out->version = snapshot->header.version;
    out->page_size = store->page_size;
    (void)st_called(mdb_reader_list(store->env, count_reader, &out->readers));
    if (out->readers > 0) out->readers--; /* the one above */

done:
    st_snapshot_end(snapshot);
    return status;
}
