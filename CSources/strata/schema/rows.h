/* SPDX-License-Identifier: MIT
 *
 * rows.h -- what a change of the schema means for the rows that are there.
 */
#ifndef ST_SCHEMA_ROWS_H
#define ST_SCHEMA_ROWS_H

#include "table/view.h"

/** Fills the set of an index that was added to a table with rows. */
strata_status st_schema_build_index(strata_view *view, const st_table *table, uint32_t number, const st_index *index,
                                    strata_error *error);

/** Fails with STRATA_DUPLICATE if two objects have the same value in an indexed column. */
strata_status st_schema_check_unique(strata_view *view, const st_table *table, uint32_t column, strata_error *error);

/** Gives up what the cells of a column that is dropped keep outside of their rows, its index and its link index. */
strata_status st_schema_drop_cells(strata_view *view, const st_table *table, uint32_t number, uint32_t column,
                                   strata_error *error);

#endif
