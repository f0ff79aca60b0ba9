/* SPDX-License-Identifier: MIT
 *
 * list_edit.h -- a list that a write transaction is changing.
 *
 * The parts of the list stand in memory in their order; the elements of a part are loaded when it is touched.
 * A part is written back only if it was changed.
 */
#ifndef ST_TABLE_LIST_EDIT_H
#define ST_TABLE_LIST_EDIT_H

#include "table/list_blocks.h"
#include "table/write_set.h"

typedef struct st_list_edit st_list_edit;

void st_list_edits_free(st_list_edit *edits);

/** Brings the cells of a row up to date with its changed lists, storing long ones. Part of the flush. */
strata_status st_list_edits_flush(strata_view *view, const st_table *table, st_pending *pending, strata_error *error);

/** Removes every occurrence of `key` from a list. */
strata_status st_list_remove_all(strata_row *row, uint32_t column, uint64_t key, strata_error *error);

/** Logs the removal of every link of a list, of a row that is being deleted. `*self` counts those to itself. */
strata_status st_list_unlink(strata_view *view, uint32_t table, uint32_t column, st_pending *pending,
                             strata_error *error);

/** How often a list holds `key`. */
strata_status st_list_count_of(strata_row *row, uint32_t column, uint64_t key, uint64_t *out, strata_error *error);

#endif
