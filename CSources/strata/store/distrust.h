/* SPDX-License-Identifier: MIT
 *
 * distrust.h -- what is left of a flush that failed.
 *
 * The system tells once that it could not write something, and only those who had the file open then; afterwards what
 * was dropped counts as written, and the next flush succeeds. So whoever is told writes no more, whatever the reason
 * was, and says in the header of the log that it is not to be trusted. Other processes see that when they begin a write,
 * and write no more either. It ends when somebody opens the file alone, writes what the log has into the data file once
 * more, and flushes that.
 */
#ifndef ST_STORE_DISTRUST_H
#define ST_STORE_DISTRUST_H

#include "store/state.h"

/** A flush of the file or of its log has failed. On any thread. */
void st_distrust(strata_store *store, const char *why);
/** Says so in the header of the log, if commits go to it, and writes the newest meta page again. Inside the turn, which
 * cannot end without this. */
void st_distrust_tell(strata_store *store);
/** The newest meta page may be a part of what was not written, and counts as written: writes it once more, so that the
 * next flush has it. Inside the turn, where nobody writes another one. 0, or an errno. */
int st_distrust_write_newest(const strata_store *store);
/** Flushes what the log is known to have. Inside the turn. 0, or an errno. */
int st_log_flush(strata_store *store);

#endif
