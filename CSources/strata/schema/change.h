/* SPDX-License-Identifier: MIT
 *
 * change.h -- tables and columns of a file that get other names, or go.
 *
 * All of it works on a copy of the catalog, complete before and after, and on the trees of the writer.
 */
#ifndef ST_SCHEMA_CHANGE_H
#define ST_SCHEMA_CHANGE_H

#include "table/view.h"

/** Makes one change. Fails: STRATA_INVALID_SCHEMA, STRATA_SCHEMA_MISMATCH, STRATA_REFERENCED, ... */
strata_status st_schema_change(strata_view *view, st_catalog *catalog, const strata_schema_change *change,
                               strata_error *error);

/** Drops a column with its values, its index and its link index. Compound indexes with it must be gone. */
strata_status st_schema_drop_column(strata_view *view, st_table *table, uint32_t number, uint32_t column,
                                    strata_error *error);

/** Drops a compound index by its position. */
strata_status st_schema_drop_compound(strata_view *view, st_table *table, uint32_t position, strata_error *error);

#endif
