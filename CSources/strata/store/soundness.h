/* SPDX-License-Identifier: MIT
 *
 * soundness.h -- what LMDB treads on when it writes is checked before.
 *
 * LMDB follows the pages of a file without looking, and whatever a damaged one lists as free it overwrites. So before
 * the first write of this process all pages of the trees are checked, and the lists of free pages against them. That is
 * done once: what LMDB makes of a sound file is sound, in this process and in others, which check as well. Values on
 * pages of their own are most of a file, and LMDB reads the first page of one only when it replaces or deletes the
 * value; so that page is checked then.
 */
#ifndef ST_STORE_SOUNDNESS_H
#define ST_STORE_SOUNDNESS_H

#include "store/state.h"

/** Called when LMDB's transaction has begun, before it reads anything. Reads the pages of trees, if this is the first
 * write through the store. Fails: STRATA_CORRUPT. */
strata_status st_soundness_check(st_txn *writer, strata_error *error);
/** Checks the first page of the value that LMDB found, if the value has pages of its own. Fails: STRATA_CORRUPT. */
strata_status st_soundness_check_value(st_txn *writer, MDB_val value, strata_error *error);

/** Are there values whose first page was not checked? */
static inline bool st_soundness_is_partial(const strata_store *store) { return store->use.unread_count != 0; }

#endif
