/* SPDX-License-Identifier: MIT
 *
 * collection_store.h -- storing collections that were changed.
 */
#ifndef ST_WRITE_COLLECTION_STORE_H
#define ST_WRITE_COLLECTION_STORE_H

#include "write/write_set.h"

/** Stores the edits of a row: short collections in its cells, long ones in their chunks. Part of the flush. */
strata_status st_edits_flush(strata_view *view, const st_table *table, st_pending *pending, strata_error *error);
/** Stores the chunks of an edit that were changed, and the directory. It is a long collection, with an identity. */
strata_status st_edit_store_chunks(strata_view *view, const st_column *column, st_edit *edit, strata_error *error);

#endif
