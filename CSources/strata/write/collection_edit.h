/* SPDX-License-Identifier: MIT
 *
 * collection_edit.h -- a collection that a write transaction is changing.
 *
 * The parts of the collection stand in memory in their order; the elements of a part are loaded when it is changed.
 * A part is written back only if it was changed.
 */
#ifndef ST_WRITE_COLLECTION_EDIT_H
#define ST_WRITE_COLLECTION_EDIT_H

#include "write/element.h"

typedef struct st_edit st_edit;

void st_edits_free(st_edit *edits);

/** Brings the cells of a row up to date with its changed collections, storing long ones. Part of the flush. */
strata_status st_edits_flush(strata_view *view, const st_table *table, st_pending *pending, strata_error *error);

/** Removes every link to an object: entries of lists and sets go, values of maps become null. */
strata_status st_collection_unlink(strata_row *row, uint32_t column, uint32_t target, uint64_t key,
                                   strata_error *error);
/** How often a collection links to an object. */
strata_status st_collection_count_of(strata_row *row, uint32_t column, uint32_t target, uint64_t key, uint64_t *out,
                                     strata_error *error);

/** Gives up every element of a collection of a row that is being deleted: links, and bytes stored elsewhere. `edits`
 * are the changed collections of the row. */
strata_status st_collection_release(strata_view *view, const st_column *column, uint32_t number, const st_row_ref *row,
                                    st_edit *edits, strata_error *error);
/** Gives up a large stored cell of a table or column that goes as a whole: the bytes, or the collection's blocks and
 * what its elements keep elsewhere. Links are left to the caller. */
strata_status st_stored_cell_forget(strata_view *view, const st_column *column, uint32_t number, const st_row_ref *row,
                                    strata_error *error);

#endif
