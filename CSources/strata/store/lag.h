/* SPDX-License-Identifier: MIT
 *
 * lag.h -- how far writers may get ahead of short snapshots.
 *
 * Pages that a commit frees are used again when no snapshot shows them any more. Where many processes share few
 * processors, some always hold an old snapshot only because they do not run, and commits made meanwhile take new pages
 * of the file. So if there are more snapshots than processors, a writer that is many commits ahead of the oldest one
 * lets others run for a moment. A snapshot that stays for long is held on purpose, and is not waited for again. Nor is
 * one for long while others want to write, too: they may be those who hold it.
 */
#ifndef ST_STORE_LAG_H
#define ST_STORE_LAG_H

#include "strata.h"

/** Before a write, inside the turn and without LMDB's lock: waits a little for readers that lag behind. Returns how many
 * pauses of 5 ms it made. */
int st_lag_wait(strata_store *store);

#endif
