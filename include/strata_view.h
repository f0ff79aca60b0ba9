/* SPDX-License-Identifier: MIT
 *
 * strata_view.h -- views, and their write transactions.
 *
 * A view shows one consistent state of the store: all its reads show the same commit until it is refreshed. There is at
 * most one write transaction at a time, over all processes. While a view writes, it shows its own changes.
 * Lifetime: bytes, blocks and rows that were got through a view are valid until the epoch of the view changes. A
 *   refresh changes it, the begin and the end of a write, and each change. Live rows notice that by themselves.
 * Thread: a view belongs to the thread that opened it, or adopted it. A write is begun and ended on one thread.
 */
#ifndef STRATA_VIEW_H
#define STRATA_VIEW_H

#include "strata_store.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Opens a view at the newest commit.
 *
 * Ownership: the caller closes `*out` before the store.
 * Fails: STRATA_READERS_FULL, STRATA_NO_MEMORY, STRATA_AFTER_FORK, STRATA_CORRUPT; STRATA_BUSY, if another process was
 *   stopped within the microsecond in which it entered the table of snapshots.
 */
STRATA_CHECKED strata_status strata_view_open(strata_store *store, strata_view **out, strata_error *error);

/**
 * Opens a frozen view: it shows for ever what `view` shows, or while that writes, what the newest commit is. The commit
 * is pinned until the frozen view and all views that were opened on it are closed; a view that moves on meanwhile needs
 * no second snapshot for that.
 *
 * Nobody calls the engine with it except for strata_view_open_frozen() and strata_view_close(). It is there for its
 * rows: a row of a view on it, whose `head` is set to this one and whose `epoch` to that of this one, can be read by
 * every thread at the same time, with the readers that are compiled into the caller (strata_row_int() and the like).
 *
 * Ownership: the caller closes `*out` before the store. Thread: any number may read its rows.
 * Fails: STRATA_WRITING in a queued write; what strata_view_open() fails with.
 */
STRATA_CHECKED strata_status strata_view_freeze(strata_view *view, strata_view **out, strata_error *error);

/**
 * Opens a view of the calling thread on what a frozen view shows. A refresh leaves it there, and a write is refused
 * with STRATA_READ_ONLY. It keeps the commit although the frozen view is closed.
 *
 * Ownership: the caller closes `*out` before the store. Thread: any, several at a time on one frozen view.
 * Fails: STRATA_MISUSE, STRATA_NO_MEMORY, STRATA_AFTER_FORK.
 */
STRATA_CHECKED strata_status strata_view_open_frozen(const strata_view *frozen, strata_view **out,
                                                     strata_error *error);

/**
 * Closes the view; an open write is cancelled. Rows and cursors of the view must not be used afterwards.
 *
 * Thread: any, but the turn to write belongs to the thread that began the write. If another one closes the view, nobody
 * else can write until that thread begins or requests its next write, in whichever file, or ends. A queued write is
 * given back at once.
 */
void strata_view_close(strata_view *view);

/**
 * Makes the calling thread the owner of the view, for programs that see to it by other means that nobody uses the view
 * at the same time: by a serial queue, for example, whose threads change. What the former owner did with the view must
 * have happened before.
 *
 * Fails: STRATA_WRONG_THREAD while the view writes, because a write ends on the thread on which it began;
 *   STRATA_AFTER_FORK.
 */
STRATA_CHECKED strata_status strata_view_adopt(strata_view *view, strata_error *error);

/**
 * Lets the view rest: it gives its snapshot back, so that it keeps no commit alive, and has no owner. A thread that
 * adopts it wakes it with strata_view_refresh(). Does nothing while the view writes.
 *
 * Thread: the owner.
 */
void strata_view_rest(strata_view *view);

/** Moves the view to the newest commit; `*out_changed`, which may be NULL, says whether it moved. Does nothing while
 * the view writes.
 *
 * Fails: STRATA_WRONG_THREAD, STRATA_AFTER_FORK; STRATA_SCHEMA_MISMATCH, see strata_view_keep(); or as
 *   strata_view_open() does, and then the view shows nothing: every use of it is STRATA_CLOSED until a refresh
 *   succeeds. */
STRATA_CHECKED strata_status strata_view_refresh(strata_view *view, bool *out_changed, strata_error *error);

/**
 * Has the view keep its tables: it does not move to a commit in which one of them, or a column that one of them has
 * now, is gone, has another name or type, or may be null from then on, or in which their primary keys are others,
 * because another program has changed the schema. A refresh and the begin of a write then fail with
 * STRATA_SCHEMA_MISMATCH, and the view goes on to show what it shows; but one that rests shows nothing. Without this,
 * what is gone reads as zero, empty or null.
 *
 * As long as the view stays there, the file cannot use the room of what is deleted later. Where all places of readers
 * are in use, a refresh has to give up that of the view before it looks, which shows nothing then if it is refused.
 *
 * Parameters: `tables` are numbers of tables; `count` 0 has the view keep none any more.
 * Fails: STRATA_MISUSE, STRATA_NO_MEMORY, STRATA_WRONG_THREAD, STRATA_CLOSED, STRATA_AFTER_FORK.
 */
STRATA_CHECKED strata_status strata_view_keep(strata_view *view, const uint32_t *tables, uint32_t count,
                                              strata_error *error);

/** The same for a view that uses only some columns: of `tables[i]` it keeps the first `columns[i]`, and does not mind
 * what becomes of those behind them; all, if it has not so many. NULL in place of `columns` keeps all. */
STRATA_CHECKED strata_status strata_view_keep_columns(strata_view *view, const uint32_t *tables,
                                                      const uint32_t *columns, uint32_t count, strata_error *error);

/** In place of milliseconds: as long as strata_config.wait says. */
#define STRATA_STORE_WAIT UINT32_MAX

/**
 * Begins a write transaction at the newest commit. The first one of a store reads and checks the pages of all trees,
 * about one in seventy of the file, and is refused with STRATA_CORRUPT if one is damaged.
 *
 * Blocks: until every other writer, in this process or another, has finished; at most as long as strata_config.wait
 *   says. Writers get their turn in the order in which they came. And now and then for a moment, at most a second,
 *   while there are more snapshots than processors and the oldest lags behind, so that the file stays small.
 * Fails: STRATA_BUSY, with a message that says which process has been writing, and for how long; STRATA_WRITING,
 *   STRATA_READ_ONLY, STRATA_WRONG_THREAD, STRATA_REPLACED_FILE, STRATA_POISONED, STRATA_SCHEMA_MISMATCH, see
 *   strata_view_keep(), ... The view shows what it showed.
 */
STRATA_CHECKED strata_status strata_view_begin(strata_view *view, strata_error *error);

/** The same, waiting for other writers for so many milliseconds at most; 0 only tries. STRATA_STORE_WAIT is the same as
 * strata_view_begin(). */
STRATA_CHECKED strata_status strata_view_begin_within(strata_view *view, uint32_t milliseconds, strata_error *error);

/**
 * Commits the changes, with the durability that the store was opened with, and ends the write. After a failure the
 * write has ended, too, and the changes are gone. If an earlier change of the write failed halfway, the commit fails
 * as that one did; then the view shows the newest commit. After a success it shows its own, even if somebody has made
 * another one since; of that, strata_view_is_newest() tells. If it can get no snapshot, see strata_view_refresh().
 *
 * Fails: STRATA_DISK_FULL, STRATA_SIZE_LIMIT, STRATA_IO, STRATA_COMMIT_UNKNOWN, STRATA_NOT_WRITING, ...
 */
STRATA_CHECKED strata_status strata_view_commit(strata_view *view, strata_error *error);

/** Drops the changes and ends the write. Without a write it does nothing. */
void strata_view_cancel(strata_view *view);

/** Sets the name of the view in strata_store_get_snapshots(): at most STRATA_MAX_LABEL bytes of `label`. */
void strata_view_set_label(strata_view *view, const char *label);

bool strata_view_is_writing(const strata_view *view);

/** The number of the commit that the view shows; in a write, the number that its commit will have. */
uint64_t strata_view_version(const strata_view *view);

/** Whether no process has written a newer commit than the view shows. A commit is written some milliseconds before it
 * is durable, and only then does a refresh move to it: a program that waits for commits looks again until it has. False
 * until the next refresh, too, if another process ended the use of its log, which changes nothing that a view shows.
 * False for a view that writes or shows nothing. */
bool strata_view_is_newest(const strata_view *view);

#ifdef __cplusplus
}
#endif
#endif
