/* SPDX-License-Identifier: MIT
 *
 * row_find.h -- finding a row as the view shows it: among the pending rows, or else in its stored block.
 */
#ifndef ST_WRITE_ROW_FIND_H
#define ST_WRITE_ROW_FIND_H

#include "table/view.h"

/** Finds the row of an object. STRATA_OK, or STRATA_NOT_FOUND, with `out->block` NULL, if there is no such object. */
strata_status st_view_row(strata_view *view, uint32_t table, uint64_t key, st_row_ref *out, strata_error *error);

#endif
