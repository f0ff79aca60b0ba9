/* SPDX-License-Identifier: MIT
 *
 * tree.h -- single entries of the trees.
 *
 * Bytes that were read stay valid until the transaction ends, and in a writer until the next change of any tree. A
 * writer may be used on its own thread only; otherwise every change fails with STRATA_WRONG_THREAD. A change that fails
 * with STRATA_SIZE_LIMIT, STRATA_NO_MEMORY or STRATA_CORRUPT leaves a writer that can only be aborted.
 */
#ifndef ST_STORE_TREE_H
#define ST_STORE_TREE_H

#include "store/handle.h"
#include "store/trees.h"

/** Returns STRATA_OK or STRATA_NOT_FOUND. */
strata_status st_tree_get(st_txn *txn, st_tree tree, strata_bytes key, strata_bytes *out, strata_error *error);
/** The first entry whose key is not less than `from`. Allocates nothing: the transaction has a cursor of its own per
 * tree. STRATA_OK or STRATA_NOT_FOUND. */
strata_status st_tree_seek(st_txn *txn, st_tree tree, strata_bytes from, strata_bytes *key, strata_bytes *value,
                           strata_error *error);
/** The entry after the one that st_tree_seek(), or this function, found last in the same tree, if nothing else was done
 * to the tree since. STRATA_OK or STRATA_NOT_FOUND. */
strata_status st_tree_next(st_txn *txn, st_tree tree, strata_bytes *key, strata_bytes *value, strata_error *error);
/** The values of entries after that one whose keys are less than `before`: those that can be had at once, at most
 * `capacity`, perhaps none. The next ones are found with st_tree_next(). Not for ST_META, where other things lie, too. */
strata_status st_tree_next_values(st_txn *txn, st_tree tree, strata_bytes before, strata_bytes *out, uint32_t capacity,
                                  uint32_t *out_count, strata_error *error);
/** Makes the last `count` of the values that st_tree_next_values() found the next ones again. */
void st_tree_put_back(st_txn *txn, st_tree tree, uint32_t count);
strata_status st_tree_put(st_txn *txn, st_tree tree, strata_bytes key, strata_bytes value, strata_error *error);
/** Returns STRATA_OK or STRATA_NOT_FOUND. */
strata_status st_tree_delete(st_txn *txn, st_tree tree, strata_bytes key, strata_error *error);
/** The number of entries in the tree. */
strata_status st_tree_count(st_txn *txn, st_tree tree, uint64_t *out, strata_error *error);

#endif
