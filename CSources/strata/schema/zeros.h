/* SPDX-License-Identifier: MIT
 *
 * zeros.h -- zeros and empty values that blocks leave out, when a column may be null from now on.
 *
 * A block has no vector for a column whose cells are all zero or empty; that of a column which may be null would read
 * as nulls. So such blocks, and such chunks of long collections, are written again with the zeros in them. All others
 * read the same with or without nulls, as short collections do.
 */
#ifndef ST_SCHEMA_ZEROS_H
#define ST_SCHEMA_ZEROS_H

#include "table/view.h"

/** Whether a block or a chunk leaves out the zeros of a column. Reads all blocks, and the chunks of a collection, up to
 * the first one that does. Fails: STRATA_CORRUPT, STRATA_NO_MEMORY. */
strata_status st_schema_find_zeros(strata_view *view, const st_table *table, uint32_t number, uint32_t column,
                                   bool *out, strata_error *error);

/** Stores the zeros that are left out of these columns, in the writer. The columns are those of single values and of
 * collections that may not be null yet. `table` is complete. Fails: STRATA_CORRUPT, ... */
strata_status st_schema_store_zeros(strata_view *view, const st_table *table, uint32_t number,
                                    const uint32_t *columns, uint32_t count, strata_error *error);

#endif
