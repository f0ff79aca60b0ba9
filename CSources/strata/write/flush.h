/* SPDX-License-Identifier: MIT
 *
 * flush.h -- storing what is pending.
 *
 * On failure only cancelling is left. Blocks move: a flush changes the epochs of the view.
 */
#ifndef ST_WRITE_FLUSH_H
#define ST_WRITE_FLUSH_H

#include "table/view.h"

/** Stores everything that is pending. */
strata_status st_writes_flush(strata_view *view, strata_error *error);

/** The same before a commit: the write set is not asked for anything any more. */
strata_status st_writes_finish(strata_view *view, strata_error *error);

/** The same for writes that go on, but leaves changes to indexes and links for later unless there are many. */
strata_status st_writes_store(strata_view *view, strata_error *error);

/** At the end of each change: stores the rows, as st_writes_store() does, if the set has grown large. Not before it,
 * since the values of a change may be bytes lent by the view. */
strata_status st_writes_trim(strata_view *view, strata_error *error);

#endif
