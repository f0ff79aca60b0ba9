/* SPDX-License-Identifier: MIT
 *
 * flush.h -- storing what is pending in the write set.
 *
 * A flush moves blocks, and changes the epochs of the view. If it fails, the write can only be cancelled.
 */
#ifndef ST_WRITE_FLUSH_H
#define ST_WRITE_FLUSH_H

#include "table/view.h"

/** Stores everything that is pending. */
strata_status st_writes_flush(strata_view *view, strata_error *error);

/** The same for a commit: nothing is asked of the write set afterwards. */
strata_status st_writes_finish(strata_view *view, strata_error *error);

/** Stores rows, but leaves changes to indexes and links pending unless they are many: for a write that goes on. */
strata_status st_writes_store(strata_view *view, strata_error *error);

/** Does the same if the write set has grown large. Called at the end of each change; not before it, since the values of
 * a change may be bytes that the view lends. */
strata_status st_writes_trim(strata_view *view, strata_error *error);

#endif
