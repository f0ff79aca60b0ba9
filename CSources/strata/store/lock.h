/* SPDX-License-Identifier: MIT
 * lock.h -- locks of our own on the data file, beside those of LMDB.
 *
 * They are OFD locks. These conflict even within a process, and closing another descriptor of the file does not drop
 * them. The kernel drops them when their holder dies, and owes nothing to those who wait: they look again and again, so
 * that it does not matter which of them die or are stopped. LMDB's own locks do not have these properties, so each of
 * them is taken by those only who hold the one of ours that guards it. Their positions are far behind the end of the
 * file:
 *
 *   2^59 + ...               the opening: exclusive while somebody opens or compacts the file, turns an empty file into
 *                            a store, or makes a temporary file. Guards LMDB's lock on its lock file
 *   2^60 + process number    exclusive while the store is open. A second copy of this library in the process, or a
 *                            process of the same number in another container, would share LMDB's reader slots.
 *                            Whoever compacts the file locks all of these positions at once
 *   2^61 + lock file         shared while the store is open, at a position that is computed from its lock file. A lock
 *                            at another position means that the file is open through two lock files
 *   2^62 + ...               the writer's turn: exclusive from before a write transaction until after it. Guards LMDB's
 *                            mutex of writers
 *   2^62 + 2^59 + mark       the line of those who wait for that turn: see turn.c
 *   2^62 + 2^60 + ...        the slots: exclusive while somebody looks for a slot in LMDB's table of readers. Guards
 *                            LMDB's mutex of readers
 *   2^62 + 2^61              shared by whoever has waited for a commit: see wake.h
 *   2^62 + 2^61 + 1          shared while a process has feeds of commits
 *
 * Where three dots stand, the lock is as long as the mark of its holder, which says who that is and since when:
 * process number + 2^22 x milliseconds of the monotonic clock, of which 36 bits are kept. The system tells others where
 * a lock ends, but not whose it is.
 *
 * ON-DISK in effect: all processes that use a file must agree on these positions.
 */
#ifndef ST_STORE_LOCK_H
#define ST_STORE_LOCK_H

#include <sys/types.h>

#include "strata.h"

/* ---- Who may do what, one at a time ------------------------------------- */

typedef enum st_lock_kind {
    ST_LOCK_OPENING,
    ST_LOCK_TURN,
    ST_LOCK_SLOTS
} st_lock_kind;

/** Who holds a lock. */
typedef struct st_lock_holder {
    int64_t process; /* 0: not known, or another thread of this process */
    double seconds;  /* for how long */
} st_lock_holder;

/** Takes a lock, without waiting. False if another process holds it. For a lock that this store holds already it
 * succeeds, too. A failure for any other reason counts as success: the lock of LMDB that this one guards is still
 * there. */
bool st_lock_take(const strata_store *store, st_lock_kind kind);
void st_lock_drop(const strata_store *store, st_lock_kind kind);
/** Does another process hold the lock, and which one? `out` may be NULL. */
bool st_lock_held(const strata_store *store, st_lock_kind kind, st_lock_holder *out);
/** Fails with STRATA_BUSY: `holder` has been `busy`, as in "compacting or opening it", for longer than the caller
 * could wait. The message begins with `doing` and the name of the store. */
strata_status st_lock_fail(const strata_store *store, const st_lock_holder *holder, const char *doing,
                           const char *busy, strata_error *error);

/** The opening, of a file that no store has yet. False, without waiting, if somebody else has it. Held until `file` is
 * closed. */
bool st_lock_file(int file);
/** Keeps everybody from opening the file, until `file` is closed. False, without waiting, if somebody has it open. */
bool st_lock_everybody_out(int file);

/* ---- Following commits --------------------------------------------------- */

/** Tells other processes that this one waits for commits, until its store is closed. */
void st_lock_wait(const strata_store *store);
/** Tells other processes that this one reads the records of commits, or does not any more. */
void st_lock_read(const strata_store *store, bool reads);
/** Do other processes wait for commits, and do others read their records? One call of the system if nobody does. */
void st_lock_followers(const strata_store *store, bool *out_wait, bool *out_read);

/* ---- The line ----------------------------------------------------------- */

/** A position in the line: the earlier, the lower. 0 is before everybody. */
typedef uint64_t st_lock_place;

/** Enters the line. */
st_lock_place st_lock_line_up(const strata_store *store);
void st_lock_leave_line(const strata_store *store, st_lock_place place);
/** The place of somebody else behind `after` and before `place`, not always the first of them; 0 if there is nobody. */
st_lock_place st_lock_ahead(const strata_store *store, st_lock_place after, st_lock_place place);
/** Everybody's place is before this one. */
#define ST_LOCK_END_OF_LINE (UINT64_C(1) << 58)

/* ---- Open stores -------------------------------------------------------- */

/** Fails with STRATA_IN_USE if the file is open under this process number already. */
strata_status st_lock_process(strata_store *store, strata_error *error);
/** The path of LMDB's lock file; NULL if there is no memory. Never open that file while LMDB has it open: closing it
 * would drop LMDB's locks. Ownership: freed by the caller. */
char *st_lock_file_name(const strata_store *store);
/** Has somebody, who is not dead yet, LMDB's exclusive lock on its lock file? Called with the opening held, before LMDB
 * opens the file. Who dies loses our locks a moment before LMDB's. */
bool st_lock_file_is_held(const strata_store *store, st_lock_holder *out);
/** Makes sure that LMDB's lock file, with its table of so many readers, has its room on the disk, and makes the file if
 * it is missing. LMDB maps it, and on a full disk the system ends a process that touches a page without room. Called
 * with the opening held, before LMDB opens the file. Fails: STRATA_DISK_FULL. Everything else is for LMDB to say. */
strata_status st_lock_file_reserve(const strata_store *store, uint32_t readers, mode_t mode, strata_error *error);
/** Fails with STRATA_LINKED_FILE if the file is open through another lock file. Called after LMDB has opened the
 * file. */
strata_status st_lock_identity(strata_store *store, strata_error *error);
/** Whether this process may not use LMDB's lock file, nor make one. */
bool st_lock_file_is_denied(const strata_store *store);
/** Says, until the store is closed, that it reads without LMDB's lock file, so that nobody may write. False if somebody
 * may write already. */
bool st_lock_keep_writers_out(const strata_store *store);
/** Fails with STRATA_IN_USE if somebody reads the file without LMDB's lock file. Called before the file is opened for
 * writing, with the lock of the process held: of two that come at the same time, one sees the other. */
strata_status st_lock_check_readers(const strata_store *store, strata_error *error);

/** Does the system have these locks for the file? If not, nobody is known to be alone. */
bool st_lock_works(const strata_store *store);
/** True if no other process has the file of a store open. */
bool st_lock_is_alone(const strata_store *store);

/** Releases all locks of the store. Closing the descriptor would not be enough: a child that is being forked or spawned
 * just now has a copy of it, and the locks live as long as any copy. */
void st_lock_release(const strata_store *store);

#endif
