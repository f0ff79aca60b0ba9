/* SPDX-License-Identifier: MIT
 * lock.h -- locks of our own on the data file, beside those of LMDB.
 *
 * They are OFD locks, which conflict even within a process and are not lost when some descriptor is closed. No byte
 * of the file is where they are:
 *
 *   2^60 + process number    exclusive while the store is open: a second copy of this library in the process, or a
 *                            process of the same number in another container, would share LMDB's reader slots.
 *                            All of these at once while the file is compacted
 *   2^61 + lock file         shared while the store is open, at a place that its lock file determines: a lock at
 *                            another place means that the file is open through two lock files
 *   2^62                     exclusive inside a write transaction, until its commit or abort begins: it is given
 *                            back while LMDB still keeps the next writer waiting, who would else find it taken
 *
 * ON-DISK in effect: all processes that use a file must agree on these places.
 */
#ifndef ST_STORE_LOCK_H
#define ST_STORE_LOCK_H

#include "strata.h"

/** Fails with STRATA_IN_USE if this process number has the file open already. Waits while the file is being compacted,
 * which means that its path now leads to another file. */
strata_status st_lock_process(strata_store *store, strata_error *error);
/** The path of LMDB's lock file, NULL without memory. Never open that file: closing it would drop LMDB's locks. The
 * caller frees the name. */
char *st_lock_file_name(const strata_store *store);
/** Fails with STRATA_LINKED_FILE if the file is open through another lock file. Once LMDB has opened it. */
strata_status st_lock_identity(strata_store *store, strata_error *error);
typedef enum st_lock_result { ST_LOCK_TAKEN, ST_LOCK_WAITED /* and then taken */, ST_LOCK_REFUSED } st_lock_result;

/** Takes the writer's lock, inside LMDB's. A process that is killed in a write transaction loses LMDB's lock first and
 * this one a moment later, so it is waited for, for two seconds. */
st_lock_result st_lock_writing(const strata_store *store);
/** Gives it back. */
void st_lock_written(const strata_store *store);
/** Waits until nobody else is about to turn the empty file `file` into a store. Held until `file` is closed. */
bool st_lock_creating(int file);
/** Marks a temporary file as being made, until it is closed. False, without waiting, if somebody else is making it. */
bool st_lock_making(int file);

/** Keeps everybody from opening the file until it is closed or st_lock_release() is called. False, without waiting, if
 * somebody has it open. */
bool st_lock_everybody_out(int file);
/** True if no other process has the file of a store open. */
bool st_lock_is_alone(const strata_store *store);

/** Gives all locks back. Closing the descriptor would not do: a child that is being forked or spawned just now holds a
 * copy of it, and locks live as long as any copy. */
void st_lock_release(const strata_store *store);

#endif
