/* SPDX-License-Identifier: MIT
 *
 * row_merge.h -- pending rows become stored rows.
 */
#ifndef ST_WRITE_ROW_MERGE_H
#define ST_WRITE_ROW_MERGE_H

#include "table/view.h"

/** Merges the pending rows of one table into its blocks and derives changes to its indexes. Part of the flush. */
strata_status st_writes_merge_table(strata_view *view, uint32_t table, strata_error *error);

#endif
