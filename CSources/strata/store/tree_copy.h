/* SPDX-License-Identifier: MIT
 * tree_copy.h -- a new file with the entries that a transaction sees. */
#ifndef ST_STORE_TREE_COPY_H
#define ST_STORE_TREE_COPY_H

#include "store/handle.h"
#include "store/trees.h"

/** Entries that a copy leaves out: those of which `has` says so. */
typedef struct st_left_out {
    bool (*has)(const void *context, st_tree tree, strata_bytes key);
    const void *context;
} st_left_out;

/** Writes what `txn` sees, a writer with its changes, without free space to a new file. The file has the version of the
 * transaction and an epoch of its own, and no records of commits. `left_out` may be NULL. Fails: as
 * strata_store_backup() does. */
strata_status st_tree_copy(st_txn *txn, const st_left_out *left_out, const char *path, strata_error *error);

#endif
