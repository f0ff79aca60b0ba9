/* SPDX-License-Identifier: MIT
 * lock.h -- locks of our own on the data file, beside those of LMDB.
 *
 * They are OFD locks. These conflict even within a process, and closing another descriptor of the file does not drop
 * them. Their positions are far behind the end of the file:
 *
 *   2^59                     exclusive while somebody turns an empty file into a store, or makes a temporary file
 *   2^60 + process number    exclusive while the store is open. A second copy of this library in the process, or a
 *                            process of the same number in another container, would share LMDB's reader slots.
 *                            Whoever compacts the file locks all of these positions at once
 *   2^61 + lock file         shared while the store is open, at a position that is computed from its lock file. A lock
 *                            at another position means that the file is open through two lock files
 *   2^62                     exclusive inside a write transaction, until its commit or abort begins. It is released
 *                            while LMDB still keeps the next writer waiting, which would otherwise find it held
 *
 * ON-DISK in effect: all processes that use a file must agree on these positions.
 */
#ifndef ST_STORE_LOCK_H
#define ST_STORE_LOCK_H

#include "strata.h"

/** Fails with STRATA_IN_USE if the file is open under this process number already. Waits while the file is being
 * compacted; afterwards its path leads to another file. */
strata_status st_lock_process(strata_store *store, strata_error *error);
/** The path of LMDB's lock file; NULL if there is no memory. Never open that file: closing it would drop LMDB's locks.
 * Ownership: freed by the caller. */
char *st_lock_file_name(const strata_store *store);
/** Fails with STRATA_LINKED_FILE if the file is open through another lock file. Called after LMDB has opened the
 * file. */
strata_status st_lock_identity(strata_store *store, strata_error *error);

typedef enum st_lock_result {
    ST_LOCK_TAKEN,
    ST_LOCK_WAITED, /* somebody else held it; then it was taken */
    ST_LOCK_REFUSED
} st_lock_result;

/** Takes the writer's lock, while this thread holds LMDB's. Waits for up to two seconds, because a process that is
 * killed in a write transaction loses LMDB's lock first and this one a moment later. */
st_lock_result st_lock_writer(const strata_store *store);
/** Releases the writer's lock. */
void st_unlock_writer(const strata_store *store);
/** Waits until nobody else is turning the empty file `file` into a store. Held until `file` is closed. */
bool st_lock_creation(int file);
/** Marks a temporary file as being made, until it is closed. False, without waiting, if somebody else is making it. */
bool st_lock_temporary(int file);

/** Keeps everybody from opening the file, until `file` is closed. False, without waiting, if somebody has it open. */
bool st_lock_everybody_out(int file);
/** True if no other process has the file of a store open. */
bool st_lock_is_alone(const strata_store *store);

/** Releases all locks of the store. Closing the descriptor would not be enough: a child that is being forked or spawned
 * just now has a copy of it, and the locks live as long as any copy. */
void st_lock_release(const strata_store *store);

#endif
