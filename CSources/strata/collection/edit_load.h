/* SPDX-License-Identifier: MIT
 *
 * edit_load.h -- reading what an edit has not changed yet.
 */
#ifndef ST_COLLECTION_EDIT_LOAD_H
#define ST_COLLECTION_EDIT_LOAD_H

#include "collection/directory.h"
#include "collection/edit.h"

/** Fills an edit that was just made from the cell that a row has for the collection: with all elements if it is short,
 * with the directory if it is long. Fails: STRATA_CORRUPT, STRATA_NO_MEMORY. */
strata_status st_edit_load(strata_view *view, const st_column *column, const st_row_ref *row, st_edit *edit,
                           strata_error *error);
/** Loads the elements of a chunk, so that they can be changed. Fails: STRATA_CORRUPT, STRATA_NO_MEMORY. */
strata_status st_chunk_load(strata_view *view, const st_column *column, st_edit *edit, st_chunk *chunk,
                            strata_error *error);
/** Reads elements of a chunk, loaded or not. Fails: STRATA_CORRUPT. */
strata_status st_chunk_values(strata_view *view, const st_column *column, const st_edit *edit, st_chunk *chunk,
                              uint32_t block_column, uint32_t slot, uint32_t count, strata_value *out,
                              strata_error *error);

#endif
