/* SPDX-License-Identifier: MIT
 * tree_copy.h -- a new file with the entries that a transaction sees. */
#ifndef ST_STORE_TREE_COPY_H
#define ST_STORE_TREE_COPY_H

#include "store/handle.h"

/** Writes what `txn` sees, a writer with its changes, without free space to a new file. The file has the version of the
 * transaction and an epoch of its own, and no records of commits. Fails: as strata_store_backup() does. */
strata_status st_tree_copy(st_txn *txn, const char *path, strata_error *error);

#endif
