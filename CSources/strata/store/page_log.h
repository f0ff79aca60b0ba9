/* SPDX-License-Identifier: MIT
 *
 * page_log.h -- commits that are durable by one append.
 *
 * A commit waits for the disk twice: for its pages, and for the meta page that leads to them. With the log it writes
 * all of them without waiting, appends a copy of the pages to the log, and waits for that once. The pages reach the
 * data file whenever the system writes them. When the log is full, and for a commit too large for it, the data file is
 * flushed and the log begins again.
 *
 * Whether commits go to the log is a property of the file, in the header record, since after a power cut the log
 * decides what the file holds: whoever writes follows it, whatever durability it was opened with. What must hold:
 *
 *   the header record says so     before the log is in use, and, on the disk, until after it is not any more
 *   the log is in use from C on   only when the data file held C, flushed
 *   commit N + 1 begins           only when the record of N is on the disk, or this process wrote all records that may
 *                                 not be, and keeps the pages of the last commit of which it is known, and of all since
 *                                 (deferral.h). Who did not write the last one itself flushes the log first, the header
 *                                 too
 *   the log lacks commit N        because its writer died: then the data file is flushed, and the log begins again at N
 *
 * recovery.c shows why nothing else is needed. Everything here happens inside the gate, in the writer's turn.
 */
#ifndef ST_STORE_PAGE_LOG_H
#define ST_STORE_PAGE_LOG_H

#include "store/state.h"

/** Brings the log up to date when a write begins, and decides whether its commit goes to it. The header record of the
 * commit before has been read. Fails: STRATA_IO, STRATA_CORRUPT if the log is missing, and others. */
strata_status st_page_log_begin(st_txn *writer, strata_error *error);
/** Makes a commit durable that LMDB has made without flushing, or leaves that to a thread (deferral.h). 0, or an errno
 * or code of LMDB; then it is not known whether the commit would survive a power cut. */
int st_page_log_append(strata_store *store, uint64_t commit);
/** Flushes the data file, and ends the use of the log; the commit that is then made says so in its header record. 0, or
 * an errno or code of LMDB. */
int st_page_log_end(st_txn *writer);
/** Frees what a store has of its log. */
void st_page_log_free(st_page_log *log);

#endif
