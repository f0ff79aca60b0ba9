/* SPDX-License-Identifier: MIT
 *
 * rows.h -- what a change of the schema means for the rows that are there.
 */
#ifndef ST_SCHEMA_ROWS_H
#define ST_SCHEMA_ROWS_H

#include "table/view.h"

/** Builds an index that was added to a table with rows. */
strata_status st_schema_build_index(strata_view *view, const st_table *table, uint32_t number, const st_index *index,
                                    strata_error *error);

/** Told of an object that breaks a rule, and of what it breaks it with. False: no more. */
typedef bool (*st_failure_visitor)(void *context, uint64_t key, uint64_t other);

/** Tells of each object whose value in an indexed column one before it has; that is `other`. */
strata_status st_schema_each_duplicate(strata_view *view, const st_table *table, uint32_t column,
                                       st_failure_visitor visit, void *context, strata_error *error);
/** Tells of each object to which not exactly one link leads; `other` is how many do. Everything must be stored, and
 * `catalog` complete. */
strata_status st_schema_each_unowned(strata_view *view, const st_catalog *catalog, uint32_t number,
                                     st_failure_visitor visit, void *context, strata_error *error);

/** Fails with STRATA_DUPLICATE if two objects of a table, given also by its number, have the same value in an indexed
 * column. */
strata_status st_schema_check_unique(strata_view *view, const st_table *table, uint32_t number, uint32_t column,
                                     strata_error *error);
/** Whether two objects have the same value in a column that need not be indexed: its values are sorted in memory. */
strata_status st_schema_find_duplicate(strata_view *view, const st_table *table, uint32_t number, uint32_t column,
                                       bool *out, strata_error *error);

/** Fails with STRATA_SCHEMA_MISMATCH unless exactly one link leads to each object of a table. Everything must be
 * stored, and `catalog` complete. */
strata_status st_schema_check_owners(strata_view *view, const st_catalog *catalog, uint32_t number,
                                     strata_error *error);

/** Drops what the cells of a column have outside of their rows, and clears its index and its link index, when the
 * column is dropped. */
strata_status st_schema_drop_cells(strata_view *view, const st_table *table, uint32_t number, uint32_t column,
                                   strata_error *error);

#endif
