/* SPDX-License-Identifier: MIT
 *
 * deferral.h -- commits that go to the log without waiting for it to be flushed.
 *
 * Which of the records that were not flushed survive a power cut, is not known before: any commit from the last
 * flushed one on may turn out to be the last. So no page of these may be used again. A snapshot of the last flushed
 * commit, the pin, sees to that; it is taken when a write begins and everything before it has been flushed. Other
 * processes need not know: who finds that the last record is not his own flushes the log before he writes, so a pin
 * matters only to the writes of the process that holds it, and may end with it.
 *
 * A thread of the store flushes the log, at most a second after the pin was taken, and sooner where many pages wait.
 * Others may write meanwhile: so before it flushes, it takes a snapshot of what it flushes, which is the pin from then
 * on. If nobody has written, nothing is left to keep. Where still more pages wait, the write itself flushes, since the
 * pin makes the file grow. While a write lasts for longer than that, the thread flushes the log beside it; the pin has
 * to wait. Where a file has hardly room to grow, each write flushes what the one before has left, so that the pin keeps
 * no more than the write itself does.
 */
#ifndef ST_STORE_DEFERRAL_H
#define ST_STORE_DEFERRAL_H

#include "store/state.h"

/** For how long a record may wait, in nanoseconds. Tests change it. */
extern st_time st_deferral_window;
/** How many pages may wait before the thread flushes the log at once. Tests change it. */
extern uint64_t st_deferral_soon;

/** May the record of the write that begins be left to the thread? The log is up to date. If not, the commit flushes
 * the log. Inside the turn. 0, or an errno or code of LMDB if the log could not be flushed. */
int st_deferral_begin(st_txn *writer, bool *out);
/** A record was left to the thread. Inside the turn. */
void st_deferral_left(strata_store *store);
/** Is everything behind the last flushed commit kept by the pin, or is there nothing behind it? Inside the turn. */
bool st_deferral_holds(const st_page_log *log);
/** Ends the thread, which nobody needs any more. */
void st_deferral_end_thread(strata_store *store);
/** Flushes what is left, so that the next writes find what was freed until now. Inside the turn. */
void st_deferral_settle(strata_store *store);
/** The same, and ends the pin, before LMDB closes the file. */
void st_deferral_end(strata_store *store);

#endif
