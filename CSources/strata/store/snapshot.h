/* SPDX-License-Identifier: MIT
 *
 * snapshot.h -- read transactions.
 *
 * A snapshot shows the commit that was the newest when it began, whatever is committed later. It may be used from any
 * one thread at a time. Pages that it shows are not used again until it ends, so the file grows while it is held and
 * others write.
 */
#ifndef ST_STORE_SNAPSHOT_H
#define ST_STORE_SNAPSHOT_H

#include "store/handle.h"

/** Begins a snapshot of the newest commit, from the pool if one is idle. */
strata_status st_snapshot_begin(strata_store *store, st_txn **out, strata_error *error);
/** The same for somebody for whom others wait: it waits for no slot. */
strata_status st_snapshot_try(strata_store *store, st_txn **out, strata_error *error);
/** The same for a moment, in which the library looks at something for itself: nobody who asks what keeps old commits
 * is told of it. It waits as long as it is told for a slot. */
strata_status st_snapshot_look(strata_store *store, uint32_t milliseconds, st_txn **out, strata_error *error);
/** The header of the newest commit. `*out_stale` says that there may be a newer one still: LMDB shows a commit to
 * readers a moment after the meta page has its number. If this fails, both are left alone. */
strata_status st_snapshot_newest(strata_store *store, st_header *out, bool *out_stale, strata_error *error);
/** Makes another snapshot of the same commit, for another thread. Both use one reader slot, which is given back when
 * the last of them ends. `of` must not be in use by another thread meanwhile, nor end. */
strata_status st_snapshot_share(const st_txn *of, st_txn **out, strata_error *error);
/** Names the snapshot in the statistics, by at most STRATA_MAX_LABEL bytes of `label`. Snapshots that share a slot are
 * one there: it has the label of the one that began it, and when that has ended, the one that the others were given
 * last, which is "frozen" at first. */
void st_snapshot_set_label(st_txn *snapshot, const char *label);
/** True if the newest commit is not the one `snapshot` shows. Cheap: reads no tree. May be true by mistake, never
 * false. */
bool st_snapshot_is_stale(const st_txn *snapshot);
/** Checks every page of the newest commit, free ones, too. While there is a snapshot, no page that can be reached from
 * its commit or a later one is used again. Fails: STRATA_CORRUPT. */
strata_status st_snapshot_check_file(const st_txn *snapshot, strata_error *error);
/** Ends a snapshot; NULL is allowed. */
void st_snapshot_end(st_txn *snapshot);

#endif
