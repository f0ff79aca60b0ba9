/* SPDX-License-Identifier: MIT
 *
 * collection_store.h -- storing collections that were changed.
 */
#ifndef ST_WRITE_COLLECTION_STORE_H
#define ST_WRITE_COLLECTION_STORE_H

#include "write/write_set.h"

/** Brings the cells of a row up to date with its changed collections, storing long ones. Part of the flush. */
strata_status st_edits_flush(strata_view *view, const st_table *table, st_pending *pending, strata_error *error);

#endif
