/* SPDX-License-Identifier: MIT
 *
 * rows.h -- where many objects are, at once.
 *
 * Objects in no order lie in as many blocks, of which hardly one is in a cache: looked up one by one, each waits for
 * the memory a few times. Looked up together, they wait at the same time.
 */
#ifndef ST_OBJECT_ROWS_H
#define ST_OBJECT_ROWS_H

#include "table/view.h"

enum { ST_ROWS_AT_ONCE = 32 };

/** Finds where rows are, as st_view_row() does for each: in `rows[i].block` and `slot` for `rows[i].key`. The block of
 * an object that is not there is NULL. At most ST_ROWS_AT_ONCE of them. */
strata_status st_rows_find(strata_view *view, uint32_t table, st_row_ref *rows, size_t count, strata_error *error);

#endif
