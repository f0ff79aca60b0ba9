/* SPDX-License-Identifier: MIT
 *
 * rows.h -- finding many rows at once.
 *
 * Objects in random order are in different blocks, few of which are in a cache of the processor. If they are looked up
 * one by one, each waits for the memory a few times; if they are looked up together, they wait at the same time.
 */
#ifndef ST_OBJECT_ROWS_H
#define ST_OBJECT_ROWS_H

#include "table/view.h"

enum { ST_ROWS_AT_ONCE = 32 };

/** Finds rows by their keys, `rows[i].key`, as st_view_row() does: sets `block` and `slot` of each. There are at most
 * ST_ROWS_AT_ONCE. */
strata_status st_rows_find(strata_view *view, uint32_t table, st_row_ref *rows, size_t count, strata_error *error);

#endif
