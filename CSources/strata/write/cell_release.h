/* SPDX-License-Identifier: MIT
 *
 * cell_release.h -- what a cell has outside of its row, links and what is stored there, is given up.
 */
#ifndef ST_WRITE_CELL_RELEASE_H
#define ST_WRITE_CELL_RELEASE_H

#include "collection/edit.h"
#include "table/view.h"

/** If the cell refers to an overflow value or a long collection, has the flush delete that. */
strata_status st_cell_drop(strata_view *view, const st_table *table, const st_row_ref *row, uint32_t column,
                           strata_error *error);
/** Logs that the links of a mixed cell are about to go. */
strata_status st_mixed_release(strata_view *view, const st_table *table, const st_row_ref *row, uint32_t column,
                               strata_error *error);
/** Gives up every element of a collection of a row that is being deleted: links, and overflow values. `edits` are the
 * changed collections of the row. */
strata_status st_collection_release(strata_view *view, const st_column *column, uint32_t number, const st_row_ref *row,
                                    st_edit *edits, strata_error *error);
/** Gives up the overflow value or the long collection of a stored cell, with the overflow values of its elements, when
 * its table or column goes as a whole. Links are left to the caller. */
strata_status st_stored_cell_drop(strata_view *view, const st_column *column, uint32_t number, const st_row_ref *row,
                                  strata_error *error);

#endif
