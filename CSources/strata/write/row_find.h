/* SPDX-License-Identifier: MIT
 *
 * row_find.h -- where the newest state of a row is: among the pending rows, or else in its stored block.
 */
#ifndef ST_WRITE_ROW_FIND_H
#define ST_WRITE_ROW_FIND_H

#include "table/view.h"

/** Finds a row. Returns STRATA_OK or STRATA_NOT_FOUND. */
strata_status st_view_row(strata_view *view, uint32_t table, uint64_t key, st_row_ref *out, strata_error *error);

#endif
