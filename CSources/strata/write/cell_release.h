/* SPDX-License-Identifier: MIT
 *
 * cell_release.h -- giving up what a cell has outside of its row.
 *
 * A row that is deleted, or a cell that gets another value, no longer links to objects, and no longer needs overflow
 * values and long collections. Links that go are logged; what is stored is dropped (see identity.h).
 */
#ifndef ST_WRITE_CELL_RELEASE_H
#define ST_WRITE_CELL_RELEASE_H

#include "collection/edit.h"
#include "table/view.h"

/** Drops the overflow value or the long collection of a cell, if that is what it has. */
strata_status st_cell_drop(strata_view *view, const st_table *table, const st_row_ref *row, uint32_t column,
                           strata_error *error);
/** Logs that the links of a mixed cell go. */
strata_status st_mixed_release(strata_view *view, const st_table *table, const st_row_ref *row, uint32_t column,
                               strata_error *error);
/** Gives up the elements of a collection when its row is deleted: their links, and their overflow values. `edits` are
 * those of the row. */
strata_status st_collection_release(strata_view *view, const st_column *column, uint32_t number, const st_row_ref *row,
                                    st_edit *edits, strata_error *error);
/** Drops what st_cell_drop() does, and the overflow values of elements: for a stored cell whose table or column goes as
 * a whole. Links are left to the caller. */
strata_status st_stored_cell_drop(strata_view *view, const st_table *table, const st_row_ref *row, uint32_t column,
                                  strata_error *error);

#endif
